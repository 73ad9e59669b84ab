package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/bufftick/bufftick/bench/page"
)

// measurePeers runs bench/peers, which measures libraries that this module does not require. If
// these libraries are not available, measurePeers prints a message, and the report is made without
// them.
func measurePeers(most, rounds int, con *console) ([]page.Turns, error) {
	repo, err := repository()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "-C", filepath.Join(repo, "bench", "peers"), "run", ".", "-most", strconv.Itoa(most), "-rounds", strconv.Itoa(rounds))
	var diag bytes.Buffer
	cmd.Stderr = &diag
	text, err := cmd.Output()
	if err != nil {
		fmt.Fprintf(con.diag, "bench: other libraries are left out: %v\n%s", err, &diag)
		return nil, nil
	}
	var all []page.Turns
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("bench/peers: %w", err)
	}
	return all, nil
}
