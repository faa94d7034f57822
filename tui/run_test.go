package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/creack/pty"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
	"ccdir/wire"
)

// outerPTY is the terminal around a running grid: a pty with an emulator at its
// master.
type outerPTY struct {
	t    *testing.T
	ptm  *os.File
	mu   sync.Mutex
	eng  screen.Engine
	raw  bytes.Buffer
	done chan error
	stop context.CancelFunc
}

// open runs the grid on a pty of that size, in a terminal that answers nothing.
func open(t *testing.T, c *fakeClient, cols, rows int, change func(*Options)) *outerPTY {
	t.Helper()
	return openAs(t, c, cols, rows, func(string) string { return "" }, change)
}

// openAs runs the grid in a terminal that gives answers to all that it has been sent.
func openAs(t *testing.T, c *fakeClient, cols, rows int, answers func(sent string) string, change func(*Options)) *outerPTY {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	o := &outerPTY{t: t, ptm: ptm, stop: stop, done: make(chan error, 1),
		eng: vt.New(screen.Options{Cols: cols, Rows: rows})}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := ptm.Read(buf)
			o.mu.Lock()
			o.eng.Feed(buf[:n])
			o.raw.Write(buf[:n])
			answer := answers(o.raw.String())
			o.mu.Unlock()
			if err != nil {
				return
			}
			_, _ = ptm.WriteString(answer)
		}
	}()
	opts := Options{
		Client: c, In: pts, Out: pts, Dir: "/work", Profile: colorprofile.TrueColor,
		Env: []string{"TERM=xterm-256color", "HOME=/home/me"},
	}
	if change != nil {
		change(&opts)
	}
	go func() { o.done <- Run(ctx, opts) }()
	t.Cleanup(func() {
		stop()
		select {
		case <-o.done:
		case <-time.After(patience):
			t.Error("the grid did not end")
		}
		_ = pts.Close()
		_ = ptm.Close()
		<-read
	})
	return o
}

func (o *outerPTY) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var b []byte
	_, rows := o.eng.Size()
	for y := range rows {
		b = o.eng.Table().AppendText(b, o.eng.Row(y).Cells)
		b = append(b, '\n')
	}
	return string(b)
}

