package proc

import (
	"errors"
	"net"
	"net/netip"
)

// ErrTCPUser: the other end of a TCP connection is a socket of another user.
var ErrTCPUser = errors.New("the connection comes from another user")

// TCPHolders finds the processes that hold the other end of a TCP connection
// within this machine, among those of the user uid. hidden are processes of the
// user whose files cannot be looked at, so that each of them may be one. Both may
// be empty: a socket can be in flight between processes, or be held by the kernel
// alone (io_uring, a thread with files of its own). Errors: errors.ErrUnsupported
// where the system does not tell, ErrTCPUser if the socket is not the user's,
// fs.ErrNotExist if the other end was closed meanwhile.
func TCPHolders(c net.Conn, uid int) (holders, hidden []int, err error) {
	from, to, err := ends(c)
	if err != nil {
		return nil, nil, err
	}
	return tcpHolders(from, to, uid)
}

// TCPUser is the user whose process made the socket at the other end of a TCP
// connection within this machine. Errors as of TCPHolders.
func TCPUser(c net.Conn) (uid int, err error) {
	from, to, err := ends(c)
	if err != nil {
		return -1, err
	}
	return tcpUser(from, to)
}

// LoginServer reports whether pid looks like the part of a login server (sshd,
// dropbear) that runs as the user uid: a fork of a server of another user (root).
// Such a process keeps its files from the user. Parents below the first process
// alone count: services that it starts as the user are hidden, too.
func LoginServer(pid, uid int) bool { return loginServer(pid, uid) }

// ends are the connection's addresses, seen from the other end.
func ends(c net.Conn) (from, to netip.AddrPort, err error) {
	remote, ok := c.RemoteAddr().(*net.TCPAddr)
	local, localOK := c.LocalAddr().(*net.TCPAddr)
	if !ok || !localOK {
		return from, to, errors.ErrUnsupported
	}
	from, to = remote.AddrPort(), local.AddrPort()
	if remote.IP.To4() != nil {
		from, to = unmapped(from), unmapped(to)
	}
	return from, to, nil
}

// unmapped is an IPv4 address as such, also if it came in the form of IPv6.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
