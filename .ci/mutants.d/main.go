// Mutants plants one bug at a time and sees that the tests find it. A bug that they let
// live is a hole in the tests: the mutant survived, and the exit code is 1.
//
// The bugs are in the text files beside this one, a file for each package, which is
// all that a further package needs:
//
//	module  ./cluster                            the folder of its module, if that is not this one
//	package ./wheel                              the package whose tests are run
//	first   -test.run ^TestModel$ -wheel.ops …   flags of the first run, …
//	then    -test.skip ^TestModel$               … and of the next one, if the first found nothing
//	also    ./engine -test.short                 the tests of a package that uses it, after those
//
//	== next round's last instant                 a mutant: what is wrong
//	why an entry goes a level too high           what follows from it
//	in level.go                                  a file of the package
//	-due > f.next                                old text, lines that begin with - or a space
//	+due >= f.next                               new text, lines that begin with + or a space
//
// The old text must be in the file exactly once, or the table is out of date: exit code 2.
// It need not be whole lines. A mutant may have more than one "in". No file of the tree
// is changed: the compiler is told to read another one in its place (go help build,
// -overlay).
//
// A table is written by those who write the tests. With -made N the bugs are made up instead: N
// of all that the operators in operators.go find in the packages of made/*.txt, chosen by -seed; or
// with -share 0.01 one in a hundred of them, as many as that may be.
// Those that nobody could tell from the code as it is, or that live for a reason, stand in
// docs/mutants.md, in a line that begins with the name in backquotes.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	dir      = flag.String("dir", ".ci/mutants.d", "where the tables are")
	only     = flag.String("only", "", "run only the mutants whose table or name matches this regular expression")
	parallel = flag.Int("parallel", 2, "how many at a time")
	prefix   = flag.String("exec", "", "a program to run the test binaries with")
	dry      = flag.Bool("n", false, "run nothing: only see that the old text of every mutant is there")
	made     = flag.Int("made", 0, "make up so many mutants, in the place of those in the tables")
	share    = flag.Float64("share", 0, "make up this share of all mutants, from 0 to 1, in the place of those in the tables")
	seed     = flag.Uint64("seed", 1, "with -made and -share: which ones")
	list     = flag.String("known", "docs/mutants.md", "with -made and -share: the page that has those that may live")
	// Whoever makes up bugs has just seen the tests pass, so that nothing is calibrated.
	longest = flag.Duration("longest", time.Minute, "with -made and -share: what the tests of one package may take of the processor, several times of what they do")
	quick   = flag.Bool("quick", false, "only the first run of each table, and none of those that may live")
	alive   = flag.Float64("alive", 0, "with -made and -share: the rate at which mutants may survive, beside those in docs/mutants.md")
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
	known, err := readKnown(*list)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return 2
	}
	tables, err := readTables(*dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return 2
	}
	tmp, err := os.MkdirTemp("", "mutants")
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		return 2
	}
	defer os.RemoveAll(tmp)

	var jobs []job
	var batches []batch
	if *made > 0 || *share > 0 {
		tables = nil
		if batches, err = makeUp(filepath.Join(*dir, "made"), wanted, draw{*seed, *made, *share}); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			return 2
		}
		for i := range batches {
			b := &batches[i]
			if *quick { // those that may live have all tests run, for nothing
				b.bugs = slices.DeleteFunc(b.bugs, func(x bug) bool { return known[b.source.key(x)] })
			}
			for k := range b.bugs {
				jobs = append(jobs, b.alone(k))
			}
		}
		batches = slices.DeleteFunc(batches, func(b batch) bool { return len(b.bugs) == 0 })
	}
	for _, t := range tables {
		picked := 0
		for _, m := range t.mutants {
			if wanted.MatchString(t.name) || wanted.MatchString(m.name) {
				jobs = append(jobs, job{t, m.name, func(work string) (string, error) { return m.plant(t.pkg, work) }})
				picked++
			}
		}
		if picked == 0 || *dry {
			continue
		}
		fmt.Printf("%s: %d mutants\n", t.name, picked)
		if err := calibrate(ctx, tmp, t); err != nil {
			fmt.Fprintln(os.Stderr, "mutants:", err)
			return 2
		}
	}
	if len(jobs) == 0 {
		fmt.Fprintln(os.Stderr, "mutants: no mutant matches", *only)
		return 2
	}
	if *dry {
		return plantAll(tmp, jobs)
	}
	if batches != nil {
		return judge(jobs, tryBatches(ctx, tmp, batches), known)
	}
	return judge(jobs, tryAll(ctx, tmp, jobs), known)
}

// plantAll sees that every mutant could be planted.
func plantAll(tmp string, jobs []job) int {
	code := 0
	for _, j := range jobs {
		if _, err := j.plant(tmp); err != nil {
			fmt.Printf("%s, %s: %v\n", j.table.name, j.name, err)
			code = 2
		}
	}
	return code
}

