package main

import "syscall"

// childAttr makes a node die when this process ends, and puts the node into its own process group,
// so that an interrupt from the terminal only reaches this process.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
