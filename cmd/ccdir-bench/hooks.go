package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/internal/api"
)

// benchHooks measures the way of a hook: from the start of its process until
// the state is in what `ccdir ls` reads, how many events the listener takes,
// and what the hook's process costs by itself.
func benchHooks(ctx context.Context, o options) error {
	sys := &ccdir{bin: o.bin}
	home, err := os.MkdirTemp("", "ccdir-bench-")
	if err != nil {
		return err
	}
	sys.home = home
	defer sys.stop()
	server, err := sys.server(ctx)
	if err != nil {
		return err
	}
	b := &hookBench{shim: filepath.Join(o.bin, "ccdir-shim"), daemon: server.PID, socket: server.Socket, span: time.Duration(o.seconds) * time.Second}
	one, err := b.start(ctx, 1)
	if err != nil {
		return err
	}
	if err := startupTable(ctx, o, b, one[0]); err != nil {
		return err
	}
	var lines [][]string
	measure := func(list []*hooked, pace time.Duration) error {
		line, err := b.visible(ctx, list, pace)
		lines = append(lines, line)
		return err
	}
	const pace = 200 * time.Millisecond
	for _, p := range []time.Duration{pace, 0} {
		if err := measure(one, p); err != nil {
			return err
		}
	}
	more, err := b.start(ctx, o.hookSessions-1)
	if err != nil {
		return err
	}
	all := append(one, more...)
	for _, p := range []time.Duration{pace, 0} {
		if err := measure(all, p); err != nil {
			return err
		}
	}
	table("hook process start to the state being in GET /v1/sessions", "sessions\tfiring\thooks\thooks/s\tvisible p50\tp95\tprocess p50\tp95\tdaemon CPU/hook*\t", lines)
	fmt.Println("*with what answering the reader costs, who asks again after " + between.String())
	return b.listenerTable(ctx, o, all)
}

// hooked is a session whose hooks are called as its agent would: by a process
// with the environment that the session's own process has.
type hooked struct {
	id  string
	env []string
}

// start starts n sessions of an agent with hooks, whose command is a sleep.
func (b *hookBench) start(ctx context.Context, n int) ([]*hooked, error) {
	client := unixClient(b.socket)
	defer client.CloseIdleConnections()
	var list []*hooked
	for range n {
		var s api.Session
		err := callJSON(ctx, client, http.MethodPost, "/v1/sessions", api.NewSession{Agent: "claude", Argv: []string{"sh", "-c", "exec sleep 100000"}, CWD: "/", Env: cleanEnv()}, &s)
		if err != nil {
			return nil, err
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.PID))
		if err != nil {
			return nil, err
		}
		h := &hooked{id: s.ID, env: strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00")}
		if h.value(api.EnvToken) == "" {
			return nil, fmt.Errorf("session %s has no %s in its environment", s.ID, api.EnvToken)
		}
		list = append(list, h)
	}
	return list, nil
}

