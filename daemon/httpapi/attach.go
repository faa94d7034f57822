package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/daemon/httpapi/ansi"
	"ccdir/daemon/httpapi/websock"
	"ccdir/internal/contain"
	"ccdir/internal/text/textsafe"
	"ccdir/internal/tune/timer"
	"ccdir/wire"
)

// minWindow is the least window of a client, in bytes.
const minWindow = 4096

// maxAttachHistory bounds the history lines that are drawn before the screen: a host
// returns that many in one answer.
const maxAttachHistory = 1000

// attachOptions are the query parameters of an attach.
type attachOptions struct {
	frames bool
	// text: the client shows rows of text, not a terminal.
	text       bool
	readOnly   bool
	cols, rows int
	history    int
	window     int
}

func attachQuery(r *http.Request) (o attachOptions, err error) {
	switch f := r.URL.Query().Get("format"); f {
	case "", "ansi":
	case "frames":
		o.frames = true
	default:
		return o, api.Errorf(api.CodeInvalid, "the format is ansi or frames, found %.40q", f)
	}
	o.readOnly = truth(r.URL.Query().Get("read_only"))
	for _, n := range []struct {
		name      string
		low, high int64
		into      *int
	}{
		{"cols", 1, 1000, &o.cols}, {"rows", 1, 1000, &o.rows}, {"history", 0, maxAttachHistory, &o.history}, {"window", minWindow, 1 << 30, &o.window},
	} {
		v, err := numberOf(r, n.name, n.low, n.high)
		if err != nil {
			return o, err
		}
		*n.into = int(v)
	}
	if (o.cols == 0) != (o.rows == 0) {
		return o, api.Errorf(api.CodeInvalid, "give both cols and rows")
	}
	return o, nil
}

// attachment is one attached terminal. Three goroutines: the handler's reads
// the client, one reads the host, one writes the screen.
type attachment struct {
	options attachOptions
	session string
	socket  *websock.Conn
	host    *wire.Conn
	// wake has one slot: the screen has changed, or whether it may be sent has.
	wake chan struct{}

	mu     sync.Mutex // guards the fields below; no lock is taken under it
	screen *ansi.Screen
	view   wire.View
	paused bool
	// under counts the bytes that were sent and not acknowledged.
	under int
	last  api.AttachEvent // the status that was sent last
}

// attach serves an attached terminal.
func (s *server) attach(w http.ResponseWriter, r *http.Request) error {
	o, err := attachQuery(r)
	if err != nil {
		return err
	}
	id, err := s.Sessions.Resolve(ref(r))
	if err != nil {
		return err
	}
	return attachTo(w, r, Terminals{Sessions: s.Sessions, Alarms: s.Alarms, Logger: s.log}, id, clientOf(r), o)
}

// Terminals attaches clients to sessions' terminals, for the page.
type Terminals struct {
	Sessions interface {
		HostAddress(ctx context.Context, ref string) (api.HostAddress, error)
	}
	// Alarms are the timers of pings; nil is usable.
	Alarms *timer.Clock
	Logger *slog.Logger
	// Elsewhere dials the host of a session of another machine, whose id is NODE/ID; nil: there are none.
	Elsewhere func(ctx context.Context, id, client string, readOnly bool) (*wire.Conn, wire.Welcome, error)
}

// Attach serves the WebSocket of a session's terminal until the call's context ends; with rows=1 in the
// address as rows of text (ansi.Screen.DrawRows). After an error of it nothing was answered.
func (t Terminals) Attach(w http.ResponseWriter, r *http.Request, id, client string, readOnly bool) error {
	err := attachTo(w, r, t, id, client, attachOptions{readOnly: readOnly, text: truth(r.URL.Query().Get("rows"))})
	if errors.Is(err, websock.ErrAnswered) {
		return nil
	}
	return err
}

