package main

import "syscall"

// childAttr kills a node when this process ends, and puts the node into its own process group, so that an
// interrupt from the terminal reaches only this process.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
