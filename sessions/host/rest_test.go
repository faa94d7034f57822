package host

import (
	"strings"
	"testing"
	"time"

	"ccdir/wire"
)

// TestRest: a process is ended gently only if nobody has typed since the screen was read, and, where
// that is asked for, while nobody watches.
func TestRest(t *testing.T) {
	r := sh(t, `trap "echo goodbye; exit 7" TERM; echo ready; while :; do sleep 0.05; done`)
	p := r.dial(func(h *wire.Hello) { h.Looks = true })
	p.view(80, 24)
	p.shows("ready")
	look := func() wire.Typing {
		return *call[wire.OutputResult](p, wire.MethodOutput, wire.OutputParams{Format: wire.FormatText}).Typing
	}
	if look().Watched {
		t.Error("a grid watches in which it has not the keyboard")
	}
	before := look().Count
	p.keys("x")
	eventually(t, "the key", func() bool { return look().Count != before })
	if got := call[wire.RestResult](p, wire.MethodRest, wire.RestParams{Typed: before}); got.Kept != wire.KeptTyped {
		t.Errorf("after a key: %+v", got)
	}
	p.send(&wire.Input{Type: wire.InputFocus, Focused: true})
	eventually(t, "the focus", func() bool { return look().Watched })
	if got := call[wire.RestResult](p, wire.MethodRest, wire.RestParams{Typed: look().Count, Unwatched: true}); got.Kept != wire.KeptWatched {
		t.Errorf("while somebody watches: %+v", got)
	}
	p.send(&wire.Input{Type: wire.InputFocus})
	eventually(t, "no focus", func() bool { return !look().Watched })
	only := r.dial(func(h *wire.Hello) { h.ReadOnly = true })
	only.view(80, 24)
	eventually(t, "a client that shows it alone", func() bool { return look().Watched })
	if got := only.request(wire.MethodRest, wire.RestParams{Typed: look().Count}); got.Error == nil || got.Error.Code != wire.CodeForbidden {
		t.Errorf("a read-only client: %+v", got)
	}
	if got := call[wire.RestResult](p, wire.MethodRest, wire.RestParams{Typed: look().Count}); got.Kept != "" {
		t.Errorf("nobody has typed: %+v", got)
	}
	p.until("exit", func() bool { return p.exit != nil })
	if p.exit.Code != 7 {
		t.Errorf("exit: %+v", p.exit.ExitRecord)
	}
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}
	if out, err := wire.ReadOutput(r.spec.Dir, wire.OutputParams{Format: wire.FormatText}); err != nil || !strings.Contains(out.Text, "ready") || strings.Contains(out.Text, "goodbye") {
		t.Errorf("saved: %q, %v; want what it showed before it took its leave", out.Text, err)
	}
}

// eventually polls a condition that another request tells.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