func attachTo(w http.ResponseWriter, r *http.Request, t Terminals, id, client string, o attachOptions) error {
	if err := websock.Upgradable(r, api.SubprotocolAttach); err != nil {
		return err
	}
	host, welcome, err := t.dial(r.Context(), id, client, o.readOnly)
	if err != nil {
		return err
	}
	defer host.Close()
	host.SetWriteTimeout(websock.WriteTime)
	a := &attachment{options: o, session: id, host: host, wake: make(chan struct{}, 1), screen: ansi.NewScreen(o.cols, o.rows)}
	if a.socket, err = websock.Upgrade(w, r, api.SubprotocolAttach, t.Alarms, t.Logger); err != nil {
		return err
	}
	a.socket.End(a.serve(welcome))
	return nil
}

// dial connects to a session's host.
func (t Terminals) dial(ctx context.Context, id, client string, readOnly bool) (*wire.Conn, wire.Welcome, error) {
	if t.Elsewhere != nil && strings.Contains(id, "/") {
		return t.Elsewhere(ctx, id, client, readOnly)
	}
	address, err := t.Sessions.HostAddress(ctx, id)
	if err != nil {
		return nil, wire.Welcome{}, err
	}
	host, welcome, err := wire.Dial(ctx, address.Socket, wire.Hello{Ticket: address.Ticket, Client: "ccdir " + api.Version + " (" + client + ")", ReadOnly: readOnly})
	if err != nil {
		return nil, welcome, api.Errorf(api.CodeUnavailable, "the host of session %.60s cannot be reached (%v): it may just be ending", id, err)
	}
	return host, welcome, nil
}

// serve runs until the client, the host or the daemon ends the connection.
func (a *attachment) serve(welcome wire.Welcome) error {
	stop := context.AfterFunc(a.socket.Context(), func() { a.host.Close() })
	defer stop()
	hello := statusEvent(welcome.Status)
	hello.Type, hello.Session, hello.ReadOnly = api.AttachedHello, a.session, a.options.readOnly
	if err := a.socket.SendJSON(hello); err != nil {
		return err
	}
	if err := a.begin(welcome); err != nil {
		a.socket.Drop(err)
		return err
	}
	var wg contain.Group
	wg.Go(func() { a.socket.Drop(contain.Call(nil, a.fromHost)) })
	wg.Go(func() {
		if err := contain.Call(nil, func() error { a.write(); return nil }); err != nil {
			a.socket.Drop(err)
		}
	})
	a.socket.Drop(a.fromClient())
	wg.Wait()
	return nil
}

// begin draws the history and asks the host for frames.
func (a *attachment) begin(welcome wire.Welcome) error {
	if a.options.history > 0 && !a.options.frames {
		rows := a.options.rows
		if rows == 0 {
			rows = welcome.Status.Rows
		}
		if err := a.drawHistory(rows); err != nil {
			return err
		}
	}
	a.mu.Lock()
	a.view = wire.View{Visible: true, Cols: a.options.cols, Rows: a.options.rows}
	view := a.view
	a.mu.Unlock()
	return a.host.Send(&view)
}

// drawHistory sends lines of the history; frames do not flow yet.
func (a *attachment) drawHistory(rows int) error {
	var have wire.HistoryResult
	for _, back := range []uint64{0, uint64(a.options.history)} { // the first question is for the total
		params, err := json.Marshal(wire.HistoryParams{From: have.Total - min(back, have.Total), Count: int(back)})
		if err != nil {
			return err
		}
		if err := a.host.Send(&wire.Request{ID: back, Method: wire.MethodHistory, Params: params}); err != nil {
			return err
		}
		for answered := false; !answered; {
			m, err := a.host.Receive()
			if err != nil {
				return err
			}
			if response, ok := m.(*wire.Response); ok && response.ID == back {
				if response.Error != nil {
					return response.Error
				}
				if err := json.Unmarshal(response.Result, &have); err != nil {
					return err
				}
				answered = true
			}
		}
	}
	text, err := ansi.AppendHistory(nil, have.Rows, rows)
	if err != nil || len(text) == 0 {
		return err
	}
	return a.binary(text)
}

