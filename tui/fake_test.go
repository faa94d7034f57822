package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/tui/pane"
	"ccdir/wire"
)

// fakeClient is a daemon in memory, with a host per session at the other end
// of a pipe.
type fakeClient struct {
	mu          sync.Mutex
	sessions    []api.Session
	hosts       map[string]*fakeHost
	calls       []string
	sent        []api.SendPrompt
	created     []api.NewSession
	tried       []api.NewSession // with those that failed
	buffers     map[string]string
	saved       map[string][]byte
	fail        map[string]error
	agents      []api.AgentInfo
	dirs        []api.Directory
	explanation api.Explanation
	grid        *api.Grid // in the snapshot
	grids       []api.Grid
	push        chan func(func(api.WatchMessage), func(error))
}

func newFakeClient(sessions ...api.Session) *fakeClient {
	return &fakeClient{
		sessions: sessions, hosts: map[string]*fakeHost{}, fail: map[string]error{}, buffers: map[string]string{},
		push: make(chan func(func(api.WatchMessage), func(error)), 16),
		agents: []api.AgentInfo{
			{Name: "claude", Kind: "claude", Path: "/usr/bin/claude", Default: true},
			{Name: "demo", Kind: "demo", Path: "/usr/bin/ccdir-shim"},
		},
	}
}

func (c *fakeClient) note(format string, args ...any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, fmt.Sprintf(format, args...))
	var name string
	fmt.Sscan(c.calls[len(c.calls)-1], &name)
	return c.fail[name]
}

// fails has calls of that name fail with err from now on, or succeed if it is nil.
func (c *fakeClient) fails(name string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail[name] = err
}

func (c *fakeClient) noted() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.calls...)
}

func (c *fakeClient) Watch(ctx context.Context, message func(api.WatchMessage), link func(error)) error {
	link(nil)
	c.mu.Lock()
	snap := &api.Snapshot{Sessions: append([]api.Session(nil), c.sessions...), Grid: c.grid}
	c.mu.Unlock()
	message(api.WatchMessage{Snapshot: snap})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-c.push:
			f(message, link)
		}
	}
}

