package host

import (
	"strings"
	"testing"
	"time"

	"ccdir/wire"
)

// last waits until the newest Screen message has that text, and returns it.
func (p *peer) lastScreen(text string) (m wire.Screen) {
	p.t.Helper()
	p.until("the text "+text, func() bool {
		if len(p.screens) == 0 {
			return false
		}
		m = p.screens[len(p.screens)-1]
		return m.Text == text
	})
	return m
}

func TestScreenText(t *testing.T) {
	r := sh(t, `stty -echo; printf 'one\n\n  two  \nthree'; while read l; do printf '%s\n' "$l"; done`)
	p := r.dial()
	p.saw(wire.EvidenceStarted)
	call[any](p, wire.MethodScreen, wire.ScreenParams{Lines: 2, QuietMS: 30})
	if m := p.lastScreen("  two\nthree\n"); m.Moving || m.At.IsZero() {
		t.Errorf("told %+v", m)
	}
	p.typeLine("four")
	p.lastScreen("  two\nthreefour\n")
	// More lines, told at once, though nothing is printed.
	call[any](p, wire.MethodScreen, wire.ScreenParams{Lines: 9, QuietMS: 30})
	p.lastScreen("one\n  two\nthreefour\n")
	// None any more.
	call[any](p, wire.MethodScreen, wire.ScreenParams{})
	p.view(80, 24)
	p.typeLine("five")
	p.shows("five")
	call[any](p, wire.MethodPing, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.screens); p.screens[n-1].Text != "one\n  two\nthreefour\n" {
		t.Errorf("told %q after the end", p.screens[n-1].Text)
	}
}

func TestScreenTextBounds(t *testing.T) {
	p := start(t, "cat").dial()
	for _, bad := range []wire.ScreenParams{{Lines: -1}, {Lines: 1001}, {Lines: 1, QuietMS: -1}, {Lines: 1, LimitMS: -5}} {
		if a := p.request(wire.MethodScreen, bad); a.Error == nil || a.Error.Code != wire.CodeInvalid {
			t.Errorf("%+v: %+v", bad, a)
		}
	}
}

// TestScreenTextMoving: a screen that never stands still is told all the same, and
// not more often than asked for.
func TestScreenTextMoving(t *testing.T) {
	r := sh(t, `i=0; while :; do i=$((i+1)); printf '\r%s tick' $i; sleep 0.01; done`)
	p := r.dial()
	p.view(80, 24)
	p.shows("tick")
	begin := time.Now()
	call[any](p, wire.MethodScreen, wire.ScreenParams{Lines: 5, QuietMS: 5000, LimitMS: 200})
	p.until("three texts of a moving screen", func() bool { return len(p.screens) >= 3 })
	took := time.Since(begin)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.screens {
		if !m.Moving || !strings.Contains(m.Text, "tick") {
			t.Errorf("told %+v", m)
		}
	}
	if least := 600 * time.Millisecond; took < least {
		t.Errorf("three texts in %v, want at least %v", took, least)
	}
}
