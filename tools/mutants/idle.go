package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// patience is the number of seconds after which a process that uses no processor time is killed.
// This is needed because a deadlocked test never reaches its limit of processor time. Tests do not
// sleep, so a process is stuck if all its threads have been blocked for this time. A thread that
// waits for a busy processor does not count as blocked.
const patience = 12

// runAwake runs a command. It kills the command if it has been idle for the number of seconds in
// "patience".
func runAwake(cmd *exec.Cmd) error {
	cmd.WaitDelay = 5 * time.Second // for child processes that keep the output open
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
				_ = cmd.Process.Kill() // the process may have exited
				return
			}
		}
	}()
	err := cmd.Wait()
	close(ended)
	<-watched
	return err
}

// activity returns the processor time that a process and its descendants have used, in clock ticks.
// The result "awake" reports whether any of their threads is runnable. Without /proc, "awake" is
// always true.
func activity(root int) (used int64, awake bool) {
	if runs(root) {
		return 0, true
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
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

// runs reports whether a thread of the process is runnable or waits for a disk. It also reports
// true if the threads cannot be read.
func runs(pid int) bool {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, path := range threads {
		if s := readStat(path); s.state == 'R' || s.state == 'D' {
			return true
		}
	}
	return len(threads) == 0
}

// stat is the kernel's state of a process or thread.
type stat struct {
	pid, parent int
	state       byte
	used        int64 // clock ticks
}

// readStat reads a stat file. If the process has exited, readStat returns the zero value.
func readStat(path string) (s stat) {
	text, err := os.ReadFile(path)
	_, rest, ok := bytes.Cut(text, []byte(") ")) // the fields after the process name
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
