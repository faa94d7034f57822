package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/wire"
)

// callMain is a process that makes one call (CCDIR_TEST_CALL: socket, method,
// path and body, a line each) and prints the answer's status and body. The method
// DIAL dials a host: path is the ticket, the body what is tried there. TCP calls an
// address, as the body says (tcpTry), RELAY copies between it and a port. STREAM reads until the text that is the body comes. HAND connects to the socket and sends the
// connection to whoever started the process (handOver). RING makes the call that is described
// as for TCP, by io_uring. EACH makes the calls that are the lines of the body (eachCall).
func callMain() int {
	part := strings.SplitN(os.Getenv("CCDIR_TEST_CALL"), "\n", 4)
	socket, method, path := part[0], part[1], part[2]
	if method == "DIAL" {
		if err := dialHost(socket, path, strings.Trim(part[3], `"`)); err != nil {
			fmt.Println("refused", err)
			return 0
		}
		fmt.Println("200")
		return 0
	}
	if method == "HELLO" { // as DIAL, by one who does not ask who listens
		if err := sayHello(socket, path); err != nil {
			fmt.Println("refused", err)
			return 0
		}
		fmt.Println("200")
		return 0
	}
	if method == "HAND" {
		fmt.Println(handOver(socket))
		return 0
	}
	if method == "RELAY" {
		if err := relayed(socket); err != nil {
			return 1
		}
		return 0
	}
	if method == "RING" {
		fmt.Println(callByRing(socket, path, part[3]))
		return 0
	}
	if method == "TCP" {
		fmt.Println(callTCP(socket, path, part[3]))
		return 0
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	if method == "EACH" {
		return eachCall(&client, strings.Split(part[3], "\n"))
	}
	mark := ""
	if method == "STREAM" {
		method, mark, part[3] = "GET", strings.Trim(part[3], `"`), ""
	}
	req, err := http.NewRequest(method, "http://ccdir"+path, strings.NewReader(part[3]))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer resp.Body.Close()
	body, chunk := []byte{}, make([]byte, 4096)
	for n := 0; err == nil && (mark == "" || !strings.Contains(string(body), mark)); body = append(body, chunk[:n]...) {
		n, err = resp.Body.Read(chunk)
	}
	fmt.Println(resp.StatusCode, strings.TrimSpace(string(body)))
	return 0
}

// eachCall makes calls ("METHOD path") without a body and prints the status of each.
func eachCall(client *http.Client, calls []string) int {
	for _, call := range calls {
		method, path, _ := strings.Cut(call, " ")
		req, err := http.NewRequest(method, "http://ccdir"+path, nil)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println(err)
			continue
		}
		resp.Body.Close() // streams too
		fmt.Println(resp.StatusCode)
	}
	return 0
}

// sayHello greets a host and returns its refusal.
func sayHello(socket, ticket string) error {
	nc, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	conn := wire.NewConn(nc)
	defer conn.Close()
	// It may have hung up already: the reason can be read all the same.
	_ = conn.Send(&wire.Hello{Ticket: ticket, ProtocolMin: wire.ProtocolMin, ProtocolMax: wire.ProtocolMax})
	m, err := conn.Receive()
	if refused, ok := m.(*wire.Error); ok && err == nil {
		return refused
	}
	return err
}

// tries are what a connection that begins by looking goes on with.
var tries = map[string]wire.Message{
	"input": &wire.Input{Type: wire.InputKey, Text: []byte("x")},
	"size":  &wire.View{Visible: true, Cols: 33, Rows: 11},
	"claim": &wire.View{Visible: true, Claim: true},
	"keys":  &wire.Request{ID: 1, Method: wire.MethodKeys, Params: json.RawMessage(`{"keys":["x"]}`)},
}

// dialHost connects to a host: try is "" for a connection that may type, "looks"
// for one that may not, or one of tries. The error is the host's refusal.
func dialHost(socket, ticket, try string) error {
	conn, _, err := wire.Dial(context.Background(), socket, wire.Hello{Ticket: ticket, ReadOnly: try == "looks", Looks: tries[try] != nil})
	if err != nil {
		return err
	}
	defer conn.Close()
	const ping = 2
	for _, m := range []wire.Message{tries[try], &wire.Request{ID: ping, Method: wire.MethodPing}} {
		if m != nil {
			_ = conn.Send(m) // the answer tells
		}
	}
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *wire.Error:
			return m
		case *wire.Response:
			if m.ID == ping {
				return nil
			}
		}
	}
}

// inner is a session whose shell makes calls.
type inner struct {
	p   *place
	s   api.Session
	dir string
	n   int
}

// inner starts a session that runs the commands that are typed into it.
func (p *place) inner(n api.NewSession) *inner {
	p.t.Helper()
	dir := p.t.TempDir()
	n.Argv = sh(`while read -r line; do eval "$line"; done`)
	return &inner{p: p, s: p.create(n), dir: dir}
}

// how the process that calls is started: %s is the program with its environment.
const (
	asChild    = "%s"
	asDetached = "(setsid env -i %s &)"
)

func ways() []string {
	if runtime.GOOS == "linux" {
		return []string{asChild, asDetached}
	}
	return []string{asChild} // nobody adopts what detached itself
}

// call makes a call from inside the session and returns what it printed.
func (i *inner) call(how, method, path string, body any) string {
	i.p.t.Helper()
	return i.run(how, i.p.paths.Socket(), method, path, body)
}

func (i *inner) run(how, socket, method, path string, body any) string {
	i.p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		i.p.t.Fatal(err)
	}
	data := []byte{}
	if body != nil {
		if data, err = json.Marshal(body); err != nil {
			i.p.t.Fatal(err)
		}
	}
	i.n++
	script, out := filepath.Join(i.dir, fmt.Sprint("call", i.n)), filepath.Join(i.dir, fmt.Sprint("out", i.n))
	call := fmt.Sprintf("CCDIR_TEST_CALL=%s %s >%s.part", quoted(strings.Join([]string{socket, method, path, string(data)}, "\n")), exe, out)
	inner := "sh " + script
	if err := os.WriteFile(script, []byte(call+"; mv "+out+".part "+out+"\n"), 0o700); err != nil {
		i.p.t.Fatal(err)
	}
	i.p.call("POST", "/v1/sessions/"+i.s.ID+"/input/raw", api.RawInput{Data: []byte(fmt.Sprintf(how, inner) + "\n")}, nil)
	var got []byte
	until(i.p.t, "the call from inside", func() bool {
		got, err = os.ReadFile(out)
		return err == nil
	})
	return strings.TrimSpace(string(got))
}

// outside makes a call from a process that is not below the session.
func outside(t *testing.T, env []string, socket, method, path string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(env, "CCDIR_TEST_CALL="+strings.Join([]string{socket, method, path, ""}, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(bytes.TrimSpace(out))
}

// demoWithoutStatus makes sessions whose agent reports no status, which would speak
// against the requests that a test makes in its place.
const demoWithoutStatus = "default_agent = \"demo\"\n[agents.demo]\nargs = [\"--no-psp\"]\n"
