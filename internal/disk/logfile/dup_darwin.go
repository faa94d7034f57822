package logfile

import "golang.org/x/sys/unix"

// dup makes descriptor to lead where from leads.
func dup(from, to int) error {
	if err := unix.Dup2(from, to); err != nil || to <= 2 {
		return err
	}
	unix.CloseOnExec(to)
	return nil
}
