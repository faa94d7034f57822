package proc

import (
	"bufio"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is the user nobody, on most systems.
const nobody = 65534

const tcpTable = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1D0A 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:D2F0 0100007F:1D0A 06 00000000:00000000 03:00000EE5 00000000     0        0 0 3 0000000000000000
   2: 0100007F:D2F0 0100007F:1D0A 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:1D0A 0100007F:D2F0 01 00000000:00000000 00:00000000 00000000 65534        0 4713 1 0000000000000000 20 4 30 10 -1
   4: 0100007F:D2F1 0100007F:1D0A 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000
   5: 0100007F:D2F2 0100007F:1D0A 01 00000000:00000000 00:00000000 00000000    -1        0 4714 1
   6: 0100007F:D2F3 0100007F:1D0A 01 00000000:00000000
`

// TestParseTCP: a line tells user and inode of the one end that is asked for.
func TestParseTCP(t *testing.T) {
	to := netip.MustParseAddrPort("127.0.0.1:7434")
	for _, c := range []struct {
		port  uint16
		want  tcpSocket
		found bool
	}{
		{0xD2F0, tcpSocket{1000, "4712"}, true}, // and not the line of the port's last use
		{0xD2F1, tcpSocket{0, "0"}, true},
		{0xD2F2, tcpSocket{}, false},
		{0xD2F3, tcpSocket{}, false},
		{1, tcpSocket{}, false},
	} {
		from := netip.AddrPortFrom(to.Addr(), c.port)
		if got, found := parseTCP([]byte(tcpTable), procAddr(from), procAddr(to)); got != c.want || found != c.found {
			t.Errorf("port %d: %+v %v, want %+v %v", c.port, got, found, c.want, c.found)
		}
	}
	if got, found := parseTCP([]byte(tcpTable), procAddr(to), procAddr(netip.MustParseAddrPort("127.0.0.1:54000"))); !found || got.uid != nobody {
		t.Errorf("the other direction: %+v %v", got, found)
	}
	if got := procAddr(mapped(to)); got != "0000000000000000FFFF00000100007F:1D0A" {
		t.Errorf("mapped: %s", got)
	}
}

// FuzzTCPTable: whatever the list holds, what is found is a user and an inode.
func FuzzTCPTable(f *testing.F) {
	f.Add([]byte(tcpTable))
	f.Add([]byte("1: 0100007F:D2F0 0100007F:1D0A"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, found := parseTCP(data, "0100007F:D2F0", "0100007F:1D0A"); found && (s.uid < 0 || s.inode == "") {
			t.Errorf("%+v", s)
		}
	})
}

// connected is a connection within this machine that leads from a socket of that
// family; the caller closes both ends.
func connected(t *testing.T, family int) (client *os.File, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skipf("the machine has no such sockets: %v", err)
	}
	client = os.NewFile(uintptr(fd), "client")
	port := l.Addr().(*net.TCPAddr).Port
	var to unix.Sockaddr = &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	if family == unix.AF_INET6 {
		to = &unix.SockaddrInet6{Port: port, Addr: [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}}
	}
	if err := unix.Connect(fd, to); err != nil {
		t.Skipf("no such connections: %v", err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// TestTCPMapped: a connection by IPv4 that leads from a socket of IPv6, as programs
// of the JVM make.
func TestTCPMapped(t *testing.T) {
	client, server := connected(t, unix.AF_INET6)
	defer client.Close()
	defer server.Close()
	if holders, _, err := TCPHolders(server, os.Getuid()); err != nil || !slices.Equal(holders, []int{os.Getpid()}) {
		t.Errorf("%v, %v", holders, err)
	}
}

// TestTCPInFlight: a socket that is in flight is held by nobody, and is not gone.
func TestTCPInFlight(t *testing.T) {
	client, server := connected(t, unix.AF_INET)
	defer server.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(int(client.Fd())), nil, 0); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if holders, _, err := TCPHolders(server, os.Getuid()); err != nil || len(holders) > 0 {
		t.Errorf("%v, %v", holders, err)
	}
	if uid, err := TCPUser(server); err != nil || uid != os.Getuid() {
		t.Errorf("the user is %d, %v", uid, err)
	}
}

// TestMain lets this program be the processes of TestLoginServer.
func TestMain(m *testing.M) {
	if os.Getenv("CCDIR_TEST_LOGIN") == "" {
		os.Exit(m.Run())
	}
	_, _ = os.Stdout.WriteString(strconv.Itoa(os.Getpid()) + "\n")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test ends it
}

// TestLoginServer: the fork of a server of root that runs as the user is one; what
// the user starts, or is another program, is none.
func TestLoginServer(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user: run the tests as root, as CI does")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "cc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(name string, uid uint32) int {
		t.Helper()
		program := filepath.Join(dir, name)
		// By a process of its own: what this one has open for writing cannot be run.
		if out, err := exec.Command("cp", "--remove-destination", exe, program).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = "/", []string{"CCDIR_TEST_LOGIN=1"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	same := filepath.Base(exe)
	if pid := run(same, nobody); !LoginServer(pid, nobody) || LoginServer(pid, 0) {
		t.Errorf("a fork of this program as another user: %v, as root %v", LoginServer(pid, nobody), LoginServer(pid, 0))
	}
	if pid := run("other", nobody); LoginServer(pid, nobody) {
		t.Error("another program as another user is one")
	}
	if pid := run(same, 0); LoginServer(pid, 0) {
		t.Error("a child of the same user is one")
	}
	if LoginServer(1, 0) {
		t.Error("the first process is one")
	}
}
