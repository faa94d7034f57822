package terminal

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
)

// pieces is a terminal that delivers its input in pieces of a size.
type pieces struct {
	left []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(p.size, len(b))], p.left)
	p.left = p.left[n:]
	return n, nil
}

// Behind a program that does not read, the reader waits once; the keys that leave the pane
// come through.
func TestFullQueueDoesNotHoldUpTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pane.New(pane.Config{ID: "aaaa1111"})
		prefixed := false
		rd := &Reader{
			In:      &pieces{[]byte(strings.Repeat("\x1b[A", 4*pane.InputQueue) + "\x02"), 4096},
			Router:  &Router{},
			Program: func(m any) { prefixed = prefixed || m.(Typed).Key.Name == "C-b" },
		}
		rd.Router.Set(Route{Pane: p, Prefix: "C-b"})
		began := time.Now()
		if err := rd.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		dropped := p.State().Dropped
		if waited := time.Since(began); !prefixed || dropped != 3*pane.InputQueue || waited != pane.RoomWithin {
			t.Errorf("prefix key %v, %d dropped, waited %v", prefixed, dropped, waited)
		}
	})
}

// What the program gets of several plain keys of one read: a burst, from burstKeys on.
func TestBursts(t *testing.T) {
	for text, want := range map[string]string{
		"abc":                                   "a b c",
		strings.Repeat("x", burstKeys):          "16 keys",
		strings.Repeat("x", burstKeys) + "\x02": "16 keys C-b",
		"a\x02b":                                "a C-b b",
	} {
		var got []string
		rd := &Reader{In: strings.NewReader(text), Router: &Router{}, Program: func(m any) {
			if k := m.(Typed); k.Key != nil {
				got = append(got, k.Key.Name)
			} else if len(k.Burst) == burstKeys {
				got = append(got, "16 keys")
			}
		}}
		if err := rd.Run(t.Context()); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
}

// The program is told of a paste that takes several reads, some times a second at most, and
// of its end.
func TestIncomingPaste(t *testing.T) {
	now := epoch
	var told []Incoming
	pastes := 0
	rd := &Reader{Router: &Router{}, Program: func(m any) {
		if i, ok := m.(Incoming); ok {
			told = append(told, i)
		} else if string(m.(Typed).Paste) != "" {
			pastes++
		}
	}}
	var dec input.Decoder
	send := func(text string) { rd.feed(&dec, []byte(text), now) }
	if send("\x1b[200~at once\x1b[201~"); len(told) != 0 || pastes != 1 {
		t.Errorf("of a paste that came at once was told %v; %d pastes", told, pastes)
	}
	send("\x1b[200~" + strings.Repeat("x", 3000))
	for range 100 {
		send(strings.Repeat("y", 100))
	}
	if len(told) != 1 || told[0].Bytes != 3000 || told[0].All {
		t.Errorf("told %v at once", told)
	}
	now = now.Add(incomingStep)
	send("y")
	send("\x1b[201~")
	if len(told) != 3 || told[1].Bytes != 13001 || !told[2].All || pastes != 2 {
		t.Errorf("told %v, %d pastes", told, pastes)
	}
}

// Only text that means the same to every program, and nothing to the session's state, may
// bypass the host; digits answer dialogs.
func TestDirectText(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "ä": "ä", "Space": " ", "1": "", "9": "", "Enter": "", "C-c": "", "Tab": ""} {
		k := input.Key{Name: name}
		if len([]rune(name)) == 1 {
			k.Press = tea.Key{Code: []rune(name)[0], Text: name}
		}
		if got := directText(k); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestRepliesAreNoInput: what the terminal tells by itself is not taken for a person's
// input: it makes no picture urgent, and nobody is thought to be there because of it.
func TestRepliesAreNoInput(t *testing.T) {
	t.Parallel()
	var got []any
	rd := &Reader{Router: &Router{}, Syncs: func(bool) {}, Answered: func() {}, Program: func(m any) { got = append(got, m) }}
	var dec input.Decoder
	rd.feed(&dec, []byte("\x1b[?2026;2$y\x1b[0n\x1b]11;rgb:ffff/fdfd/f6f6\x1b\\"), time.Now())
	if len(got) != 1 || rd.Router.Busy() || rd.Router.LastInput() != 0 {
		t.Errorf("got %v, busy %v, last input at %d", got, rd.Router.Busy(), rd.Router.LastInput())
	}
	if back, ok := got[0].(Background); !ok || back.IsDark() {
		t.Errorf("got %#v", got[0])
	}
	rd.feed(&dec, []byte("\x1b[I"), time.Now())
	if len(got) != 2 || !rd.Router.Busy() || rd.Router.LastInput() == 0 {
		t.Errorf("the focus is the person's: %v", got)
	}
}
