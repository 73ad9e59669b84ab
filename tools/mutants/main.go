// Mutants generates small bugs from the code and checks that the tests find them. A bug that no
// test finds has survived; write a test that finds it. The exit code is 1 if more bugs survive than
// -alive allows, and 2 if a bug could not be tried.
//
// The files in the folder packages name the packages, one file per package:
//
//	package ./wheel              the package in which bugs are planted
//	first                        the tests of the package, with flags
//	also    ./engine             the tests of another package, run if the first tests find no bug
//
// The kinds of bugs are in operators.go. Which bugs are drawn depends on -seed and on the name of
// each bug. No file of the tree changes, because the compiler reads the changed file through
// -overlay.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

var (
	dir      = flag.String("dir", "tools/mutants/packages", "folder of the package files")
	only     = flag.String("only", "", "regular expression of packages, or of names of mutants")
	parallel = flag.Int("parallel", 2, "number of mutants tested at a time")
	prefix   = flag.String("exec", "", "program that runs the test binaries")
	made     = flag.Int("made", 30, "number of mutants")
	seed     = flag.Uint64("seed", 1, "seed of the draw")
	longest  = flag.Duration("longest", time.Minute, "limit of processor time for the tests of one package")
	alive    = flag.Float64("alive", 0, "allowed rate of survivors")
)

func main() {
	flag.Parse()
	os.Exit(run(context.Background()))
}

func run(ctx context.Context) int {
	wanted, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants: -only:", err)
		return 2
	}
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return 2
	}
	defer os.RemoveAll(tmp)
	batches, err := makeUp(*dir, wanted, draw{*seed, *made})
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return 2
	}
	count := 0
	for _, b := range batches {
		count += len(b.bugs)
	}
	if count == 0 {
		fmt.Fprintln(os.Stderr, "mutants: no mutant matches", *only)
		return 2
	}
	return judge(count, tryBatches(ctx, tmp, batches))
}

// judge prints the verdicts and returns the exit code.
func judge(count int, verdicts <-chan verdict) int {
	start, first, survived, wrong := time.Now(), 0, 0, 0
	for v := range verdicts {
		word := "killed"
		switch {
		case v.err != nil:
			wrong++
			word = "ERROR"
		case v.by == "":
			survived++
			word = "SURVIVED"
			if v.batched && !v.reached {
				v.by = "no test reaches it"
			}
		case v.run == 0:
			first++
		}
		fmt.Printf("%-8s  %-8s %-55s %s (%.0f s)\n", word, v.table.name, v.name, v.by, v.took.Seconds())
		if v.err != nil {
			fmt.Println(v.err)
		}
	}
	fmt.Printf("%d mutants, %d killed, %d of them by the first run, %d survived, %d could not be planted, in %.0f s\n",
		count, count-survived-wrong, first, survived, wrong, time.Since(start).Seconds())
	if *alive > 0 {
		fmt.Printf("%d may survive: at a rate of %.3g%%, more do in one draw of a thousand\n", mayLive(count, *alive), 100**alive)
	}
	switch {
	case wrong > 0:
		return 2
	case survived > mayLive(count, *alive):
		return 1
	}
	return 0
}

type job struct {
	table *table
	name  string
	plant func(work string) (overlay string, err error)
}

type verdict struct {
	job
	run  int    // index of the run that found the bug
	by   string // the test that found the bug; "" if it survived
	err  error  // the bug could not be planted or does not compile
	took time.Duration
	runs []time.Duration // processor time by run

	batched, reached bool // the bug was tried in a shared binary, and was reached by a test there
}

// try plants the mutant and runs the tests.
func try(ctx context.Context, tmp string, j job) verdict {
	v, start := verdict{job: j}, time.Now()
	work, err := os.MkdirTemp(tmp, "")
	if err != nil {
		v.err = err
		return v
	}
	defer os.RemoveAll(work)
	overlay, err := j.plant(work)
	if err != nil {
		v.err = err
		return v
	}
	binaries := map[string]string{}
	for i, r := range j.table.runs {
		binary, ok := binaries[r.pkg]
		if !ok {
			binary = filepath.Join(work, fmt.Sprintf("test%d", i))
			build := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary}
			if r.race {
				build = append(build, "-race")
			}
			if out, err := exec.CommandContext(ctx, "go", append(build, r.pkg)...).CombinedOutput(); err != nil {
				v.err = fmt.Errorf("it does not compile: %w\n%s", err, out)
				return v
			}
			binaries[r.pkg] = binary
		}
		var used time.Duration
		v.by, used, v.err = test(ctx, binary, r)
		v.run, v.runs = i, append(v.runs, used)
		if v.by != "" || v.err != nil {
			break
		}
	}
	v.took = time.Since(start)
	return v
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// waits limits the wall-clock time of a run to a multiple of its limit of processor time. The
// multiple is large, because a test that is slow on a busy machine must not count as a test that
// found the bug. Deadlocked tests are ended earlier by runAwake, and infinite loops by the limit of
// processor time.
const waits = 60

// endless is reported instead of the name of a test if a run does not end.
const endless = "a test that does not end"

// bounds returns shell commands that limit a run. Each limit has a separate command, because some
// shells accept only one limit per command.
func (r testRun) bounds() string {
	seconds := fmt.Sprintf("ulimit -t %d", int(r.limit.Seconds()))
	if r.race { // the race detector's shadow memory alone is larger than 4 GB
		return seconds
	}
	return "ulimit -v 4000000 && " + seconds
}

// test runs the tests once. It returns the name of the test that failed, or "" if none failed, and
// the processor time. The address space is limited to 4 GB, because a bug may allocate without end.
func test(ctx context.Context, binary string, r testRun, environment ...string) (by string, used time.Duration, err error) {
	args := append([]string{"-c", r.bounds() + ` && exec "$@"`, "sh"}, strings.Fields(*prefix)...)
	args = append(args, binary, "-test.failfast", "-test.timeout", (waits * r.limit).String())
	cmd := exec.CommandContext(ctx, "sh", append(args, r.flags...)...)
	cmd.Dir = r.pkg
	cmd.Env = append(os.Environ(), environment...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = runAwake(cmd)
	if cmd.ProcessState != nil {
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	by, err = finder(err, out.Bytes())
	return by, used, err
}

// finder returns the name of the failed test, which it finds in the exit status and the output of
// the tests.
func finder(err error, out []byte) (string, error) {
	var exit *exec.ExitError
	switch {
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return "", errors.New("the flags name no test")
	case err == nil:
		return "", nil
	case !errors.As(err, &exit):
		return "", err
	case bytes.Contains(out, []byte("panic: test timed out")):
		return endless, nil
	}
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() && w.Signal() == syscall.SIGKILL { // the limit of processor time
		return endless, nil
	}
	// The innermost failed test is printed last.
	if names := failed.FindAllSubmatch(out, -1); names != nil {
		return string(names[len(names)-1][1]), nil
	}
	if bytes.Contains(out, []byte("WARNING: DATA RACE")) {
		return "a data race", nil
	}
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte("panic: ")) || bytes.HasPrefix(line, []byte("fatal error: ")) {
			return string(bytes.TrimSpace(line)), nil
		}
	}
	return "", fmt.Errorf("unexpected end of the tests: %w\n%s", err, out)
}
