package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"ccdir/api"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/render"
	"ccdir/sessions/screen/vt"
)

// terminal is an attached terminal: an engine of our own in place of a
// browser's.
type terminal struct {
	t    *testing.T
	conn *websocket.Conn
	done chan struct{}

	mu     sync.Mutex
	engine screen.Engine
	bytes  int
	events []api.AttachEvent
	closed websocket.CloseError
}

func (p *place) dialSocket(path, protocol string) (*websocket.Conn, *http.Response, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	return websocket.Dial(ctx, "ws://ccdir"+path, &websocket.DialOptions{HTTPClient: p.http, Subprotocols: []string{protocol}})
}

// attach attaches a terminal of that size.
func (p *place) attach(path string, cols, rows int) *terminal {
	t := p.t.(*testing.T)
	t.Helper()
	conn, _, err := p.dialSocket(path, api.SubprotocolAttach)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	term := &terminal{t: t, conn: conn, done: make(chan struct{}), engine: vt.New(screen.Options{Cols: cols, Rows: rows, HistoryLines: 1000})}
	go func() {
		defer close(term.done)
		for {
			kind, data, err := conn.Read(context.Background())
			term.mu.Lock()
			if err != nil {
				errors.As(err, &term.closed)
				term.mu.Unlock()
				return
			}
			if kind == websocket.MessageBinary {
				term.bytes += len(data)
				term.engine.Feed(data)
			} else {
				var e api.AttachEvent
				if err := described().validate("ccdir.json#/components/schemas/AttachEvent", data); err != nil {
					t.Errorf("%s: %v", data, err)
				}
				_ = json.Unmarshal(data, &e)
				term.events = append(term.events, e)
			}
			term.mu.Unlock()
		}
	}()
	t.Cleanup(func() { conn.CloseNow(); <-term.done })
	return term
}

func (term *terminal) send(in api.AttachInput) {
	term.t.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		term.t.Fatal(err)
	}
	if err := term.conn.Write(context.Background(), websocket.MessageText, data); err != nil {
		term.t.Fatal(err)
	}
}

// shows is what its screen shows, styled.
func (term *terminal) shows() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return strings.TrimRight(string(render.ANSI(nil, term.engine)), "\n")
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return string(render.Text(nil, term.engine))
}

func (term *terminal) event(what string, ok func(api.AttachEvent) bool) {
	term.t.Helper()
	until(term.t, what, func() bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		for _, e := range term.events {
			if ok(e) {
				return true
			}
		}
		return false
	})
}

