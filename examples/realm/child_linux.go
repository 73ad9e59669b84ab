package main

import "syscall"

// childAttr returns attributes with which a child process is killed when this process ends. The
// child has its own process group, so that an interrupt from the terminal reaches only this
// process.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
