package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/bufftick/bufftick/store/storetest"
)

// strace runs a command and records the system calls with which it changes a file, as bbolt
// really makes them. Each write of 8 bytes to the file with the same name plus ".acks" is an
// acknowledgement.
func strace(cmd *exec.Cmd, file string) (*storetest.Trace, error) {
	start, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &tracer{file: file, trace: &storetest.Trace{Start: start}, inside: map[int]bool{}}
	s.do = s.record
	return s.trace, s.start(cmd)
}

// tracer watches the system calls of a command.
type tracer struct {
	main   int
	file   string
	trace  *storetest.Trace
	inside map[int]bool // threads that are in a system call

	do func(thread int, regs *syscall.PtraceRegs) error // called after each system call
}

// errKill is returned by tracer.do to kill the command.
var errKill = errors.New("kill the child")

func (s *tracer) start(cmd *exec.Cmd) error {
	runtime.LockOSThread() // ptrace is bound to the thread that starts the command
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.main = cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.main, &status, 0, nil); err != nil {
		return err
	}
	const exitKill = 0x100000
	err := syscall.PtraceSetOptions(s.main, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill)
	if err != nil {
		return err
	}
	if err := syscall.PtraceSyscall(s.main, 0); err != nil {
		return err
	}
	return s.run()
}

// run returns when the command has ended.
func (s *tracer) run() (killed error) {
	for {
		var status syscall.WaitStatus
		thread, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return err
		case status.Exited() || status.Signaled():
			if thread != s.main {
				continue
			}
			if killed != nil {
				return killed
			}
			if status.ExitStatus() != 0 {
				return fmt.Errorf("the child ended with %d", status.ExitStatus())
			}
			return nil
		}
		deliver := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			if s.inside[thread] = !s.inside[thread]; !s.inside[thread] && killed == nil {
				var regs syscall.PtraceRegs
				err := syscall.PtraceGetRegs(thread, &regs)
				if err == syscall.ESRCH { // the thread has ended with the process
					continue
				}
				if err == nil {
					err = s.do(thread, &regs)
				}
				if err == errKill {
					killed = err
					err = syscall.Kill(s.main, syscall.SIGKILL)
				}
				if err != nil {
					return err
				}
			}
		case sig != syscall.SIGTRAP && sig != syscall.SIGSTOP:
			deliver = int(sig)
		}
		if err := syscall.PtraceSyscall(thread, deliver); err != nil && err != syscall.ESRCH {
			return err
		}
	}
}

// fd returns the path of a file descriptor of the command.
func (s *tracer) fd(n uint64) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", s.main, n))
	return name
}

// record adds a system call to the trace.
func (s *tracer) record(_ int, regs *syscall.PtraceRegs) error {
	switch regs.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FTRUNCATE, syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
	default:
		return nil
	}
	name := s.fd(regs.Rdi)
	if !strings.HasPrefix(name, s.file) {
		return nil
	}
	if int64(regs.Rax) < 0 {
		return fmt.Errorf("system call %d of %s failed: %d", regs.Orig_rax, name, int64(regs.Rax))
	}
	op := storetest.Op{At: int64(regs.R10)}
	switch regs.Orig_rax {
	case syscall.SYS_FTRUNCATE:
		op.Kind, op.At = storetest.Truncate, int64(regs.Rsi)
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		op.Kind = storetest.Sync
	default:
		op.Kind, op.Data = storetest.Write, make([]byte, regs.Rax)
		if err := s.peek(op.Data, int64(regs.Rsi)); err != nil {
			return err
		}
		if name == s.file+".acks" {
			op = storetest.Op{Kind: storetest.Ack, At: int64(binary.BigEndian.Uint64(op.Data))}
		} else if regs.Orig_rax == syscall.SYS_WRITE {
			return fmt.Errorf("a write to %s without a place", name)
		}
	}
	s.trace.Ops = append(s.trace.Ops, op)
	return nil
}

// peek reads memory of the command.
func (s *tracer) peek(b []byte, at int64) error {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", s.main))
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = mem.ReadAt(b, at)
	return err
}
