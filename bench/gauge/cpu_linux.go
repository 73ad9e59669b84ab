package gauge

import (
	"syscall"
	"time"
	"unsafe"
)

// The clock ids of clock_gettime.
const (
	processClock = 2
	threadClock  = 3
)

// CPU returns the processor time that all threads of the process have used.
func CPU() time.Duration { return clock(processClock) }

// ThreadCPU returns the processor time of the current thread. Call runtime.LockOSThread before two
// calls of ThreadCPU, so that both refer to the same thread.
func ThreadCPU() time.Duration { return clock(threadClock) }

// HasThreadCPU reports whether ThreadCPU measures a single thread, not the whole process.
const HasThreadCPU = true

func clock(id uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, err := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		panic("gauge: clock_gettime: " + err.Error())
	}
	return time.Duration(t.Nano())
}
