package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// draw selects bugs by rank. The rank of a bug depends only on the seed and on the bug's key.
// Therefore a change to the code does not change the selection of other bugs.
type draw struct {
	seed uint64
	n    int // number of bugs to select, which are the bugs with the lowest ranks
}

// lot returns the rank of a bug, from 0 to 1.
func (d draw) lot(key string) float64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", d.seed, key))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// makeUp draws bugs that compile, from all packages that the tables in the folder "dir" name. The
// regular expression selects tables by name. If it matches no table, it selects bugs by key.
func makeUp(dir string, wanted *regexp.Regexp, d draw) ([]batch, error) {
	tables, err := readTables(dir)
	if err != nil {
		return nil, err
	}
	type drawn struct {
		table  *table
		source *source
		bug    bug
		lot    float64
	}
	if slices.ContainsFunc(tables, func(t *table) bool { return wanted.MatchString(t.name) }) {
		tables = slices.DeleteFunc(tables, func(t *table) bool { return !wanted.MatchString(t.name) })
	}
	var all []drawn
	for _, t := range tables {
		for k := range t.runs {
			t.runs[k].limit = *longest
		}
		s, err := load(t.pkg)
		if err != nil {
			return nil, err
		}
		for _, b := range s.bugs() {
			if key := s.key(b); wanted.MatchString(t.name) || wanted.MatchString(key) {
				all = append(all, drawn{t, s, b, d.lot(key)})
			}
		}
	}
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Compare(a.lot, b.lot) })
	var batches []batch
	n := 0
	for _, x := range all {
		if n == d.n {
			break
		}
		if !x.source.compiles(x.bug.file, x.source.planted(x.bug)) {
			continue
		}
		n++
		k := slices.IndexFunc(batches, func(b batch) bool { return b.table == x.table })
		if k < 0 {
			k, batches = len(batches), append(batches, batch{table: x.table, source: x.source})
		}
		batches[k].bugs = append(batches[k].bugs, x.bug)
	}
	slices.SortFunc(batches, func(a, b batch) int { return cmp.Compare(a.table.name, b.table.name) })
	fmt.Printf("%d of about %d possible mutants, seed %d\n", n, len(all), d.seed)
	return batches, nil
}

// mayLive returns how many of n mutants may survive if each mutant survives with the given
// probability. More than this number survive in at most one draw in a thousand.
func mayLive(n int, rate float64) int {
	exactly := math.Pow(1-rate, float64(n)) // probability of k survivors
	most := exactly                         // probability of at most k survivors
	k := 0
	for ; most < 0.999 && k < n; k++ {
		exactly *= float64(n-k) / float64(k+1) * rate / (1 - rate)
		most += exactly
	}
	return k
}

// plant writes the changed file, and an overlay file that makes the compiler read the changed file.
func (s *source) plant(b bug, text []byte, work string) (overlay string, err error) {
	path, err := filepath.Abs(filepath.Join(s.pkg, s.names[b.file]))
	if err != nil {
		return "", err
	}
	return writeOverlay(work, map[string][]byte{path: text})
}

// writeOverlay writes an overlay file for go build, which replaces the files at some paths by the
// given texts.
func writeOverlay(work string, texts map[string][]byte) (overlay string, err error) {
	replace := map[string]string{}
	for path, text := range texts {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
		replace[path] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}
