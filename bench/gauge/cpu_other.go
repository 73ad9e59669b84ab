//go:build !linux

package gauge

import "time"

var start = time.Now()

// CPU returns the time since the process started, because processor time is available only on
// Linux.
func CPU() time.Duration { return time.Since(start) }

// ThreadCPU returns the result of CPU.
func ThreadCPU() time.Duration { return CPU() }

// HasThreadCPU reports whether ThreadCPU measures a single thread, not the whole process.
const HasThreadCPU = false