// TestAttach: what an attached terminal shows is what the session shows, through
// colours, wide characters, scrolling, other modes, sizes and a pause; what is
// typed arrives; the end is told.
func TestAttach(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	script := filepath.Join(p.paths.Home, "program")
	if err := os.WriteFile(script, []byte(`stty -echo
for i in $(seq 1 60); do printf '\033[3%dmline %d\033[m \346\227\245\346\234\254 e\314\201\r\n' $((i%8)) $i; done
while read -r line; do
  case $line in
  region) printf '\033[3;8r\033[8;1H'; for i in 1 2 3 4 5; do printf 'in %d\n\r' $i; done; printf '\033[r\033[5;5H\033[L\033[10;1Hdone region\n\r';;
  alt) printf '\033[?1049h\033[2J\033[H\033[44mall blue\033[K\033[m done alt';;
  main) printf '\033[?1049l\n\rdone main\n\r';;
  flood) seq 1 20000; echo done flood;;
  link) printf '\033]8;;https://example.org/\033\\here\033]8;;\033\\ done link\n\r';;
  mode) printf '\033[?2004h\033[?1h'; stty raw; dd bs=1 count=3 2>/dev/null | od -An -tx1; dd bs=1 count=13 2>/dev/null | od -An -tx1; stty cooked -echo; printf '\r\ndone mode\n\r';;
  end) exit 3;;
  *) printf 'said %s\n\r' "$line";;
  esac
done
`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := p.create(api.NewSession{Argv: []string{"/bin/sh", script}, Cols: 60, Rows: 20, ExtraEnv: []string{"LC_ALL=C.UTF-8"}})
	until(t, "the program", func() bool { return strings.Contains(p.screen(s.ID), "line 60") })
	term := p.attach("/v1/sessions/"+s.ID+"/attach?cols=50&rows=15&history=100", 50, 15)
	term.event("the first message", func(e api.AttachEvent) bool { return e.Type == api.AttachedHello && e.Session == s.ID && !e.ReadOnly })
	same := func(want string) {
		t.Helper()
		until(t, want, func() bool { return strings.Contains(term.text(), want) })
		var screen struct{ Text string }
		until(t, "both to show the same after "+want, func() bool {
			p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=ansi", nil, &screen)
			var own api.Screen
			p.call("GET", "/v1/sessions/"+s.ID+"/buffer?format=json", nil, &own)
			for i, l := range own.Lines {
				if got := strings.Split(term.text(), "\n")[i]; got != l.Text {
					return false
				}
			}
			return true
		})
	}
	same("line 60")
	term.mu.Lock()
	if term.engine.HistoryLen() < 40 || !strings.HasPrefix(string(term.engine.Table().AppendText(nil, term.engine.HistoryRow(0).Cells)), "line 1 ") {
		t.Errorf("the history has %d lines, the first is %q", term.engine.HistoryLen(), term.engine.Table().AppendText(nil, term.engine.HistoryRow(0).Cells))
	}
	term.mu.Unlock()
	say := func(word string) { term.send(api.AttachInput{Type: api.AttachData, Data: word + "\r"}) }
	for _, word := range []string{"region", "alt", "main", "link"} {
		say(word)
		same("done " + word)
	}
	if !strings.Contains(term.shows(), "https://example.org/") {
		t.Errorf("the link is not there: %q", term.shows())
	}
	say("flood")
	same("done flood")
	// Keys are encoded for the application's modes, which the client does not
	// know; what is pasted is bracketed.
	say("mode")
	until(t, "raw mode", func() bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		return term.engine.State().Modes.BracketedPaste
	})
	term.send(api.AttachInput{Type: api.AttachData, Data: "\x1b[A"})
	until(t, "the key", func() bool { return strings.Contains(term.text(), "1b 4f 41") })
	term.send(api.AttachInput{Type: api.AttachPaste, Data: "x"})
	until(t, "the paste", func() bool { return strings.Contains(term.text(), "1b 5b 32 30 30 7e 78 1b 5b 32 30 31 7e") })
	same("done mode")
	term.send(api.AttachInput{Type: api.AttachKeys, Keys: []string{"h", "i", "Enter"}})
	same("said hi")
	if err := term.conn.Write(t.Context(), websocket.MessageBinary, []byte("bytes\r")); err != nil {
		t.Fatal(err)
	}
	same("said bytes")
	// The size is the terminal's own.
	term.mu.Lock()
	term.engine.Resize(44, 12)
	term.mu.Unlock()
	term.send(api.AttachInput{Type: api.AttachResize, Cols: 44, Rows: 12})
	term.event("the size", func(e api.AttachEvent) bool { return e.Cols == 44 && e.Rows == 12 && e.OwnSize })
	say("smaller")
	same("said smaller")
	// While it is paused nothing arrives; then what there is.
	term.send(api.AttachInput{Type: api.AttachPause})
	term.send(api.AttachInput{Type: "nonsense"}) // its answer comes after the pause
	term.event("the refusal", func(e api.AttachEvent) bool { return e.Error != nil && e.Error.Code == api.CodeInvalid })
	term.mu.Lock()
	before := term.bytes
	term.mu.Unlock()
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Data: []byte("flood\rpaused\r")}, nil)
	until(t, "the flood", func() bool { return strings.Contains(p.screen(s.ID), "said paused") })
	term.mu.Lock()
	if term.bytes != before {
		t.Errorf("%d bytes arrived in the pause", term.bytes-before)
	}
	term.mu.Unlock()
	term.send(api.AttachInput{Type: api.AttachResume})
	same("said paused")
	term.send(api.AttachInput{Type: api.AttachRefresh})
	say("fresh")
	same("said fresh")
	say("end")
	<-term.done
	if term.closed.Code != websocket.StatusNormalClosure || !strings.Contains(term.closed.Reason, "code 3") {
		t.Errorf("closed with %+v", term.closed)
	}
	if last := term.events[len(term.events)-1]; last.Type != api.AttachedExit || last.ExitCode == nil || *last.ExitCode != 3 {
		t.Errorf("the last event is %s", toJSON(t, last))
	}
	p.wait(s.ID, api.StateExited) // until the daemon knows, its host just cannot be reached
	if _, resp, err := p.dialSocket("/v1/sessions/"+s.ID+"/attach", api.SubprotocolAttach); err == nil || resp == nil || resp.StatusCode != http.StatusConflict {
		t.Errorf("attaching to an ended session: %v", err)
	}
}

