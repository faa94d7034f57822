package mcpbridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		code <- Main(in, bridgeOut, &stderr, []string{EnvMCPSocket + "=" + socket, "CCDIR_TOKEN=t0", "CCDIR_SESSION=s0"})
	}()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	line, err := r.ReadString('\n')
	var pre preamble
	if err != nil || json.Unmarshal([]byte(line), &pre) != nil || pre.Token != "t0" || pre.Session != "s0" || !filepath.IsAbs(pre.Dir) {
		t.Fatalf("preamble %q, %v", line, err)
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
	if line, err = bufio.NewReader(out).ReadString('\n'); err != nil || line != "answer\n" {
		t.Fatalf("%q, %v", line, err)
	}
	agent.Close()
	if c := <-code; c != 0 {
		t.Errorf("exit %d", c)
	}
}

func TestNoDaemon(t *testing.T) {
	for _, env := range [][]string{nil, {EnvMCPSocket + "=" + filepath.Join(t.TempDir(), "none")}} {
		var stderr bytes.Buffer
		if c := Main(strings.NewReader(""), io.Discard, &stderr, env); c != 1 || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("exit %d, %q", c, stderr.String())
		}
	}
}
