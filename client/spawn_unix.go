//go:build unix

package client

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// markEach sets close-on-exec on the descriptors that dir lists.
func markEach(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("cannot list open descriptors: %w", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd) // fails for the closed descriptor of dir itself
		}
	}
	return nil
}

// ownSession makes a process the leader of a session of its own: no terminal,
// no signal of ours reaches it.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
