// Package login keeps what belongs to a login of the user and is used by sessions, which outlive
// it.
package login

import (
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// EnvSSHAgent names the socket of the ssh agent. It belongs to a login, and sessions outlive logins: they get
// the path of a link (paths.SSHAgent), which the next login renews.
const EnvSSHAgent = "SSH_AUTH_SOCK"

// Renew points the link at the ssh agent of this login, if that answers and is of the user
// uid, and returns env with the link in its place. It keeps the login's display (WithDisplay).
// Inside a session it changes nothing.
func Renew(p paths.Paths, uid int, env []string) []string {
	socket, at := "", -1
	for i, kv := range env {
		switch key, value, _ := strings.Cut(kv, "="); key {
		case EnvSSHAgent:
			socket, at = value, i
		case api.EnvSession:
			return env
		}
	}
	renewDisplay(p, uid, env)
	link := p.SSHAgent()
	if at < 0 || socket == link || CheckSSHAgent(socket, uid) != nil || pointAt(link, socket) != nil {
		return env
	}
	out := append([]string(nil), env...)
	out[at] = EnvSSHAgent + "=" + link
	return out
}

// pointAt makes a symbolic link, or replaces it in one step.
func pointAt(link, target string) error {
	if now, err := os.Readlink(link); err == nil && now == target {
		return nil
	}
	next := link + "." + strconv.Itoa(os.Getpid())
	_ = os.Remove(next) // of a process that was killed
	if err := os.Symlink(target, next); err != nil {
		return err
	}
	return os.Rename(next, link)
}

// agentTime bounds the connection with an ssh agent, which accepts at once.
const agentTime = 200 * time.Millisecond

// CheckSSHAgent returns why no ssh agent of the user answers at socket; nil: one accepts.
func CheckSSHAgent(socket string, uid int) error {
	info, err := os.Stat(socket)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int64(st.Uid) != int64(uid) || info.Mode().Type() != os.ModeSocket {
		return &os.PathError{Op: "use", Path: socket, Err: syscall.EPERM}
	}
	conn, err := net.DialTimeout("unix", socket, agentTime)
	if err != nil {
		return err
	}
	return conn.Close()
}