// fromHost reads from the host; it returns the reason why the connection ends.
func (a *attachment) fromHost() error {
	for {
		kind, body, err := a.host.ReceiveRaw()
		if err != nil {
			return a.hostGone(err)
		}
		switch {
		case kind == wire.KindFrame && a.options.frames:
			if err := a.binary(append([]byte{byte(kind)}, body...)); err != nil {
				return err
			}
			a.show()
			continue
		case kind == wire.KindFrame:
			f, err := wire.DecodeFrame(body)
			if err != nil {
				return err
			}
			a.mu.Lock()
			err = a.screen.Apply(f)
			refresh := a.screen.NeedsRefresh()
			view := a.view
			a.mu.Unlock()
			if err != nil {
				return err
			}
			if refresh {
				view.Refresh = true
				if err := a.host.Send(&view); err != nil {
					return a.hostGone(err)
				}
			}
			a.poke()
			continue
		}
		if err := a.told(kind, body); err != nil {
			return err
		}
	}
}

// told forwards messages of the host other than frames.
func (a *attachment) told(kind wire.Kind, body []byte) error {
	switch kind {
	case wire.KindStatus:
		var st wire.Status
		if err := json.Unmarshal(body, &st); err != nil {
			return err
		}
		event := statusEvent(st)
		a.mu.Lock()
		same := a.last == event
		a.last = event
		a.mu.Unlock()
		if !same {
			return a.socket.SendJSON(event)
		}
	case wire.KindExit:
		var exit wire.Exit
		if err := json.Unmarshal(body, &exit); err != nil {
			return err
		}
		a.flush() // what it printed last
		_ = a.socket.SendJSON(api.AttachEvent{Type: api.AttachedExit, ExitCode: &exit.Code})
		return api.Errorf(api.CodeNotRunning, "the process ended with code %d", exit.Code)
	}
	return nil
}

// statusEvent converts a host's status.
func statusEvent(st wire.Status) api.AttachEvent {
	return api.AttachEvent{Type: api.AttachedStatus, Cols: st.Cols, Rows: st.Rows, OwnSize: st.OwnSize,
		Title: textsafe.Cut(textsafe.Line(st.Title), 200), Clients: st.Clients}
}

// hostGone returns the reason for the client when the host's connection ended.
func (a *attachment) hostGone(err error) error {
	if cause := context.Cause(a.socket.Context()); cause != nil {
		return cause
	}
	return api.Errorf(api.CodeUnavailable, "the session's host is gone: %v", err)
}

// poke wakes the writer.
func (a *attachment) poke() {
	select {
	case a.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// write sends the screen whenever it has changed and may be sent. Frames are not queued:
// a slow client gets fewer of them.
func (a *attachment) write() {
	if a.options.frames {
		return // they are sent as they come
	}
	for {
		select {
		case <-a.wake:
			a.flush()
		case <-a.socket.Context().Done():
			return
		}
	}
}

// flush sends the changes since the last flush.
func (a *attachment) flush() {
	kind := websocket.MessageBinary
	a.mu.Lock()
	var out []byte
	if !a.paused && !a.full() && !a.options.frames {
		if a.options.text {
			kind, out = websocket.MessageText, a.screen.DrawRows()
		} else {
			out = a.screen.Draw()
		}
	}
	a.under += len(out)
	a.mu.Unlock()
	if len(out) > 0 {
		_ = a.socket.Send(kind, out) // a failure ends the connection
	}
}

// binary sends bytes and counts them.
func (a *attachment) binary(data []byte) error {
	a.mu.Lock()
	a.under += len(data)
	a.mu.Unlock()
	return a.socket.Send(websocket.MessageBinary, data)
}

// full reports whether the client's window is full. Called with mu held.
func (a *attachment) full() bool { return a.options.window > 0 && a.under >= a.options.window }

// show tells the host whether to send frames: not while the client has paused or its
// window is full. Afterwards the client gets the difference.
func (a *attachment) show() {
	a.mu.Lock()
	visible := !a.paused && !a.full()
	changed := a.view.Visible != visible
	a.view.Visible = visible
	view := a.view
	a.mu.Unlock()
	if changed {
		_ = a.host.Send(&view) // a failure ends the reader
	}
	a.poke()
}