// TestAttachWindow: a client that acknowledges nothing gets its window and no
// more, and when it does what is on the screen by then.
func TestAttachWindow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh(`read x; i=0; while [ $i -lt 60 ]; do seq $((i*1000)) $((i*1000+40)); i=$((i+1)); sleep 0.02; done; echo the end; read x`), Cols: 80, Rows: 24})
	term := p.attach("/v1/sessions/"+s.ID+"/attach?window=4096&read_only=1", 80, 24)
	term.send(api.AttachInput{Type: api.AttachData, Data: "no"})
	term.event("the refusal", func(e api.AttachEvent) bool { return e.Error != nil && e.Error.Code == api.CodeForbidden })
	p.call("POST", "/v1/sessions/"+s.ID+"/input/raw", api.RawInput{Keys: []string{"Enter"}}, nil)
	until(t, "the output", func() bool { return strings.Contains(p.screen(s.ID), "the end") })
	// A window, and the one picture that filled it.
	term.mu.Lock()
	got := term.bytes
	term.mu.Unlock()
	if got < 4096 || got > 4096+8192 {
		t.Errorf("%d bytes without an ack", got)
	}
	if strings.Contains(term.text(), "the end") {
		t.Error("the end was sent beyond the window")
	}
	term.send(api.AttachInput{Type: api.AttachAck, Bytes: got})
	until(t, "the end", func() bool { return strings.Contains(term.text(), "the end") })
}

// TestAttachRefused: what is wrong is said before there is a WebSocket.
func TestAttachRefused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("read x")})
	at := "/v1/sessions/" + s.ID + "/attach"
	p.wantCode(api.CodeInvalid, "GET", at, nil)
	p.wantCode(api.CodeInvalid, "GET", "/v1/control", nil)
	for _, c := range []struct {
		path, protocol string
		status         int
	}{
		{"/v1/sessions/nobody/attach", api.SubprotocolAttach, 404},
		{at + "?format=jpeg", api.SubprotocolAttach, 400},
		{at + "?cols=10", api.SubprotocolAttach, 400},
		{at + "?window=1", api.SubprotocolAttach, 400},
		{at, "chat", 400},
		{"/v1/control", api.SubprotocolAttach, 400},
	} {
		conn, resp, err := p.dialSocket(c.path, c.protocol)
		if err == nil {
			conn.CloseNow()
			t.Errorf("%s with %s was accepted", c.path, c.protocol)
			continue
		}
		var e api.Error
		if resp == nil || resp.StatusCode != c.status || json.NewDecoder(resp.Body).Decode(&e) != nil || e.Message == "" {
			t.Errorf("%s with %s: %v", c.path, c.protocol, err)
		}
	}
	// A page of another origin may not connect, whatever listens for it.
	ctx := t.Context()
	_, resp, err := websocket.Dial(ctx, "ws://ccdir/v1/control", &websocket.DialOptions{HTTPClient: p.http, HTTPHeader: http.Header{"Origin": {"https://example.org"}}})
	if err == nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another origin: %v", err)
	}
}

// TestAttachFrames: the hosts' own frames are passed on as they are.
func TestAttachFrames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run()
	s := p.create(api.NewSession{Argv: sh("echo hello; read x")})
	until(t, "the output", func() bool { return strings.Contains(p.screen(s.ID), "hello") })
	conn, _, err := p.dialSocket("/v1/sessions/"+s.ID+"/attach?format=frames", api.SubprotocolAttach)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for {
		kind, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if kind != websocket.MessageBinary {
			continue
		}
		if len(data) < 2 || data[0] != 5 || !bytes.Contains(data, []byte("hello")) {
			t.Errorf("the first frame is %q", data)
		}
		break
	}
}
