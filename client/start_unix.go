//go:build unix

package client

import "syscall"

// ownSession makes a process the leader of a session of its own: no terminal,
// no signal of ours reaches it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
