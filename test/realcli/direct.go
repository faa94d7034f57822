package realcli

import (
	"context"
	"testing"

	"ccdir/client"
	"ccdir/wire"
)

// direct is a connection to a session's host without a daemon: keys are sent to it as
// by an attached grid.
type direct struct {
	*Live
	conn *wire.Conn
}

// openDirect connects to the session's host.
func openDirect(ctx context.Context, t testing.TB, p *Product, l *Live) *direct {
	t.Helper()
	conn, _, err := p.Client.Host(ctx, l.id, client.HostOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &direct{l, conn}
}

// Type sends the host a key.
func (d *direct) Type(name, _ string) {
	d.t.Helper()
	if err := d.conn.Send(&wire.Input{Type: wire.InputKey, Text: []byte(name)}); err != nil {
		d.t.Errorf("typing %s: %v", name, err)
	}
}
