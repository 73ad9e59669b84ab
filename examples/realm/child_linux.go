package main

import "syscall"

// childAttr has a node die with the world, whatever ends that, and not hear the interrupt of a terminal, which is the world's.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
