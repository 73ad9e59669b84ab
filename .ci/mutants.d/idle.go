package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// A bug that waits for ever uses no processor, and the limit of what a run may use does not end it. Tests
// here do not sleep: when all threads of a run, and of what it has started, have been asleep for so long,
// nothing wakes them any more. Those that wait for their turn on a busy machine are not asleep.
const patience = 12

// runAwake runs a command and kills it when it has been idle for patience looks, a second apart.
func runAwake(cmd *exec.Cmd) error {
	cmd.WaitDelay = 5 * time.Second // for what it has started and leaves behind with its output
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		look := time.NewTicker(time.Second)
		defer look.Stop()
		before, idle := int64(-1), 0
		for {
			select {
			case <-ended:
				return
			case <-look.C:
			}
			used, awake := activity(cmd.Process.Pid)
			if idle++; awake || used > before+1 {
				idle = 0
			}
			before = used
			if idle >= patience {
				_ = cmd.Process.Kill() // it may just have ended
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	return err
}

// activity returns what a process and its descendants have used of the processor, in clock ticks, and whether one
// of their threads runs or would. If one of its own does, the others are not looked at. Where there is no /proc
// they always do.
func activity(root int) (used int64, awake bool) {
	if runs(root) {
		return 0, true
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	children := map[int][]stat{}
	for _, path := range stats {
		s := readStat(path)
		children[s.parent] = append(children[s.parent], s)
		if s.pid == root {
			used += s.used
		}
	}
	for todo := []int{root}; len(todo) > 0; todo = todo[1:] {
		for _, s := range children[todo[0]] {
			used, awake = used+s.used, awake || runs(s.pid)
			todo = append(todo, s.pid)
		}
	}
	return used, awake
}

// runs reports whether a thread of a process runs or would, or waits for a disk. One that cannot be looked at does.
func runs(pid int) bool {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, path := range threads {
		if s := readStat(path); s.state == 'R' || s.state == 'D' {
			return true
		}
	}
	return len(threads) == 0
}

// stat is what the kernel says of a process or of a thread.
type stat struct {
	pid, parent int
	state       byte
	used        int64 // clock ticks
}

// readStat reads one, or nothing of what has ended.
func readStat(path string) (s stat) {
	text, err := os.ReadFile(path)
	_, rest, ok := bytes.Cut(text, []byte(") ")) // behind its name
	fields := bytes.Fields(rest)
	if err != nil || !ok || len(fields) < 13 {
		return s
	}
	number := func(b []byte) int {
		n, _ := strconv.Atoi(string(b))
		return n
	}
	pid, _, _ := bytes.Cut(text, []byte(" "))
	return stat{number(pid), number(fields[1]), fields[0][0], int64(number(fields[11]) + number(fields[12]))}
}
