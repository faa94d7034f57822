package rawio

import (
	"context"
	"net"
)

// dialSlowly connects by the runtime's own means, which wait where they have to.
func dialSlowly(ctx context.Context, path string) (*Conn, error) {
	nc, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return NewConn(nc.(*net.UnixConn))
}