func (o *outerPTY) shows(parts ...string) {
	o.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		text, missing := o.text(), ""
		for _, p := range parts {
			if !strings.Contains(text, p) {
				missing = p
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			o.t.Fatalf("the screen never shows %q:\n%s", missing, text)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (o *outerPTY) keys(s string) {
	o.t.Helper()
	if _, err := o.ptm.WriteString(s); err != nil {
		o.t.Fatal(err)
	}
}

// ended waits for Run's error.
func (o *outerPTY) ended() error {
	o.t.Helper()
	select {
	case err := <-o.done:
		o.done <- err
		return err
	case <-time.After(patience):
		o.t.Fatal("the grid did not end")
		return nil
	}
}

func TestRunShowsPanesAndPassesKeys(t *testing.T) {
	c := newFakeClient(testSession("aaaa1111", "api", api.StateIdle), testSession("bbbb2222", "web", api.StatePermission))
	a, b := c.host("aaaa1111"), c.host("bbbb2222")
	a.write(80, "first screen", "", "")
	b.write(80, "second screen", "", "")
	o := open(t, c, 120, 40, nil)
	o.shows("api ○ idle", "web ✋ asks", "first screen", "second screen", "PANE", "since")

	// The one that waits for a person has the focus; keys go there.
	o.keys("y\x1b[A\x03é")
	eventually(t, "keys at the host", func() bool {
		return b.seen(func(h *fakeHost) bool { return keysOf(h) == "y Up C-c é" })
	})
	// The prefix moves the focus; the keys after it go to the other pane, in order.
	o.keys("\x02\x09abc")
	eventually(t, "keys at the other host", func() bool {
		return a.seen(func(h *fakeHost) bool { return keysOf(h) == "a b c" })
	})
	// The prefix twice is the prefix.
	o.keys("\x02\x02")
	eventually(t, "the prefix key", func() bool {
		return a.seen(func(h *fakeHost) bool { return keysOf(h) == "a b c C-b" })
	})
	// A paste is one input.
	o.keys("\x1b[200~two\r\nlines\x1b[201~")
	eventually(t, "the paste", func() bool {
		return a.seen(func(h *fakeHost) bool {
			last := h.inputs[len(h.inputs)-1]
			return last.Type == wire.InputPaste && string(last.Text) == "two\r\nlines"
		})
	})
	o.keys("\x02d")
	if err := o.ended(); err != nil {
		t.Fatalf("detach: %v", err)
	}
	for _, off := range []string{"\x1b[?1049l", "\x1b[?1002l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?1004l", "\x1b[?25h", "\x1b[<u"} {
		eventually(t, "switched off at the end", func() bool {
			o.mu.Lock()
			defer o.mu.Unlock()
			return strings.Contains(o.raw.String(), off)
		})
	}
}

// keysOf are the keys that a host got, in order.
func keysOf(h *fakeHost) string {
	var all []string
	for _, in := range h.inputs {
		if in.Type == wire.InputKey {
			all = append(all, string(in.Text))
		}
	}
	return strings.Join(all, " ")
}

func TestRunEndsWithItsContextAndRestores(t *testing.T) {
	o := open(t, newFakeClient(), 80, 24, nil)
	o.shows("No sessions yet", "to start one")
	o.stop()
	if err := o.ended(); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	eventually(t, "alternate screen left", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return !o.eng.State().Alt && strings.Contains(o.raw.String(), "\x1b[?1049l")
	})
}

// TestRunWithThemeAndWithoutMouse: what the configuration says of colours and
// of the mouse reaches the terminal.
func TestRunWithThemeAndWithoutMouse(t *testing.T) {
	for _, noMouse := range []bool{false, true} {
		c := newFakeClient(testSession("aaaa1111", "api", api.StateIdle))
		o := open(t, c, 80, 24, func(o *Options) {
			o.NoMouse = noMouse
			o.Theme, o.Colors = "light", map[string]cells.Color{"accent": cells.RGB(1, 2, 3)}
		})
		o.shows("api ○ idle")
		o.mu.Lock()
		raw := o.raw.String()
		o.mu.Unlock()
		if mouse := strings.Contains(raw, "\x1b[?1002h"); mouse == noMouse {
			t.Errorf("mouse %v with NoMouse %v", mouse, noMouse)
		}
		if !strings.Contains(raw, "38;2;1;2;3") {
			t.Errorf("no frame in the configured colour: %q", raw)
		}
	}
}

func TestRunReconnects(t *testing.T) {
	c := newFakeClient(testSession("aaaa1111", "api", api.StateIdle))
	h := c.host("aaaa1111")
	h.write(80, "before the loss", "", "")
	o := open(t, c, 80, 24, nil)
	o.shows("before the loss")
	// The daemon goes: a banner, and the pane works on.
	c.push <- func(_ func(api.WatchMessage), link func(error)) { link(errors.New("connection refused")) }
	o.shows("daemon does not answer", "before the loss")
	o.keys("k")
	eventually(t, "a key without the daemon", func() bool { return h.seen(func(h *fakeHost) bool { return keysOf(h) == "k" }) })
	c.push <- func(_ func(api.WatchMessage), link func(error)) { link(nil) }
	eventually(t, "the banner is gone", func() bool { return !strings.Contains(o.text(), "does not answer") })
	// The host goes: the pane says so and keeps its picture; then it is back.
	h.cut(true)
	o.shows("reconnecting", "before the loss")
	h.mu.Lock()
	h.down = false
	h.screen = []string{"after the loss", "", ""}
	h.views = nil
	h.mu.Unlock()
	o.shows("after the loss")
}

func TestRunFollowsTheTerminalsSize(t *testing.T) {
	c := newFakeClient(testSession("aaaa1111", "api", api.StateIdle))
	h := c.host("aaaa1111")
	h.write(80, "hello", "", "")
	o := open(t, c, 80, 24, func(o *Options) { o.Cols, o.Rows = 0, 0 })
	o.shows("hello")
	eventually(t, "the view", func() bool {
		return h.seen(func(h *fakeHost) bool { v := h.views[len(h.views)-1]; return v.Cols == 80 && v.Rows == 21 })
	})
}
