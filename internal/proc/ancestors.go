package proc

import (
	"net"
	"os"
)

// Ancestor is one process of a chain of parents.
type Ancestor struct {
	PID int
	// Start is as StartTime has it.
	Start string
	// Name is the short name that the system keeps of the program: at most 15
	// bytes, chosen by the program itself, so a hint and no proof.
	Name string
}

// maxAncestors bounds a chain: a list that was not read at one moment may have
// rings.
const maxAncestors = 512

// Ancestors returns the process pid, its parent, and so on up to the first
// process of the system. It is what can be read now: a process whose parent has
// ended was given another one, by which the chain goes on. The error is
// os.ErrNotExist (by errors.Is) when pid does not run; a chain that breaks
// further up is returned as far as it goes.
func Ancestors(pid int) (chain []Ancestor, err error) {
	err = EachAncestor(pid, func(a Ancestor) bool { chain = append(chain, a); return true })
	return chain, err
}

// EachAncestor is Ancestors one by one, for who looks for one of them: it ends when
// see returns false. Each costs the reading of a file.
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

// Environ returns the environment that a process of the same user was started
// with, as KEY=VALUE. What it changed since is not seen.
func Environ(pid int) ([]string, error) { return environ(pid) }

// PeerPID returns the process that connected the other end of c. It may have
// ended, or handed the connection to another, since then.
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
