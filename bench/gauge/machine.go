package gauge

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Machine describes the machine and the measured program.
type Machine struct {
	OS, Arch, CPU, Memory, Go, Commit, Command, Date string

	Processors int

	// Busy describes the load of the machine and the priority of the process. It is "" if unknown.
	Busy string `json:",omitempty"`
}

// Same reports whether both descriptions can be of the same machine.
func (m *Machine) Same(as *Machine) bool {
	return m.OS == as.OS && m.Arch == as.Arch && m.CPU == as.CPU && m.Processors == as.Processors && m.Memory == as.Memory
}

// Busy describes the load average of the last minute, and whether this process has real-time
// priority. It returns "" if the load is unknown.
func Busy() string {
	var load float64
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return ""
	}
	if realTime() {
		return fmt.Sprintf("load %.1f, real-time priority", load)
	}
	return fmt.Sprintf("load %.1f", load)
}

// realTime reports whether this process has real-time priority.
func realTime() bool {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ") // skip the process name, which can be any text
	fields := strings.Fields(after)
	const policy, fifo, roundRobin = 38, "1", "2" // index of the field "policy", and two of its values
	return len(fields) > policy && (fields[policy] == fifo || fields[policy] == roundRobin)
}

// ThisMachine describes this machine, with the commit of the current folder.
func ThisMachine() Machine {
	return Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Processors: runtime.NumCPU(),
		CPU:     procLine("/proc/cpuinfo", "model name"),
		Memory:  memory(),
		Commit:  commit(),
		Command: "go -C bench run . " + strings.Join(os.Args[1:], " "),
		Date:    time.Now().UTC().Format(time.DateOnly),
	}
}

// procLine returns the value for a name in a file of /proc, or "not known".
func procLine(file, name string) string {
	f, err := os.Open(file)
	if err != nil {
		return "not known"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if k, v, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return "not known"
}

func memory() string {
	var kb float64
	if _, err := fmt.Sscanf(procLine("/proc/meminfo", "MemTotal"), "%f kB", &kb); err != nil {
		return "not known"
	}
	return fmt.Sprintf("%.0f GB", kb/1e6)
}

// commit returns the commit of the tree, with "-dirty" if files have changed. It ignores files that
// the command "report" writes, which are Markdown files and the files in the folder "report".
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return "not known"
	}
	name := strings.TrimSpace(string(out))
	changes, err := exec.Command("git", "status", "--porcelain", "--", ":/", ":(top,exclude)bench/report", ":(top,exclude)*.md").Output()
	if err != nil || len(changes) > 0 {
		name += "-dirty"
	}
	return name
}
