//go:build unix

package client

import (
	"errors"
	"syscall"
)

// ownSession makes a process the leader of a session of its own: no terminal,
// no signal of ours reaches it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// processExists reports whether a process has that id.
func processExists(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
