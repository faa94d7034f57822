//go:build unix && !linux

package runner

import "syscall"

// signalTree signals the group. Without /proc, descendants in a session of their own
// are not found.
func signalTree(pid int, _ string, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }

func killTree(pid int, _ string) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
