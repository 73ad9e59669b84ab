package bolt

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"github.com/bufftick/bufftick/store/storetest"
)

// strace runs a command and records what it does to one file by system calls: what bbolt really
// asks the kernel for, not what its code is thought to. What the command writes to the file of that
// name with ".acks" behind it are its acknowledgements, 8 bytes each.
func strace(cmd *exec.Cmd, file string) (*storetest.Trace, error) {
	start, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread() // the one that may ask for what it traces
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	main := cmd.Process.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(main, &status, 0, nil); err != nil {
		return nil, err
	}
	const exitKill = 0x100000
	err = syscall.PtraceSetOptions(main, syscall.PTRACE_O_TRACECLONE|syscall.PTRACE_O_TRACESYSGOOD|exitKill)
	if err != nil {
		return nil, err
	}
	if err := syscall.PtraceSyscall(main, 0); err != nil {
		return nil, err
	}
	s := &tracer{main: main, file: file, trace: &storetest.Trace{Start: start}, inside: map[int]bool{}}
	return s.trace, s.run()
}

type tracer struct {
	main   int
	file   string
	trace  *storetest.Trace
	inside map[int]bool // threads in the middle of a system call
}

func (s *tracer) run() error {
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
			if status.ExitStatus() != 0 {
				return fmt.Errorf("the child ended with %d", status.ExitStatus())
			}
			return nil
		}
		deliver := 0
		switch sig := status.StopSignal(); {
		case sig == syscall.SIGTRAP|0x80:
			if s.inside[thread] = !s.inside[thread]; !s.inside[thread] {
				if err := s.call(thread); err != nil {
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

// call looks at a system call that has returned.
func (s *tracer) call(thread int) error {
	var regs syscall.PtraceRegs
	if err := syscall.PtraceGetRegs(thread, &regs); err != nil {
		return err
	}
	switch regs.Orig_rax {
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64, syscall.SYS_FTRUNCATE, syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
	default:
		return nil
	}
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", s.main, regs.Rdi))
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

// peek reads memory of the child.
func (s *tracer) peek(b []byte, at int64) error {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", s.main))
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = mem.ReadAt(b, at)
	return err
}
