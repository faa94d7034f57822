package proc

import (
	"errors"
	"net/netip"
)

// tcpHolders is unsupported: the system tells it only to processes with rights that
// ccdir lacks.
func tcpHolders(netip.AddrPort, netip.AddrPort, int) (holders, hidden []int, err error) {
	return nil, nil, errors.ErrUnsupported
}

// tcpUser is unsupported, as tcpHolders.
func tcpUser(netip.AddrPort, netip.AddrPort) (int, error) { return -1, errors.ErrUnsupported }

// loginServer is never called, since hidden is always empty.
func loginServer(int, int) bool { return false }
