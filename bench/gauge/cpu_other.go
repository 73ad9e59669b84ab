//go:build !linux

package gauge

import "time"

var start = time.Now()

// CPU returns the time since the process began: what it has used of the processors is asked
// for on Linux only.
func CPU() time.Duration { return time.Since(start) }

// ThreadCPU returns what CPU does.
func ThreadCPU() time.Duration { return CPU() }

// HasThreadCPU says that ThreadCPU is about the thread, and not about the process.
const HasThreadCPU = false
