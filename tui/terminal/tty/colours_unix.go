//go:build unix

package tty

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group, which ends with its context.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
