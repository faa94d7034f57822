package proc

import (
	"net"
	"os"
)

// Ancestor is one process of a chain of parents.
type Ancestor struct {
	PID int
	// Start is the value of StartTime.
	Start string
	// Name is the short program name that the system keeps: at most 15 bytes, chosen by
	// the program itself, so a hint and no proof.
	Name string
}

// maxAncestors bounds a chain: parents are read one after another while processes come
// and go, so the chain may contain a cycle.
const maxAncestors = 512

// Ancestors returns the process pid, its parent, and so on up to the first process of
// the system, as they are now: a process whose parent has ended has a new parent, and
// the chain continues there. The error is os.ErrNotExist (by errors.Is) when pid does
// not run; a chain that breaks further up is returned as far as it goes.
func Ancestors(pid int) (chain []Ancestor, err error) {
	err = EachAncestor(pid, func(a Ancestor) bool { chain = append(chain, a); return true })
	return chain, err
}

// EachAncestor calls see for each of Ancestors, until it returns false. Each one costs
// reading a file.
func EachAncestor(pid int, see func(a Ancestor) bool) error {
	for n := 0; pid > 0 && n < maxAncestors; n++ {
		a, parent, err := ancestor(pid)
		if err != nil && n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if !see(a) {
			return nil
		}
		if pid = parent; pid <= 0 {
			return nil
		}
	}
	if pid <= 0 {
		return os.ErrNotExist
	}
	return nil
}

// Environ returns the environment that a process of the same user was started with, as
// KEY=VALUE. Later changes are not visible.
func Environ(pid int) ([]string, error) { return environ(pid) }

// PeerPID returns the process that connected the other end of c. It may have ended
// since, or passed the connection to another process.
func PeerPID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	pid := 0
	var opErr error
	if err := raw.Control(func(fd uintptr) { pid, opErr = peerPID(int(fd)) }); err != nil {
		return 0, err
	}
	return pid, opErr
}
