package main

import "syscall"

const adopts = true

func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }
