package daemon

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ccdir/api"
)

func init() { inFlight = flight }

// flight has the connection's descriptor in flight over a socketpair when the request
// goes out, which TCP_CORK holds back for 200 ms, and until an answer is there. Then
// it is the same descriptor of c again.
func flight(c *net.TCPConn, request string) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var inside error
	if err := raw.Control(func(fd uintptr) { inside = flightOf(int(fd), c.LocalAddr(), request) }); err != nil {
		return err
	}
	return inside
}

func flightOf(fd int, local net.Addr, request string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	// What takes the descriptor's place keeps the number.
	null, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(null)
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_CORK, 1); err != nil {
		return err
	}
	if _, err := unix.Write(fd, []byte(request)); err != nil {
		return err
	}
	if err := unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(fd), nil, 0); err != nil {
		return err
	}
	if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
		return err
	}
	if err := readable(local); err != nil {
		return err
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[1], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		return errors.Join(err, errors.New("no descriptor came back"))
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	defer unix.Close(fds[0])
	return unix.Dup3(fds[0], fd, unix.O_CLOEXEC)
}

// readable waits until something can be read on the connection, which the system
// tells of sockets that are nobody's, too.
func readable(local net.Addr) error {
	port := fmt.Sprintf(":%04X", local.(*net.TCPAddr).Port)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		table, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 4 && strings.HasSuffix(f[1], port) && f[3] != "0A" && !strings.HasSuffix(f[4], ":00000000") {
				return nil
			}
		}
	}
	return errors.New("no answer came")
}

// TestTCPInFlight: a process inside a session that nobody can see hold its connection
// is not the person, whose token it has, nor another session over MCP.
func TestTCPInFlight(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tools := l.Addr().String()
	l.Close()
	p, address, token := tcpPlace(t, "[mcp]\nlisten = \""+tools+"\"\n")
	in, other := p.inner(api.NewSession{Name: "one", Agent: "claude"}), p.agentSession("two")
	lead := `{"role":"lead"}`
	if got := in.run(asChild, address, "TCP", "/v1/sessions", tcpTry{Method: "GET", Token: token, Flight: true}); !strings.HasPrefix(got, "200 ") {
		t.Fatalf("to look: %s", got)
	}
	for _, how := range ways() {
		for path, body := range map[string]string{
			"/v1/sessions/one/role":      lead,
			"/v1/sessions/two/rename":    `{"name":"three"}`,
			"/v1/sessions/two/input/raw": `{"data":"eQ=="}`,
			"/v1/sessions/two/kill":      `{}`,
		} {
			got := in.run(how, address, "TCP", path, tcpTry{Method: "POST", Token: token, Body: body, Flight: true})
			if !strings.HasPrefix(got, "403 ") || !strings.Contains(got, "who calls cannot be told") {
				t.Errorf("%s: %s: %s", how, path, got)
			}
		}
		if got := in.run(how, tools, "TCP", api.MCPPath, tcpTry{Method: "POST", Token: p.token(other), Body: benchHello, Flight: true}); !strings.HasPrefix(got, "401 ") {
			t.Errorf("%s: MCP: %s", how, got)
		}
	}
	if v := p.get("one"); v.Role != "dev" {
		t.Errorf("its role is %s", v.Role)
	}
	if v := p.get("two"); v.State.Ended() {
		t.Errorf("the other session is %s", v.State)
	}
	if rows := p.decisions("decision=refused"); len(rows) == 0 || !strings.Contains(rows[0].Reason, "who calls cannot be told") {
		t.Errorf("rows %+v", rows)
	}
	p.keptConnection(t, address, token)
}

// keptConnection: each call is looked at, and not each connection.
func (p *place) keptConnection(t *testing.T, address, token string) {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	const path = "/v1/sessions/two/rename"
	call := tcpTry{Method: "POST", Token: token, Body: `{"name":"two"}`}
	for range 2 {
		if got := call.on(nc, address, path); !strings.HasPrefix(got, "200 ") {
			t.Errorf("the person: %s", got)
		}
	}
	call.Flight = true
	if got := call.on(nc, address, path); !strings.HasPrefix(got, "403 ") {
		t.Errorf("the same connection, held by nobody: %s", got)
	}
	call.Flight = false
	if got := call.on(nc, address, path); !strings.HasPrefix(got, "200 ") {
		t.Errorf("the same connection, held by the person again: %s", got)
	}
}

// TestTCPGoneAndRelayed: a call whose process ends before the daemon looks is refused, and a relay
// inside a session has the session's rights.
func TestTCPGoneAndRelayed(t *testing.T) {
	t.Parallel()
	p, address, token := tcpPlace(t, "")
	in := p.inner(api.NewSession{Name: "one", Agent: "claude"})
	p.agentSession("two")
	const path = "/v1/sessions/two/rename"
	call := tcpTry{Method: "POST", Token: token, Body: `{"name":"three"}`}
	for _, how := range ways() {
		call.Gone, call.Relay = false, true
		if got := in.run(how, address, "TCP", path, call); !strings.HasPrefix(got, "403 ") || !strings.Contains(got, "inside a session") {
			t.Errorf("%s: by a relay: %s", how, got)
		}
		call.Gone, call.Relay = true, false
		before := len(p.decisions("decision=refused"))
		if got := in.run(how, address, "TCP", path, call); got != "sent" {
			t.Errorf("%s: and gone: %s", how, got)
		}
		until(t, "the refusal", func() bool { return len(p.decisions("decision=refused")) > before })
	}
	if v := p.get("two"); v.Name != "two" {
		t.Errorf("its name is %s", v.Name)
	}
}

