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
func Ancestors(pid int) ([]Ancestor, error) {
	var chain []Ancestor
	for pid > 0 && len(chain) < maxAncestors {
		a, parent, err := ancestor(pid)
		if err != nil {
			if len(chain) > 0 {
				return chain, nil
			}
			return nil, err
		}
		chain = append(chain, a)
		pid = parent
	}
	if len(chain) == 0 {
		return nil, os.ErrNotExist
	}
	return chain, nil
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
