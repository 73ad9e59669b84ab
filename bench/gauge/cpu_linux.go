package gauge

import (
	"syscall"
	"time"
	"unsafe"
)

// The clocks of clock_gettime.
const (
	processClock = 2
	threadClock  = 3
)

// CPU returns the processor time that the process has used, all its threads together.
func CPU() time.Duration { return clock(processClock) }

// ThreadCPU returns the processor time of the running thread. Two calls are about the same
// thread only between runtime.LockOSThread and UnlockOSThread.
func ThreadCPU() time.Duration { return clock(threadClock) }

// HasThreadCPU says that ThreadCPU is about the thread, and not about the process.
const HasThreadCPU = true

func clock(id uintptr) time.Duration {
	var t syscall.Timespec
	if _, _, err := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0); err != 0 {
		panic("gauge: clock_gettime: " + err.Error())
	}
	return time.Duration(t.Nano())
}