// calibrate runs the tests without a mutant. Tests that fail by themselves would find
// anything; and a mutant hangs if it takes many times as long.
func calibrate(ctx context.Context, tmp string, t *table) error {
	for i := range t.runs {
		t.runs[i].limit = 5 * time.Minute
	}
	v := try(ctx, tmp, job{t, "unchanged", func(work string) (string, error) { return mutant{}.plant(t.pkg, work) }})
	if v.err != nil {
		return fmt.Errorf("%s, unchanged: %w", t.name, v.err)
	}
	if v.by != "" {
		return fmt.Errorf("%s, unchanged, fails in %s", t.name, v.by)
	}
	for i, took := range v.runs {
		t.runs[i].limit = 10*time.Second + 4*took
	}
	return nil
}

// tryAll sends back a verdict for each job, as they come.
func tryAll(ctx context.Context, tmp string, jobs []job) <-chan verdict {
	todo, done := make(chan job), make(chan verdict)
	var workers sync.WaitGroup
	for range *parallel {
		workers.Go(func() {
			for j := range todo {
				done <- try(ctx, tmp, j)
			}
		})
	}
	go func() {
		for _, j := range jobs {
			todo <- j
		}
		close(todo)
		workers.Wait()
		close(done)
	}()
	return done
}

// judge prints the verdicts and returns the exit code.
func judge(jobs []job, verdicts <-chan verdict, known map[string]bool) int {
	start, first, survived, excused, wrong := time.Now(), 0, 0, 0, 0
	for v := range verdicts {
		word := "killed"
		switch {
		case v.err != nil:
			wrong++
			word = "ERROR"
		case v.by == "" && known[v.name]:
			excused++
			word = "known"
		case v.by == "":
			survived++
			word = "SURVIVED"
			if v.batched && !v.reached {
				v.by = "no test comes by"
			}
		case v.run == 0:
			first++
		}
		fmt.Printf("%-8s  %-8s %-55s %s (%.0f s)\n", word, v.table.name, v.name, v.by, v.took.Seconds())
		if v.err != nil {
			fmt.Println(v.err)
		}
	}
	fmt.Printf("%d mutants, %d killed, %d of them by the first run, %d survived, %d known to, %d could not be planted, in %.0f s\n",
		len(jobs), len(jobs)-survived-excused-wrong, first, survived, excused, wrong, time.Since(start).Seconds())
	if *alive > 0 {
		fmt.Printf("%d may: where %.3g%% of all live, more do so in one draw of a thousand\n", mayLive(len(jobs), *alive), 100**alive)
	}
	switch {
	case wrong > 0:
		return 2
	case survived > mayLive(len(jobs), *alive):
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
	run  int    // number of the run that found it
	by   string // the test that did; "" if none
	err  error  // it could not be planted or did not compile
	took time.Duration
	runs []time.Duration // of the processor, by run

	batched, reached bool // whether it was tried beside others, and whether a test came by it then
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
	runs := j.table.runs
	if *quick {
		runs = runs[:1]
	}
	for i, r := range runs {
		binary, ok := binaries[r.pkg]
		if !ok {
			binary = filepath.Join(work, fmt.Sprintf("test%d", i))
			build := []string{"-C", cmp.Or(r.module, "."), "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", binary}
			if r.race {
				build = append(build, "-race")
			}
			if out, err := exec.CommandContext(ctx, "go", append(build, r.inModule())...).CombinedOutput(); err != nil {
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

// waits is how many times its limit of the processor's time a run may take of the clock's. It is far more than any
// needs: on a busy machine what is sound waits long for its turn, and to end it then would be taken for a kill. What
// waits for ever is ended by runAwake, and what turns in a circle by the limit of the processor's time.
const waits = 60

// endless is what stands for the test that found a bug where none came to its end.
const endless = "a test that does not end"

// bounds are the limits of a run, for a shell: each has a command of its own, since some shells take no more than one at a time.
func (r testRun) bounds() string {
	seconds := fmt.Sprintf("ulimit -t %d", int(r.limit.Seconds()))
	if r.race { // its shadow alone is more
		return seconds
	}
	return "ulimit -v 4000000 && " + seconds
}

// test runs the tests once and returns the one that failed, and what they used of the
// processor. A bug may eat memory: it gets 4 GB of addresses.
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

// finder reads from the end of the tests and their output which one failed.
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
	if w, ok := exit.Sys().(syscall.WaitStatus); ok && w.Signaled() && w.Signal() == syscall.SIGKILL { // the limit of the processor's time
		return endless, nil
	}
	// The innermost of those that failed is printed last.
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
	return "", fmt.Errorf("the tests ended in a way of their own: %w\n%s", err, out)
}

// plant writes the changed files and the overlay that names them.
func (m mutant) plant(pkg, work string) (overlay string, err error) {
	texts := map[string][]byte{}
	for _, e := range m.edits {
		path, err := filepath.Abs(filepath.Join(pkg, e.file))
		if err != nil {
			return "", err
		}
		text, ok := texts[path]
		if !ok {
			if text, err = os.ReadFile(path); err != nil {
				return "", err
			}
		}
		if n := bytes.Count(text, []byte(e.old)); n != 1 {
			return "", fmt.Errorf("the table is out of date: %d times in %s:\n%s", n, e.file, e.old)
		}
		texts[path] = bytes.Replace(text, []byte(e.old), []byte(e.new), 1)
	}
	return writeOverlay(work, texts)
}
