package main

import "syscall"

// childAttr returns the attributes of a child process. The child is killed when this process ends.
// It has its own process group, so that an interrupt from the terminal reaches only this process.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
