package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

func TestBridge(t *testing.T) {
	dir, err := os.MkdirTemp("", "mb") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	in, agent := io.Pipe()
	out, bridgeOut := io.Pipe()
	code := make(chan int, 1)
	go func() {
		var stderr bytes.Buffer
		code <- Main(in, bridgeOut, &stderr, []string{api.EnvSocket + "=" + socket, "CCDIR_TOKEN=t0", "CCDIR_SESSION=s0"})
	}()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	req, err := http.ReadRequest(r)
	if err != nil || req.URL.Path != api.MCPPath || req.Header.Get("Upgrade") != api.UpgradeMCP {
		t.Fatalf("%+v, %v", req, err)
	}
	line, err := r.ReadString('\n')
	var pre preamble
	if err != nil || json.Unmarshal([]byte(line), &pre) != nil || pre.Token != "t0" || pre.Session != "s0" || !filepath.IsAbs(pre.Dir) {
		t.Fatalf("preamble %q, %v", line, err)
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(agent, "ask\n"); err != nil {
		t.Fatal(err)
	}
	if line, err = r.ReadString('\n'); err != nil || line != "ask\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := io.WriteString(conn, "answer\n"); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	if line, err = answers.ReadString('\n'); err != nil || line != "answer\n" {
		t.Fatalf("%q, %v", line, err)
	}
	// What was asked before the agent closed its end is answered, and a last line without
	// its end is one.
	if _, err := io.WriteString(agent, "last"); err != nil {
		t.Fatal(err)
	}
	agent.Close()
	if line, err = r.ReadString('\n'); err != nil || line != "last\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if line, err := r.ReadString('\n'); err != io.EOF || line != "" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := io.WriteString(conn, "late\n"); err != nil {
		t.Fatal(err)
	}
	if line, err = answers.ReadString('\n'); err != nil || line != "late\n" {
		t.Fatalf("%q, %v", line, err)
	}
	conn.Close()
	if c := <-code; c != 0 {
		t.Errorf("exit %d", c)
	}
}

func TestNoDaemon(t *testing.T) {
	for _, env := range [][]string{{"CCDIR_HOME=" + t.TempDir()}, {api.EnvSocket + "=" + filepath.Join(t.TempDir(), "none")}} {
		var stderr bytes.Buffer
		if c := Main(strings.NewReader(""), io.Discard, &stderr, env); c != 1 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("exit %d, %q", c, stderr.String())
		}
	}
}

// TestRefused: what the daemon says is what the agent's log shows.
func TestRefused(t *testing.T) {
	for answer, want := range map[string]string{
		"HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n{\"code\":\"forbidden\",\"message\":\"wrong token\"}": "wrong token",
		"HTTP/1.1 404 Not Found\r\n\r\nnothing": "another version",
		"":                                      "does not answer",
		"rubbish\n":                             "does not answer",
	} {
		err := accepted(bufio.NewReader(strings.NewReader(answer)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", answer, err)
		}
	}
}