func (h *hooked) value(name string) string {
	for _, kv := range h.env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// server starts a daemon and describes it.
func (c *ccdir) server(ctx context.Context) (server api.Server, err error) {
	if _, err := c.run(ctx, "daemon", "start"); err != nil {
		return server, err
	}
	out, err := c.run(ctx, "daemon", "status", "--json")
	if err != nil {
		return server, err
	}
	return server, json.Unmarshal(out, &server)
}

// hookBench is what the tables share.
type hookBench struct {
	shim, socket string
	daemon       int
	span         time.Duration
	next         int // number of the next marked call
}

// marked is the payload of a call that changes the state, and which a reader of
// the list of sessions can tell from every other: a prompt (working) and a
// question (waiting for input) take turns.
func marked(n int) (hook string, payload []byte) {
	text := mark + fmt.Sprint(n) + "."
	if n%2 == 0 {
		return "UserPromptSubmit", fmt.Appendf(nil, `{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":"UserPromptSubmit","prompt":%q}`, text)
	}
	return "PreToolUse", fmt.Appendf(nil, `{"session_id":"7dd0dcb3-cda3-4864-8056-35cfdb122205","cwd":"/tmp","hook_event_name":"PreToolUse","tool_name":"AskUserQuestion",`+
		`"tool_input":{"questions":[{"question":%q,"header":"h","options":[{"label":"a","description":"b"}]}]},"tool_use_id":"toolu_%d"}`, text, n)
}

// mark begins the mark in a prompt or a question.
const mark = "mark-"

// shown is what the reader takes of a session's value (api.Session).
type shown struct {
	ID       string    `json:"id"`
	State    api.State `json:"state"`
	Prompt   string    `json:"prompt"`
	Question string    `json:"question"`
}

// mark is the number that the value shows, -1 if none.
func (s *shown) mark() int {
	text := ""
	switch s.State {
	case api.StateWorking:
		text = s.Prompt
	case api.StateInput:
		text = s.Question
	}
	n := -1
	if _, rest, ok := strings.Cut(text, mark); ok {
		_, _ = fmt.Sscanf(rest, "%d.", &n)
	}
	return n
}

// fired is a call under way.
type fired struct {
	n  int
	at time.Time
}

// watchBoard is what the callers and the one reader of the list share.
type watchBoard struct {
	mu      sync.Mutex
	pending map[string][]fired
	visible []time.Duration
	process []time.Duration
	err     error
}

// visible lets the sessions fire for the bench's span, one call per pace each
// (0: one after the other), and returns a line of the table.
func (b *hookBench) visible(ctx context.Context, list []*hooked, pace time.Duration) ([]string, error) {
	board := &watchBoard{pending: map[string][]fired{}}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	read := make(chan error, 1)
	go func() { read <- b.read(reading, board) }()
	before, began := readUsage([]int{b.daemon}), time.Now()
	var wg sync.WaitGroup
	for i, h := range list {
		first := b.next + i*1_000_000
		wg.Go(func() { b.fire(ctx, board, h, first, pace, time.Duration(i)*pace/time.Duration(len(list))) })
	}
	wg.Wait()
	took := time.Since(began)
	used := readUsage([]int{b.daemon}).since(before)
	b.next += len(list) * 1_000_000
	err := board.empty(ctx, 10*time.Second)
	stop()
	if readErr := <-read; err == nil {
		err = readErr
	}
	if err == nil {
		err = board.err
	}
	if err != nil {
		return nil, err
	}
	firing := "back to back"
	if pace > 0 {
		firing = "every " + pace.String()
	}
	n := len(board.visible)
	return []string{fmt.Sprint(len(list)), firing, fmt.Sprint(n), fmt.Sprintf("%.0f", float64(n)/took.Seconds()),
		ms(quantile(board.visible, 50)), ms(quantile(board.visible, 95)), ms(quantile(board.process, 50)), ms(quantile(board.process, 95)),
		ms(used.cpu / time.Duration(max(n, 1)))}, nil
}

// fire calls the session's hook until the span has passed.
func (b *hookBench) fire(ctx context.Context, board *watchBoard, h *hooked, first int, pace, offset time.Duration) {
	due := time.Now().Add(offset)
	end := due.Add(b.span)
	for n := first; due.Before(end) && ctx.Err() == nil; n++ {
		time.Sleep(time.Until(due))
		hook, payload := marked(n)
		cmd := exec.CommandContext(ctx, b.shim, "hook", hook)
		cmd.Env, cmd.Stdin = h.env, bytes.NewReader(payload)
		start := time.Now()
		board.mu.Lock()
		board.pending[h.id] = append(board.pending[h.id], fired{n, start})
		board.mu.Unlock()
		err := cmd.Run()
		board.mu.Lock()
		board.process = append(board.process, time.Since(start))
		if err != nil {
			board.err = err
		}
		board.mu.Unlock()
		due = due.Add(pace)
		if now := time.Now(); due.Before(now) {
			due = now
		}
	}
}

// between are the pauses of the one reader: the resolution of the figures.
const between = time.Millisecond

// read asks for the list of sessions again and again, on one connection, and
// notes when a call's mark is in it. A later mark of the same session stands for
// the earlier ones, as a person would see it.
func (b *hookBench) read(ctx context.Context, board *watchBoard) error {
	client := unixClient(b.socket)
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		var list []shown
		if err := getJSON(ctx, client, "/v1/sessions", &list); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		now := time.Now()
		board.mu.Lock()
		for i := range list {
			newest := list[i].mark()
			waiting := board.pending[list[i].ID]
			for len(waiting) > 0 && waiting[0].n <= newest {
				board.visible = append(board.visible, now.Sub(waiting[0].at))
				waiting = waiting[1:]
			}
			board.pending[list[i].ID] = waiting
		}
		board.mu.Unlock()
		time.Sleep(between)
	}
	return nil
}

// empty waits until every call was seen.
func (w *watchBoard) empty(ctx context.Context, patience time.Duration) error {
	for end := time.Now().Add(patience); ; time.Sleep(between) {
		left := 0
		w.mu.Lock()
		for _, waiting := range w.pending {
			left += len(waiting)
		}
		w.mu.Unlock()
		switch {
		case left == 0 || ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(end):
			return fmt.Errorf("%d hook calls never showed in the list of sessions", left)
		}
	}
}

// unixClient is an HTTP client of the daemon's socket.
func unixClient(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
		DisableCompression: true,
	}}
}

func getJSON(ctx context.Context, client *http.Client, path string, into any) error {
	return callJSON(ctx, client, http.MethodGet, path, nil, into)
}

func callJSON(ctx context.Context, client *http.Client, method, path string, body, into any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://ccdir"+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

// quantile sorts times and returns the value below which p percent lie.
func quantile(times []time.Duration, p int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)*p/100, len(times)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }
