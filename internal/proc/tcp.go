package proc

import (
	"errors"
	"net"
	"net/netip"
)

// TCPHolders finds the processes that hold the other end of a TCP connection
// within this machine, among those of the user uid. hidden are processes of the
// user whose files cannot be looked at, so that each of them may be one. Errors:
// errors.ErrUnsupported where the system does not tell, fs.ErrNotExist if the
// other end was closed meanwhile.
func TCPHolders(c net.Conn, uid int) (holders, hidden []int, err error) {
	from, ok := c.RemoteAddr().(*net.TCPAddr)
	to, toOK := c.LocalAddr().(*net.TCPAddr)
	if !ok || !toOK {
		return nil, nil, errors.ErrUnsupported
	}
	a, b := from.AddrPort(), to.AddrPort()
	if from.IP.To4() != nil {
		a, b = unmapped(a), unmapped(b)
	}
	return tcpHolders(a, b, uid)
}

// unmapped is an IPv4 address as such, also if it came in the form of IPv6.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