func (c *fakeClient) CreateSession(_ context.Context, n api.NewSession) (api.Session, error) {
	c.mu.Lock()
	c.tried = append(c.tried, n)
	c.mu.Unlock()
	if err := c.note("create %s %s", n.Agent, n.CWD); err != nil {
		return api.Session{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.created = append(c.created, n)
	v := testSession(fmt.Sprintf("new%05d", len(c.created)), n.Name, api.StateStarting)
	v.Agent, v.CWD = n.Agent, n.CWD
	v.Created = time.Now()
	c.sessions = append(c.sessions, v)
	return v, nil
}

func (c *fakeClient) KillSession(_ context.Context, id string, _ api.Kill) (api.Session, error) {
	err := c.note("kill %s", id)
	return api.Session{}, err
}

func (c *fakeClient) RestartSession(_ context.Context, id string) (api.Session, error) {
	return api.Session{}, c.note("restart %s", id)
}

func (c *fakeClient) ParkSession(_ context.Context, id string) (api.Session, error) {
	return api.Session{}, c.note("park %s", id)
}

func (c *fakeClient) WakeSession(_ context.Context, id string) (api.Session, error) {
	return api.Session{}, c.note("wake %s", id)
}

func (c *fakeClient) Input(_ context.Context, id string, in api.RawInput) error {
	if in.Paste != nil {
		return c.note("paste %s %s", id, *in.Paste)
	}
	return c.note("input %s %s%s", id, in.Keys, in.Data)
}

func (c *fakeClient) RenameSession(_ context.Context, id, name string) (api.Session, error) {
	return api.Session{}, c.note("rename %s %s", id, name)
}

func (c *fakeClient) RemoveSession(_ context.Context, id string) error {
	return c.note("remove %s", id)
}

func (c *fakeClient) SendPrompt(_ context.Context, id string, p api.SendPrompt) (api.SendResult, error) {
	if err := c.note("send %s %s", id, p.Text); err != nil {
		return api.SendResult{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, p)
	return api.SendResult{ID: p.ID, Status: "delivered"}, nil
}

func (c *fakeClient) Answer(_ context.Context, id string, a api.Answer) (api.Decision, error) {
	err := c.note("answer %s %s %v %s", id, a.Behavior, a.Always, a.Message)
	return api.Decision{Request: api.Request{ID: id}, Outcome: api.OutcomeAnswered, Answer: &a, By: api.ByPerson}, err
}

func (c *fakeClient) Explain(_ context.Context, id string) (api.Explanation, error) {
	err := c.note("explain %s", id)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.explanation, err
}

func (c *fakeClient) Seen(_ context.Context, id string) error { return c.note("seen %s", id) }

func (c *fakeClient) Snooze(_ context.Context, id string, d time.Duration) (api.Session, error) {
	return api.Session{}, c.note("snooze %s %s", id, d)
}

func (c *fakeClient) SetGrid(_ context.Context, g api.Grid) error {
	err := c.note("grid %s %v", g.Layout, g.Order)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grids = append(c.grids, g)
	return err
}

func (c *fakeClient) Agents(context.Context) ([]api.AgentInfo, error) { return c.agents, nil }

func (c *fakeClient) Directories(context.Context) ([]api.Directory, error) { return c.dirs, nil }

func (c *fakeClient) Buffer(_ context.Context, id string) (wire.OutputResult, error) {
	err := c.note("buffer %s", id)
	c.mu.Lock()
	defer c.mu.Unlock()
	return wire.OutputResult{Text: c.buffers[id]}, err
}

func (c *fakeClient) Saved(_ context.Context, id string) ([]byte, error) {
	err := c.note("saved %s", id)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.saved[id], err
}

func (c *fakeClient) DialHost(_ context.Context, id string, _ bool, view wire.View) (pane.Conn, wire.Welcome, error) {
	if err := c.note("dial %s", id); err != nil {
		return nil, wire.Welcome{}, err
	}
	h := c.host(id)
	conn, ok := h.dial()
	if !ok {
		return nil, wire.Welcome{}, errors.New("the host is gone")
	}
	return conn, wire.Welcome{Session: id, Status: wire.Status{Connection: h.connection}}, conn.Send(&view)
}

func (c *fakeClient) host(id string) *fakeHost {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hosts[id] == nil {
		c.hosts[id] = newFakeHost()
	}
	return c.hosts[id]
}

// fakeHost is a host with a screen that tests write to. It echoes keys where
// told to.
type fakeHost struct {
	mu     sync.Mutex
	conn   *wire.Conn // to the newest client, nil if none
	down   bool
	inputs []wire.Input
	views  []wire.View
	screen []string
	cols   int
	gen    uint64
	cursor wire.Cursor
	flags  wire.FrameFlags
	echo   bool
	token  string // of the direct line it gives
	// connection is the number that it gives to connections; 0: it tells nothing of long text.
	connection uint64
	wake       chan struct{}
}

func newFakeHost() *fakeHost { return &fakeHost{cols: 80, wake: make(chan struct{}, 1)} }

func (h *fakeHost) dial() (*wire.Conn, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down {
		return nil, false
	}
	a, b := net.Pipe()
	h.conn = wire.NewConn(a)
	go h.serve(h.conn)
	return wire.NewConn(b), true
}

func (h *fakeHost) serve(conn *wire.Conn) {
	for {
		m, err := conn.Receive()
		if err != nil {
			return
		}
		h.mu.Lock()
		switch m := m.(type) {
		case *wire.View:
			first := len(h.views) == 0 || !h.views[len(h.views)-1].Visible
			h.views = append(h.views, *m)
			if m.Visible && (first || m.Refresh) {
				h.send()
			}
		case *wire.Input:
			in := *m
			in.Text = append([]byte(nil), m.Text...)
			h.inputs = append(h.inputs, in)
			if h.echo && m.Type == wire.InputKey {
				h.screen[0] += string(in.Text)
				h.cursor.X = len(h.screen[0])
				h.send()
			}
		case *wire.Request:
			answer := &wire.Response{ID: m.ID, Error: &wire.Error{Code: "unknown_method", Message: m.Method + " is not known"}}
			if m.Method == wire.MethodLine {
				answer.Error = nil
				answer.Result, _ = json.Marshal(wire.LineResult{Token: h.token})
			}
			go func() { _ = conn.Send(answer) }()
		}
		h.mu.Unlock()
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// write replaces the screen and sends it.
func (h *fakeHost) write(cols int, lines ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cols, h.screen = cols, lines
	h.cursor = wire.Cursor{X: len(lines[0]), Visible: true}
	h.send()
}

// send sends a full frame; h.mu is held.
func (h *fakeHost) send() {
	if h.conn == nil || len(h.screen) == 0 {
		return
	}
	h.gen++
	conn, f := h.conn, fullFrame(h.cols, h.screen, h.gen, h.cursor, h.flags)
	go func() { _ = conn.Send(f) }()
}

func (h *fakeHost) seen(f func(h *fakeHost) bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return f(h)
}

// cut ends the connection; the host can be dialed again unless it is down.
func (h *fakeHost) cut(down bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = down
	if h.conn != nil {
		_ = h.conn.Close()
	}
}

// fullFrame encodes lines of narrow characters.
func fullFrame(cols int, lines []string, gen uint64, cur wire.Cursor, flags wire.FrameFlags) *wire.Frame {
	tab := cells.NewTable()
	var enc wire.RowEncoder
	enc.Reset(tab)
	for y, l := range lines {
		row := make([]cells.Cell, cols)
		for x, r := range []rune(l) {
			if x < cols {
				row[x].Glyph = cells.Glyph(r)
			}
		}
		enc.Add(y, cells.Row{Cells: row})
	}
	return &wire.Frame{Full: true, Gen: gen, Cols: cols, Rows: len(lines), Cursor: cur, Flags: flags, Data: enc.AppendTo(nil)}
}

// patience is what nothing takes unless something is wrong.
const patience = time.Minute

// eventually polls until f holds.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !f() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
