package proc

import (
	"errors"
	"net"
	"net/netip"
)

// ErrTCPUser: the other end of a TCP connection is a socket of another user.
var ErrTCPUser = errors.New("the connection comes from another user")

// TCPHolders finds the processes that hold the other end of a TCP connection within
// this machine, among those of the user uid. hidden are processes of the user whose
// files cannot be read, so that each of them may hold it. Both may be empty: a socket
// can be in flight between processes, or held by the kernel alone (io_uring, a thread
// with files of its own). Errors: errors.ErrUnsupported where the system does not tell,
// ErrTCPUser if the socket is not the user's, fs.ErrNotExist if the other end was
// closed meanwhile.
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
// dropbear) that runs as the user uid: a fork of a server of another user (root). The
// user cannot read such a process's files. Only processes whose parent is not the first
// process count: services that it starts as the user are hidden too.
func LoginServer(pid, uid int) bool { return loginServer(pid, uid) }

// ends are the connection's addresses as the other end sees them.
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

// unmapped converts an IPv4-mapped IPv6 address to IPv4.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
