package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// batch is a set of bugs in one package that share a test binary.
type batch struct {
	table  *table
	source *source
	bugs   []bug
}

// suite is a test binary that contains a batch.
type suite struct {
	testRun
	binary string
	tests  []probed // fastest first
	skip   []probed // tests that fail even without an active bug, because function bodies are duplicated
}

// probed is a test with its run time and the bugs that it reaches.
type probed struct {
	name    string
	took    time.Duration
	reached map[int]bool
}

// tryBatch sends a verdict for each bug of the batch. Two kinds of bugs are tried in a separate
// binary: a bug that cannot share a binary, and a surviving bug that is reached by a test in
// suite.skip.
func tryBatch(ctx context.Context, tmp string, b batch, done chan<- verdict) error {
	texts, in, err := b.source.schema(b.bugs)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(tmp, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	overlay, err := writeOverlay(work, texts)
	if err != nil {
		return err
	}
	left := map[int]*verdict{}
	var alone []job
	for k, bug := range b.bugs {
		if !in[k] {
			alone = append(alone, b.alone(k))
			continue
		}
		left[k+1] = &verdict{job: job{b.table, b.source.key(bug), nil}, batched: true}
	}
	for i, r := range b.table.runs {
		if len(left) == 0 {
			break
		}
		s, err := prepare(ctx, work, overlay, i, r)
		if err != nil {
			return fmt.Errorf("%s in %s: %w", b.table.name, r.pkg, err)
		}
		var mu sync.Mutex
		forEach(sorted(left), func(k int) {
			start := time.Now()
			by, reached, err := s.find(ctx, k)
			if names := s.skipped(k); names != nil && by == "" && err == nil {
				one := b.alone(k - 1)
				one.table = &table{name: b.table.name, pkg: b.table.pkg, runs: []testRun{s.only(*longest, names...)}}
				found := try(ctx, tmp, one)
				by, err, reached = found.by, found.err, true
			}
			if i == 0 && by == "" && err == nil && strings.HasPrefix(b.bugs[k-1].what, lockDropped) {
				by, err = b.race(ctx, tmp, s, k)
			}
			mu.Lock()
			defer mu.Unlock()
			v := left[k]
			v.run, v.by, v.err = i, by, err
			v.reached = v.reached || reached
			v.took += time.Since(start)
			if v.by != "" || v.err != nil {
				delete(left, k)
				done <- *v
			}
		})
	}
	for _, k := range sorted(left) {
		done <- *left[k]
	}
	for _, j := range alone {
		done <- try(ctx, tmp, j)
	}
	return nil
}

// alone returns the job that builds one bug of the batch into its own binary.
func (b batch) alone(k int) job {
	return job{b.table, b.source.key(b.bugs[k]), func(work string) (string, error) {
		return b.source.plant(b.bugs[k], b.source.planted(b.bugs[k]), work)
	}}
}

// race runs the tests that reach bug k, a dropped lock, with the race detector.
func (b batch) race(ctx context.Context, tmp string, s *suite, k int) (by string, err error) {
	var names []string
	for _, p := range s.tests {
		if p.reached[k] {
			names = append(names, p.name)
		}
	}
	if names == nil {
		return "", nil
	}
	one, r := b.alone(k-1), s.only(4**longest, names...)
	r.race = true
	one.table = &table{name: b.table.name, pkg: b.table.pkg, runs: []testRun{r}}
	v := try(ctx, tmp, one)
	if v.by != "" {
		v.by += " -race"
	}
	return v.by, v.err
}

func sorted(left map[int]*verdict) []int {
	var out []int
	for k := range left {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// forEach calls f for each element. The flag -parallel is the maximum number of concurrent calls.
func forEach[T any](all []T, f func(T)) {
	todo := make(chan T)
	var workers sync.WaitGroup
	for range *parallel {
		workers.Go(func() {
			for x := range todo {
				f(x)
			}
		})
	}
	for _, x := range all {
		todo <- x
	}
	close(todo)
	workers.Wait()
}

var testName = regexp.MustCompile(`(?m)^(?:Test|Example|Fuzz)\S*$`)

// prepare builds the tests of one package and runs each test without an active bug. It records the
// run time of each test and the bugs that the test reaches.
func prepare(ctx context.Context, work, overlay string, i int, r testRun) (*suite, error) {
	s := &suite{testRun: r, binary: filepath.Join(work, fmt.Sprintf("batch%d", i))}
	if out, err := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", s.binary, r.pkg).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("it does not compile: %w\n%s", err, out)
	}
	list := exec.CommandContext(ctx, s.binary, "-test.list", ".")
	list.Dir = r.pkg
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var wrong error
	forEach(testName.FindAllString(string(out), -1), func(name string) {
		file := filepath.Join(work, fmt.Sprintf("reached%d-%s", i, name))
		by, used, err := test(ctx, s.binary, s.only(*longest, name), "MUTANT_REACHED="+file)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			wrong = err
			return
		}
		text, _ := os.ReadFile(file) // the file is missing if the test reached no bug
		p := probed{name, used, map[int]bool{}}
		for line := range bytes.Lines(text) {
			k, _ := strconv.Atoi(string(bytes.TrimSpace(line)))
			p.reached[k] = true
		}
		if by == endless {
			fmt.Printf("%s: %s takes more than %s of processor time and is skipped\n", r.pkg, name, *longest)
			return
		}
		if by != "" {
			s.skip = append(s.skip, p)
			return
		}
		s.tests = append(s.tests, p)
	})
	slices.SortFunc(s.tests, func(a, b probed) int { return cmp.Compare(a.took, b.took) })
	for _, p := range s.skip {
		fmt.Printf("%s: %s fails in the shared binary and runs separately\n", r.pkg, p.name)
	}
	return s, wrong
}

// only returns a testRun with only the named tests.
func (s *suite) only(limit time.Duration, names ...string) testRun {
	r := s.testRun
	r.limit = limit
	r.flags = append(slices.Clone(r.flags), "-test.run", "^("+strings.Join(names, "|")+")$")
	return r
}

// skipped returns the tests in s.skip that reach bug k.
func (s *suite) skipped(k int) (names []string) {
	for _, p := range s.skip {
		if p.reached[k] {
			names = append(names, p.name)
		}
	}
	return names
}

// find runs the tests that reach bug k, the fastest test first.
func (s *suite) find(ctx context.Context, k int) (by string, reached bool, err error) {
	var names []string
	var sum time.Duration
	step := 200 * time.Millisecond
	run := func() {
		if len(names) > 0 && by == "" && err == nil {
			by, _, err = test(ctx, s.binary, s.only(10*time.Second+4*sum, names...), fmt.Sprintf("MUTANT=%d", k))
		}
		names, sum = nil, 0
	}
	for _, t := range s.tests {
		if !t.reached[k] {
			continue
		}
		reached = true
		if sum += t.took; sum > step {
			sum -= t.took
			run()
			step *= 4
			sum = t.took
		}
		names = append(names, t.name)
	}
	run()
	return by, reached, err
}

// tryBatches tries the batches one after another.
func tryBatches(ctx context.Context, tmp string, batches []batch) <-chan verdict {
	done := make(chan verdict)
	go func() {
		defer close(done)
		for _, b := range batches {
			if err := tryBatch(ctx, tmp, b, done); err != nil {
				done <- verdict{job: job{b.table, "all of " + b.table.name, nil}, err: err}
			}
		}
	}()
	return done
}