// TestTCPOtherUser: another user who has a token may not even look.
func TestTCPOtherUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be another user: run the tests as root, as CI does")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	tools := l.Addr().String()
	l.Close()
	p, address, token := tcpPlace(t, "[mcp]\nlisten = \""+tools+"\"\n")
	s := p.agentSession("one")
	for _, c := range []struct {
		uid           uint32
		address, path string
		try           tcpTry
		want          string
	}{
		{0, address, "/v1/sessions", tcpTry{Method: "GET", Token: token}, "200 "},
		{0, address, "/v1/sessions/one/rename", tcpTry{Method: "POST", Token: token, Body: `{"name":"one"}`}, "200 "},
		{someoneElse, address, "/v1/sessions", tcpTry{Method: "GET", Token: token}, "403 "},
		{someoneElse, address, "/v1/sessions/one/rename", tcpTry{Method: "POST", Token: token, Body: `{"name":"x"}`}, "403 "},
		{someoneElse, address, "/v1/sessions/one/rename", tcpTry{Method: "POST", Token: token, Body: `{"name":"x"}`, Flight: true}, "403 "},
		{someoneElse, address, "/v1/sessions", tcpTry{Method: "GET", Token: "x"}, "401 "},
		{0, tools, api.MCPPath, tcpTry{Method: "POST", Token: p.token(s), Body: benchHello}, "200 "},
		{someoneElse, tools, api.MCPPath, tcpTry{Method: "POST", Token: p.token(s), Body: benchHello}, "403 "},
	} {
		got := callAs(t, c.uid, c.address, "TCP", c.path, c.try)
		if !strings.HasPrefix(got, c.want) || c.want == "403 " && !strings.Contains(got, "another user (uid 65534)") {
			t.Errorf("uid %d: %s %s: %s, want %s", c.uid, c.try.Method, c.path, got, c.want)
		}
	}
	if v := p.get("one"); v.ID != s.ID {
		t.Errorf("renamed: %+v", v)
	}
	if rows := p.decisions("decision=refused"); len(rows) == 0 || !strings.Contains(rows[0].Reason, "another user (uid 65534)") {
		t.Errorf("rows %+v", rows)
	}
}

func init() { handOver = hand }

// hand sends a connection to the socket over the descriptor 3.
func hand(socket string) error {
	c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	f, err := c.File()
	if err != nil {
		return err
	}
	return unix.Sendmsg(3, []byte("x"), unix.UnixRights(int(f.Fd())), nil, 0)
}

// handed is a connection to the daemon's socket whose process has ended.
func (p *place) handed() net.Conn {
	p.t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer unix.Close(pair[0])
	exe, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = []string{"CCDIR_TEST_CALL=" + p.paths.Socket() + "\nHAND\n\n"}
	theirs := os.NewFile(uintptr(pair[1]), "theirs")
	cmd.ExtraFiles = []*os.File{theirs}
	out, err := cmd.CombinedOutput()
	theirs.Close()
	if err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(pair[0], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		p.t.Fatal(err)
	}
	messages, err := unix.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) == 0 {
		p.t.Fatalf("%v: %s", err, out)
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		p.t.Fatal(err)
	}
	f := os.NewFile(uintptr(fds[0]), "handed")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

// TestTokenOfTheGone: over MCP the token of a session is of no use on a connection
// whose process has ended: that can have been of another session.
func TestTokenOfTheGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.self = os.Getpid() // a process that is found before it ends is not the person's
	p.run()
	s := p.agentSession("one")
	call := tcpTry{Method: "POST", Token: p.token(s), Body: benchHello}
	if got := call.on(p.wire().conn, "ccdir", api.MCPPath); !strings.HasPrefix(got, "200 ") {
		t.Errorf("by this process: %s", got)
	}
	if got := call.on(p.handed(), "ccdir", api.MCPPath); !strings.HasPrefix(got, "401 ") || !strings.Contains(got, "has ended") && !strings.Contains(got, "another session") {
		t.Errorf("by one that has ended: %s", got)
	}
}

// TestHookOfTheGone: nor is it for hooks: a process that connected and ended says nothing of a
// session, whatever token it bears.
func TestHookOfTheGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.self = os.Getpid()
	p.run()
	s := p.agentSession("one")
	hook := func(c net.Conn) int {
		t.Helper()
		const body = `{"hook_event_name":"SessionEnd","reason":"other"}`
		if _, err := fmt.Fprintf(c, "POST /v1/hook HTTP/1.1\r\nHost: ccdir\r\n%s: %s\r\n%s: %s\r\n%s: SessionEnd\r\nContent-Length: %d\r\n\r\n%s",
			api.HeaderSession, s.ID, api.HeaderToken, p.token(s), api.HeaderHook, len(body), body); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if got := hook(p.handed()); got != http.StatusForbidden {
		t.Errorf("by one that has ended: %d", got)
	}
	if now := p.get("one"); now.State == api.StateExiting || now.State.Ended() {
		t.Errorf("it took effect: %s; %s", now.State, p.eventTypes(s.ID))
	}
	own, err := net.Dial("unix", p.paths.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if got := hook(own); got != http.StatusOK {
		t.Errorf("by this process: %d", got)
	}
}
