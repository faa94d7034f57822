package logfile

import "golang.org/x/sys/unix"

// dup makes descriptor to lead where from leads. Standard error is inherited by nobody but
// those to whom it is given explicitly.
func dup(from, to int) error { return unix.Dup3(from, to, closeOnExec(to)) }

func closeOnExec(fd int) int {
	if fd <= 2 {
		return 0
	}
	return unix.O_CLOEXEC
}
