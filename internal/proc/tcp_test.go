package proc

import (
	"errors"
	"net"
	"os"
	"runtime"
	"slices"
	"testing"
)

func TestTCPHolders(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // told by nobody
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Log(err) // a machine without IPv6
			continue
		}
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		holders, _, err := TCPHolders(c, os.Getuid())
		if err != nil || !slices.Equal(holders, []int{os.Getpid()}) {
			t.Errorf("%s: %v, %v", address, holders, err)
		}
		if holders, _, err := TCPHolders(c, os.Getuid()+1); !errors.Is(err, ErrTCPUser) || len(holders) > 0 {
			t.Errorf("%s: another user's: %v, %v", address, holders, err)
		}
		if uid, err := TCPUser(c); err != nil || uid != os.Getuid() {
			t.Errorf("%s: the user is %d, %v", address, uid, err)
		}
		client.Close()
		if holders, _, err := TCPHolders(c, os.Getuid()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: closed: %v, %v", address, holders, err)
		}
		c.Close()
		l.Close()
	}
}
