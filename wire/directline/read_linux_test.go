package directline

import (
	"net"
	"path/filepath"
	"testing"
	"time"
)

// TestReadFails: a failed read is no bytes, whatever the system's call counts.
func TestReadFails(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nc, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := &lineConn{UnixConn: nc.(*net.UnixConn)}
	peer, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write([]byte("unread")); err != nil {
		t.Fatal(err)
	}
	_ = peer.Close() // what it has not read makes that a reset
	if n, err := c.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("a reset: %d bytes, %v", n, err)
	}
	_ = nc.SetReadDeadline(time.Unix(1, 0))
	if n, err := c.Read(make([]byte, 8)); n != 0 || err == nil {
		t.Errorf("a deadline: %d bytes, %v", n, err)
	}
}
