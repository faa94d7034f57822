package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"ccdir/api"
)

const (
	benchHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	benchCall  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sessions_list","arguments":{"state":"lost"}}}` + "\n"
)

// callTimes makes n calls and returns how long each took, in microseconds of the
// median's benchmark.
func callTimes(b *testing.B, w io.Writer, r *bufio.Reader, n int) (times []time.Duration) {
	call := func(line string) {
		if _, err := io.WriteString(w, line); err != nil {
			b.Error(err)
		}
		for {
			answer, err := r.ReadSlice('\n')
			if err != nil {
				b.Error(err)
				return
			}
			if bytes.Contains(answer, []byte(`"id":`)) {
				return
			}
		}
	}
	call(benchHello)
	times = make([]time.Duration, 0, n)
	for range n {
		start := time.Now()
		call(benchCall)
		times = append(times, time.Since(start))
	}
	return times
}

// direct is a session's connection without the bridge.
func (p *place) direct(s api.Session) (net.Conn, *bufio.Reader) {
	p.t.Helper()
	conn, err := net.Dial("unix", p.paths.Socket())
	if err != nil {
		p.t.Fatal(err)
	}
	pre, err := json.Marshal(map[string]string{"token": p.token(s), "session": s.ID, "dir": "/"})
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: ccdir\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n%s\n", api.MCPPath, api.UpgradeMCP, pre)
	r := bufio.NewReaderSize(conn, 64<<10)
	if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		p.t.Fatal(resp, err)
	}
	return conn, r
}

// BenchmarkTool is a call that does next to nothing, with identity, role, policy
// and record: on the socket, through the bridge, and by 64 clients.
func BenchmarkTool(b *testing.B) {
	b.Run("socket", func(b *testing.B) {
		p := benchPlace(b)
		conn, r := p.direct(p.create(api.NewSession{Argv: sh("exec sleep 1000")}))
		defer conn.Close()
		b.ReportAllocs()
		b.ResetTimer()
		report(b, callTimes(b, conn, r, b.N))
	})
	b.Run("bridge", func(b *testing.B) {
		p := benchPlace(b)
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
		cmd := exec.Command(shimPath, "mcp")
		cmd.Env = append(os.Environ(), "CCDIR_SOCKET="+p.paths.Socket(), "CCDIR_SESSION="+s.ID, "CCDIR_TOKEN="+p.token(s))
		br := startBridge(b, cmd)
		b.ResetTimer()
		report(b, callTimes(b, br.in, br.out, b.N))
	})
	b.Run("64-clients", func(b *testing.B) {
		p := benchPlace(b)
		s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
		var mu sync.Mutex
		var times []time.Duration
		var wg sync.WaitGroup
		b.ResetTimer()
		for range 64 {
			conn, r := p.direct(s)
			defer conn.Close()
			wg.Go(func() {
				mine := callTimes(b, conn, r, b.N/64+1)
				mu.Lock()
				times = append(times, mine...)
				mu.Unlock()
			})
		}
		wg.Wait()
		report(b, times)
		b.ReportMetric(float64(len(times))/b.Elapsed().Seconds(), "calls/s")
	})
}

// BenchmarkBridgeStart is from the start of the bridge's process to the answer to
// the first request.
func BenchmarkBridgeStart(b *testing.B) {
	p := benchPlace(b)
	s := p.create(api.NewSession{Argv: sh("exec sleep 1000")})
	env := append(os.Environ(), "CCDIR_SOCKET="+p.paths.Socket(), "CCDIR_SESSION="+s.ID, "CCDIR_TOKEN="+p.token(s))
	var times []time.Duration
	b.ResetTimer()
	for range b.N {
		cmd := exec.Command(shimPath, "mcp")
		cmd.Env = env
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		_, err = io.WriteString(in, benchHello)
		if err == nil {
			_, err = bufio.NewReader(out).ReadSlice('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		in.Close()
		_ = cmd.Wait()
	}
	report(b, times)
}
