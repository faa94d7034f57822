// Package proc provides facts about processes and connections that the standard library
// lacks: when a process started, whether a remembered process still runs, and which user is
// at the other end of a unix socket.
//
// A pid alone does not identify a process, since pids are reused; together with the start
// time it does. Nothing here blocks.
package proc

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// StartTime returns an opaque string that, together with the pid, identifies one
// process, also across reboots. The error is os.ErrNotExist (by errors.Is) when no such
// process runs.
func StartTime(pid int) (string, error) { return startTime(pid) }

// Boot returns an opaque string that changes with each start of the machine, ""
// if the system does not tell.
func Boot() string {
	id, _ := bootID()
	return id
}

// Alive reports whether the process of that pid and start time runs; a zombie does not, unless it is
// a first thread that ended before others: until they end the process keeps its files and locks.
// With start "" any process of that pid counts. If the start time cannot be read (too
// many open files, for example), a process of that pid counts too, because callers
// clean up after a process that is reported dead. Signal checks again before it
// signals.
func Alive(pid int, start string) bool {
	if pid <= 0 || zombie(pid) {
		return false
	}
	now, err := startTime(pid)
	switch {
	case err == nil:
		return start == "" || now == start
	case errors.Is(err, os.ErrNotExist):
		return false
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// Sure reports whether the process of that pid is known to have that start time; a
// zombie counts.
func Sure(pid int, start string) bool {
	now, err := startTime(pid)
	return pid > 0 && err == nil && now == start
}

// PeerUID returns the user id of the process that connected the other end of c.
func PeerUID(c *net.UnixConn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	uid := -1
	var opErr error
	if err := raw.Control(func(fd uintptr) { uid, opErr = peerUID(int(fd)) }); err != nil {
		return -1, err
	}
	return uid, opErr
}

// ErrOtherUser: the process that listens at a socket belongs to another user.
var ErrOtherUser = errors.New("the socket is served by another user: somebody may be after your sessions; remove it")

// CheckListener returns an error unless the process that listens at the other end of
// fd, a connected unix socket, belongs to the user uid. Clients call it before they
// send a secret: sockets lie in /tmp, where another user can create one after the
// directory was removed.
func CheckListener(fd uintptr, uid int) error {
	owner, err := peerUID(int(fd))
	if err == nil && owner != uid {
		err = ErrOtherUser
	}
	return err
}

// CheckDialled is CheckListener for a connection.
func CheckDialled(c syscall.Conn, uid int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var refused error
	if err := raw.Control(func(fd uintptr) { refused = CheckListener(fd, uid) }); err != nil {
		return err
	}
	return refused
}

// maxAge is the age of this process up to which Began is trusted: in sandboxes where
// the clocks of boot and process differ, the result would be arbitrary.
const maxAge = 10 * time.Minute

// Began is when this process was forked, which on a busy machine is long before its
// first instruction; now, if the system does not tell. Its precision is a clock tick
// (10 ms on Linux), rounded up but never later than now: if a process begins after
// another one called Began, its own time is never earlier than the other's.
func Began() time.Time {
	at, err := began()
	if now := time.Now(); err != nil || at.After(now) || now.Sub(at) > maxAge {
		return now
	}
	return at
}
