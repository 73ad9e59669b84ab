package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/bench/page"
	"github.com/bufftick/bufftick/bench/rival"
)

// toolsFile is the file in the repository's root that lists the tools.
var toolsFile = filepath.Join("tools", "go.mod")

// repository returns the root of the repository in which the command was started. This is the
// nearest parent folder that contains toolsFile. The function does not use git, because an unpacked
// archive has no git directory.
func repository() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if isFile(filepath.Join(dir, toolsFile)) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not in the repository of bufftick: no folder above it has a %s", start, toolsFile)
		}
	}
}

func isFile(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// inTurn builds both commits and takes probes of them alternately. It returns the folders that
// contain the results.
func (c *compareCmd) inTurn(dir string, con *console) ([]string, error) {
	var binaries []string
	for i, commit := range []string{c.Old, c.New} {
		binary, err := buildAt(commit, dir, i)
		if err != nil {
			return nil, err
		}
		binaries = append(binaries, binary)
	}
	probes := make([][]rival.Probe, len(binaries))
	bar := newBar(con.diag, "probes")
	for turn := range c.Probes {
		for i, binary := range binaries {
			p, err := takeProbe(binary)
			if err != nil {
				return nil, err
			}
			probes[i] = append(probes[i], p)
		}
		bar.show(float64(turn+1) / float64(c.Probes))
	}
	bar.clear()
	var out []string
	for i, p := range probes {
		to := filepath.Join(dir, fmt.Sprintf("measured-%d", i))
		out = append(out, to)
		if err := (&page.Report{Machine: gauge.ThisMachine(), Probes: p}).WriteData(to); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// buildAt builds this command at a commit, in a separate worktree. If commit is ".", it builds the
// current tree.
func buildAt(commit, dir string, n int) (string, error) {
	binary := filepath.Join(dir, fmt.Sprintf("bench-%d", n))
	tree, err := repository()
	if err != nil {
		return "", err
	}
	if commit != "." {
		tree = filepath.Join(dir, fmt.Sprintf("tree-%d", n))
		if out, err := exec.Command("git", "worktree", "add", "--detach", tree, commit).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s is neither a file nor a commit: %w\n%s", commit, err, out)
		}
		// If this fails, "git worktree prune" can clean up later.
		defer func() { _ = exec.Command("git", "worktree", "remove", "--force", tree).Run() }()
	}
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join(tree, "bench") // in older commits, bench is not a separate module
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", commit, err, out)
	}
	return binary, nil
}

// takeProbe runs a process that measures all steps once.
func takeProbe(binary string) (p rival.Probe, err error) {
	text, err := exec.Command(binary, "probe").Output()
	if err != nil {
		return nil, fmt.Errorf("a probe: %w", err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("a probe: %w", err)
	}
	return p, nil
}
