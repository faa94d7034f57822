package mcpserver

import (
	"bufio"
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// benchCall measures a tool that does next to nothing over a unix socket.
func benchCall(b *testing.B, dir string) {
	sockets, err := os.MkdirTemp("", "mcpb")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(sockets)
	l, err := net.Listen("unix", filepath.Join(sockets, "s"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	s := New(Options{LogDir: b.TempDir(), RoleTools: func(string) []string { return []string{"nop"} }})
	nop := define("nop", "does nothing", traits{reads: true}, func(context.Context, *request, projectIn) (*projectIn, error) { return &projectIn{}, nil })
	s.mcp.AddTool(nop.tool, s.handler(nop))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if conn, err := l.Accept(); err == nil {
			_ = s.Serve(context.Background(), conn, bufio.NewReader(conn), Caller{Role: "dev", Dir: dir})
		}
	}()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	r := bufio.NewReader(conn)
	call := func(line string) {
		if _, err := conn.Write([]byte(line + "\n")); err != nil {
			b.Fatal(err)
		}
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	call(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nop","arguments":{}}}`)
	}
	conn.Close()
	<-done
}

func BenchmarkCall(b *testing.B) { benchCall(b, b.TempDir()) }
