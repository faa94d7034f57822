package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ccdir/api"
)

// benchHooks measures hooks: the time from the start of a hook process until the state
// is visible to `ccdir ls`, how many events per second the daemon accepts, and the cost
// of the process itself.
func benchHooks(ctx context.Context, o options) error {
	sys := &ccdir{bin: o.bin}
	home, err := os.MkdirTemp("", "ccdir-bench-")
	if err != nil {
		return err
	}
	sys.home = home
	defer sys.stop()
	if err := allowSessions(home, o.hookSessions); err != nil {
		return err
	}
	server, err := sys.server(ctx)
	if err != nil {
		return err
	}
	b := &hookBench{shim: filepath.Join(o.bin, "ccdir-shim"), daemon: server.PID, socket: server.Socket, span: time.Duration(o.seconds) * time.Second}
	one, err := b.start(ctx, 1)
	if err != nil {
		return err
	}
	if o.busy > 0 {
		return b.busyTable(ctx, o, one[0])
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
	table("hook process start to the state being in GET /v1/sessions", "sessions\tfiring\thooks\thooks/s\tvisible p50\tp95\tprocess p50\tp95\tCPU/hook: process\tdaemon*\tcaller\treader\t", lines)
	fmt.Println("*with what answering the reader costs, who asks again after " + between.String())
	return b.listenerTable(ctx, o, all)
}

// allowSessions configures a daemon in home that so many sessions may run.
func allowSessions(home string, n int) error {
	dir := filepath.Join(home, "config")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "config.toml"), fmt.Appendf(nil, "max_sessions = %d\n", n), 0o600)
}

// hooked is a session whose hooks the bench calls as its agent would: from a process
// with the environment of the session's own process.
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
		h := &hooked{id: s.ID}
		// Before its exec the process still has the host's environment.
		for end := time.Now().Add(5 * time.Second); h.value(api.EnvToken) == ""; time.Sleep(between) {
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", s.PID))
			if err == nil && time.Now().After(end) {
				err = fmt.Errorf("session %s has no %s in its environment", s.ID, api.EnvToken)
			}
			if err != nil {
				return nil, err
			}
			h.env = strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00")
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

// hookBench is the common state of the tables.
type hookBench struct {
	shim, socket string
	daemon       int
	span         time.Duration
	next         int // number of the next marked call
}

// marked is the payload of a numbered call that changes the state: a prompt (working)
// or a question (waiting for input), in turn. A reader of the list of sessions finds
// the number in it.
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

// shown is the part of a session's value (api.Session) that the reader needs.
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

// visible lets the sessions fire for the bench's duration, one call per pace each (0:
// back to back), and returns a line of the table.
func (b *hookBench) visible(ctx context.Context, list []*hooked, pace time.Duration) ([]string, error) {
	board := &board{seen: map[string][]seen{}}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	read := make(chan error, 1)
	go func() { read <- b.read(reading, board) }()
	start := time.Now().Add(200 * time.Millisecond) // by then all processes that fire have started
	time.Sleep(time.Until(start) / 2)
	before := readUsage([]int{b.daemon})
	reader := ownCPU()
	fired, errs := make([]fires, len(list)), make([]error, len(list)+1)
	var wg sync.WaitGroup
	for i, h := range list {
		f := firing{Shim: b.shim, First: b.next + i*1_000_000, Pace: pace,
			Start: start.Add(time.Duration(i) * pace / time.Duration(len(list))), End: start.Add(b.span)}
		wg.Go(func() { fired[i], errs[i] = fire(ctx, h, f) })
	}
	wg.Wait()
	took := time.Since(start)
	reader = ownCPU() - reader
	used := readUsage([]int{b.daemon}).since(before)
	b.next += len(list) * 1_000_000
	var visible, process []time.Duration
	var hooks, callers time.Duration
	for i, h := range list {
		hooks, callers = hooks+fired[i].Hooks, callers+fired[i].caller
		for _, c := range fired[i].Calls {
			at, err := board.when(ctx, h.id, c.N)
			errs = append(errs, err)
			visible, process = append(visible, at.Sub(c.Start)), append(process, c.End.Sub(c.Start))
		}
	}
	stop()
	if err := errors.Join(append(errs, <-read)...); err != nil {
		return nil, err
	}
	how := "back to back"
	if pace > 0 {
		how = "every " + pace.String()
	}
	n := len(visible)
	each := time.Duration(max(n, 1))
	return []string{fmt.Sprint(len(list)), how, fmt.Sprint(n), fmt.Sprintf("%.0f", float64(n)/took.Seconds()),
		ms(quantile(visible, 50)), ms(quantile(visible, 95)), ms(quantile(process, 50)), ms(quantile(process, 95)),
		ms(hooks / each), ms(used.cpu / each), ms(callers / each), ms(reader / each)}, nil
}

// ownCPU is the CPU time of this process, without its children.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// board records which marks the reader has seen of each session, ascending, and when.
type board struct {
	mu   sync.Mutex
	seen map[string][]seen
}

type seen struct {
	n  int
	at time.Time
}

// when waits until the reader has seen that mark of a session, and returns the time. A
// later mark implies the earlier ones, as for a user.
func (b *board) when(ctx context.Context, id string, n int) (time.Time, error) {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(between) {
		b.mu.Lock()
		marks := b.seen[id]
		b.mu.Unlock()
		i, _ := slices.BinarySearchFunc(marks, n, func(s seen, n int) int { return s.n - n })
		switch {
		case i < len(marks):
			return marks[i].at, nil
		case ctx.Err() != nil:
			return time.Time{}, ctx.Err()
		case time.Now().After(end):
			return time.Time{}, fmt.Errorf("hook call %d of session %s never showed in the list of sessions", n, id)
		}
	}
}

// between is the reader's polling interval: the resolution of the figures.
const between = time.Millisecond

// read polls the list of sessions on one connection, and records when each mark first
// appears.
func (b *hookBench) read(ctx context.Context, board *board) error {
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
			n, marks := list[i].mark(), board.seen[list[i].ID]
			if len(marks) == 0 || n > marks[len(marks)-1].n {
				board.seen[list[i].ID] = append(marks, seen{n, now})
			}
		}
		board.mu.Unlock()
		time.Sleep(between)
	}
	return nil
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
