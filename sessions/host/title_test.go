package host

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/wire"
)

// TestTitlesArePaced: of titles that change all the time some are told, the last one always, and
// one that says something else soon.
func TestTitlesArePaced(t *testing.T) {
	r := sh(t, `i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf '\033]2;⠋ turn %d\007' $i; sleep 0.02; done; printf '\033]2;✳ ready\007'; cat`)
	p := r.dial()
	p.view(80, 24)
	p.until("the last title in the status", func() bool { return p.status.Title == "✳ ready" })
	p.saw(wire.EvidenceTitle, "text", "✳ ready")
	p.mu.Lock()
	defer p.mu.Unlock()
	turns := 0
	for _, e := range p.evidence {
		if e.Name == wire.EvidenceTitle && strings.HasPrefix(e.Fields["text"], "⠋ turn") {
			turns++
		}
	}
	if turns < 1 || turns > 30 { // 4 but on a machine that stands still
		t.Errorf("%d of 60 turns were told", turns)
	}
}

// TestPacedTitleHasItsTime: a title that is told later says when it was set: what happened in between
// is newer.
func TestPacedTitleHasItsTime(t *testing.T) {
	h := &host{}
	h.evidence.init(10)
	p := titles{h: h}
	at := time.Now().Add(-time.Minute)
	p.set("◐ working", at)
	p.set("✳ ready", at.Add(titleEvery/4))
	if !p.armed || p.told != "◐ working" {
		t.Fatalf("told %q", p.told)
	}
	p.due()
	if e := h.evidence.get(h.evidence.last); e.Fields["text"] != "✳ ready" || !e.At.Equal(at.Add(titleEvery/4)) {
		t.Errorf("%+v", e)
	}
}

func TestTurned(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"⠋ fix the build", "⠙ fix the build", true},
		{"✳ fix the build", "⠙ fix the build", false},
		{"◇  Ready (x)", "✦  Working… (x)", false},
		{"building 9%", "building 100%", true},
		{"building a.c", "building b.c", false},
		{"| x", "/ x", true},
		{"", "", true},
		{"", "1", true},
		{"", "a", false},
		{"a\xff", "a", false},
	} {
		if got := turned(c.a, c.b); got != c.want || turned(c.b, c.a) != got {
			t.Errorf("turned(%s) = %v, want %v", fmt.Sprintf("%q, %q", c.a, c.b), got, c.want)
		}
	}
}
