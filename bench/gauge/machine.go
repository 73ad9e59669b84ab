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

// Machine says where and of what something was measured.
type Machine struct {
	OS, Arch, CPU, Memory, Go, Commit, Command, Date string

	Processors int

	// Busy says what else the machine did, and with what priority the process ran; "" if it is not known.
	Busy string `json:",omitempty"`
}

// Same reports whether another one is as this one, as far as is known.
func (m *Machine) Same(as *Machine) bool {
	return m.OS == as.OS && m.Arch == as.Arch && m.CPU == as.CPU && m.Processors == as.Processors && m.Memory == as.Memory
}

// Busy returns how many programs want a processor, on average of the last minute, and whether this process
// runs before them; "" where that cannot be known.
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

// realTime reports whether this process runs before all that are scheduled as usual.
func realTime() bool {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name may have anything in it
	fields := strings.Fields(after)
	const policy, fifo, roundRobin = 38, "1", "2" // the 41st of all
	return len(fields) > policy && (fields[policy] == fifo || fields[policy] == roundRobin)
}

// ThisMachine returns what is to be known, with the commit of the folder that the process
// runs in.
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

// procLine returns what follows the name in a file of /proc, or that it is not known.
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

// commit returns the commit of the tree, and whether more than a report and texts differ from
// it: a report writes those itself.
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
