//go:build !linux

package gauge

import "time"

var start = time.Now()

// CPU returns the time since the process started: processor time is available on Linux only.
func CPU() time.Duration { return time.Since(start) }

// ThreadCPU returns the result of CPU.
func ThreadCPU() time.Duration { return CPU() }

// HasThreadCPU reports whether ThreadCPU measures the thread and not the process.
const HasThreadCPU = false
