package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ccdir/api"
)

// suiteDaemon measures what only ccdir has: hooks, tool calls, steps of the queue. The
// limits are the system's times for the least work that each of them has to do.
func suiteDaemon(ctx context.Context, o options) ([]result, error) {
	sys := &ccdir{bin: o.bin}
	home, remove, err := tempDir("daemon")
	if err != nil {
		return nil, err
	}
	defer remove()
	sys.home = home
	defer sys.stop()
	server, err := sys.server(ctx)
	if err != nil {
		return nil, err
	}
	b := &hookBench{shim: filepath.Join(o.bin, "ccdir-shim"), daemon: server.PID, socket: server.Socket}
	sessions, err := b.start(ctx, 1)
	if err != nil {
		return nil, err
	}
	n := 40 * o.rounds
	var out []result
	for _, f := range []func() (result, error){
		func() (result, error) { return commandResult(ctx, sys, n) },
		func() (result, error) { return hookResult(ctx, b, sessions[0], n) },
		func() (result, error) { return toolResult(ctx, b, sessions[0], 5*n) },
		func() (result, error) { return queueResult(ctx, b, home, n) },
	} {
		r, err := f()
		if err != nil {
			return nil, err
		}
		out = append(out, r.finish())
	}
	return out, nil
}

// times calls f n times and returns the median in milliseconds.
func times(ctx context.Context, n int, f func() error) (float64, error) {
	var took []float64
	for range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(start).Seconds()*1e3)
	}
	return median(took), nil
}

// paired calls two functions in turn and returns the medians of both.
func paired(ctx context.Context, n int, limit, ours func() error) (float64, float64, error) {
	var a, b []float64
	for range n {
		x, err := times(ctx, 1, limit)
		if err != nil {
			return 0, 0, err
		}
		y, err := times(ctx, 1, ours)
		if err != nil {
			return 0, 0, err
		}
		a, b = append(a, x), append(b, y)
	}
	return median(a), median(b), nil
}

// nothing starts the smallest process there is.
func nothing() error { return exec.Command("/bin/true").Run() }

// commandResult is `ccdir ls`, as scripts call it.
func commandResult(ctx context.Context, sys *ccdir, n int) (result, error) {
	limit, ours, err := paired(ctx, n, nothing, func() error {
		_, err := sys.run(ctx, "ls")
		return err
	})
	return result{ID: "command", Title: "ccdir ls (limit: /bin/true)", Unit: "ms", Limit: &limit, Ccdir: ours}, err
}

// hookResult is a hook process from its start to its end, including the state change
// and the event in the log.
func hookResult(ctx context.Context, b *hookBench, h *hooked, n int) (result, error) {
	i := 0
	limit, ours, err := paired(ctx, n, nothing, func() error {
		hook, payload := marked(i)
		i++
		cmd := exec.CommandContext(ctx, b.shim, "hook", hook)
		cmd.Env, cmd.Stdin = h.env, bytes.NewReader(payload)
		return cmd.Run()
	})
	return result{ID: "hook", Title: "hook round trip (limit: /bin/true)", Unit: "ms", Limit: &limit, Ccdir: ours}, err
}

const (
	toolHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"
	toolCall  = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sessions_list","arguments":{"state":"lost"}}}` + "\n"
)

// piped is a program that answers a line with a line.
type piped struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPiped(env []string, argv ...string) (*piped, error) {
	p := &piped{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Env, p.cmd.Stderr = env, os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	return p, p.cmd.Start()
}

// call writes a line and reads up to the line that answers it; notifications
// have no id.
func (p *piped) call(line string) error {
	if _, err := io.WriteString(p.in, line); err != nil {
		return err
	}
	for {
		answer, err := p.out.ReadSlice('\n')
		if err != nil {
			return err
		}
		if bytes.Contains(answer, []byte(`"error":`)) {
			return fmt.Errorf("a tool call failed: %s", answer)
		}
		if bytes.Contains(answer, []byte(`"id":`)) {
			return nil
		}
	}
}

func (p *piped) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// toolResult is a call over MCP through the bridge, with role, policy and record.
func toolResult(ctx context.Context, b *hookBench, h *hooked, n int) (r result, err error) {
	cat, err := startPiped(os.Environ(), "cat")
	if err != nil {
		return r, err
	}
	defer cat.close()
	bridge, err := startPiped(h.env, b.shim, "mcp")
	if err != nil {
		return r, err
	}
	defer bridge.close()
	if err := bridge.call(toolHello); err != nil {
		return r, err
	}
	limit, ours, err := paired(ctx, n, func() error { return cat.call(toolCall) }, func() error { return bridge.call(toolCall) })
	return result{ID: "mcp", Title: "MCP call (limit: a line through cat)", Unit: "ms", Limit: &limit, Ccdir: ours}, err
}

// queueResult is one step of the queue, stored and answered: the cancelling of a task.
func queueResult(ctx context.Context, b *hookBench, home string, n int) (r result, err error) {
	client := unixClient(b.socket)
	defer client.CloseIdleConnections()
	list := make([]api.NewTask, n)
	for i := range list {
		list[i].Prompt, list[i].CWD = "wait for a person", "/"
	}
	if err := callJSON(ctx, client, http.MethodPost, "/v1/queue", api.QueueChange{Mode: api.QueueManual}, &struct{}{}); err != nil {
		return r, err
	}
	var added []api.Task
	if err := callJSON(ctx, client, http.MethodPost, "/v1/tasks", list, &added); err != nil {
		return r, err
	}
	disk, err := os.Create(filepath.Join(home, "disk"))
	if err != nil {
		return r, err
	}
	defer disk.Close()
	i := 0
	limit, ours, err := paired(ctx, n, func() error {
		if _, err := disk.WriteString(strings.Repeat("x", 4096)); err != nil {
			return err
		}
		return disk.Sync()
	}, func() error {
		i++
		return callJSON(ctx, client, http.MethodPost, "/v1/tasks/"+added[i-1].ID+"/cancel", nil, &struct{}{})
	})
	return result{ID: "queue", Title: "queue step (limit: 4 KB to the disk)", Unit: "ms", Limit: &limit, Ccdir: ours}, err
}
