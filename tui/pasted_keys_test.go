package tui

import (
	"cmp"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/pane"
	"ccdir/tui/prompt"
	"ccdir/tui/terminal"
	"ccdir/wire"
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

// TestPasteWithoutBrackets: what a terminal sends as keys reaches a pane whole and in
// order, though its queue holds a small part of it.
func TestPasteWithoutBrackets(t *testing.T) {
	text := strings.Repeat("one line of it, 日本語 and 😀\r\ttabs\r", 5_000)
	for _, size := range []int{7, 1000, 4095} {
		c := newFakeClient()
		host := c.host("aaaa1111")
		p := pane.New(pane.Config{ID: "aaaa1111", Dialer: c})
		p.Start(t.Context())
		rd := &terminal.Reader{In: &pieces{[]byte(text), size}, Router: &terminal.Router{}, Program: func(any) { t.Error("the program got a key") }}
		rd.Router.Set(terminal.Route{Pane: p, Prefix: "C-b"})
		if err := rd.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		arrived := func() (got string, messages int) {
			host.seen(func(h *fakeHost) bool { got, messages = typedInto(h), len(h.inputs); return true })
			return got, messages
		}
		eventually(t, "all of it arrives", func() bool { got, _ := arrived(); return len(got) >= len(text) })
		p.Close()
		got, messages := arrived()
		if dropped := p.State().Dropped; got != text || dropped != 0 {
			t.Errorf("pieces of %d: %d bytes of %d, %d dropped", size, len(got), len(text), dropped)
		}
		if size > 1000 && messages > len(text)/900 {
			t.Errorf("%d messages for %d bytes", messages, len(text))
		}
	}
}

// typedInto is the text that a host was given. h.mu is held.
func typedInto(h *fakeHost) string {
	var b strings.Builder
	for _, in := range h.inputs {
		text := string(in.Text)
		if in.Type == wire.InputKey && text == "Space" {
			text = " "
		} else if in.Type == wire.InputKey {
			text = cmp.Or(map[string]string{"Enter": "\r", "C-j": "\n", "Tab": "\t"}[text], text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// bursts are the messages that the reader makes of input for the program.
func bursts(text string, size int) (out []tea.Msg) {
	rd := &terminal.Reader{In: &pieces{[]byte(text), size}, Router: &terminal.Router{}, Now: func() time.Time { return epoch }, Program: func(m any) { out = append(out, m) }}
	_ = rd.Run(context.Background()) // ends with the input
	return out
}

// TestPromptPasteWithoutBrackets: in the prompt bar lines that come at once are a
// paste, and no line break of it sends anything; what a person typed and ended with
// Enter, though it came in one piece, is sent.
func TestPromptPasteWithoutBrackets(t *testing.T) {
	now := epoch
	for _, tt := range []struct {
		name, text string
		size       int
		want       string // in the bar afterwards
		sent       string
	}{
		{"lines", "first line\r\tsecond line\rthird line", 4096, "first line\n\tsecond line\nthird line", ""},
		{"a last line break", "first line\rsecond line\r", 4096, "first line\nsecond line\n", ""},
		{"small pieces behind", "first line\rsecond line\rx\r", 22, "first line\nsecond line\nx\n", ""},
		{"typed", "a prompt that was typed\r", 4096, "", "send aaaa1111 a prompt that was typed"},
		{"typed shortly", "fix it\r", 4096, "", "send aaaa1111 fix it"},
		{"typed ahead", "fix it all\r\x02l\x02:and the next one", 4096, "and the next one", "send aaaa1111 fix it all"},
		{"one long line", strings.Repeat("word ", 1000) + "end\r", 4095, strings.Repeat("word ", 1000) + "end\n", ""},
		{"a megabyte", strings.Repeat("0123456789abcde\r", 1<<16), 4095, strings.Repeat("0123456789abcde\n", 1<<16), ""},
	} {
		m, c := clientModel(t, two()...)
		m.now = func() time.Time { return now }
		do(m, "C-b", ":")
		for _, msg := range bursts(tt.text, tt.size) {
			_, cmd := m.Update(msg)
			perform(m, cmd)
		}
		if got := m.prompt.Text(); got != tt.want {
			t.Errorf("%s: %d bytes, begin %.60q", tt.name, len(got), got)
		}
		if got := strings.Join(c.sends(), " "); got != tt.sent {
			t.Errorf("%s: sent %.80q", tt.name, got)
		}
		if tt.sent != "" {
			continue
		}
		// A person's Enter comes later.
		now = now.Add(prompt.PasteGap)
		for _, msg := range bursts("\r", 1) {
			k := *msg.(terminal.Typed).Key
			k.At = now
			_, cmd := m.Update(terminal.Typed{Key: &k, At: now})
			perform(m, cmd)
		}
		if got := c.sends(); len(got) != 1 {
			t.Errorf("%s: Enter did not send it: %d", tt.name, len(got))
		}
		now = epoch
	}
}

// TestBurstsElsewhere: keys that came at once are keys for dialogs.
func TestBurstsElsewhere(t *testing.T) {
	m, _ := clientModel(t, fourSessions...)
	press(m, "C-b", "s")
	for _, msg := range bursts("/docs and nothing that is there", 4096) {
		m.Update(msg)
	}
	if d := list(t, m); d.View.Query.String() != "docs and nothing that is there" {
		t.Errorf("filter %q", d.View.Query.String())
	}
}

// TestBurstsAnswerNothing: a paste that comes as keys is no answer to a question, and
// what a person presses after it is.
func TestBurstsAnswerNothing(t *testing.T) {
	m, c := asking(t)
	now := m.now()
	m.now = func() time.Time { return now }
	paste := func() {
		for _, msg := range bursts("yes, all of it, y\rand yes to this\ry\r", 34) {
			if k := msg.(terminal.Typed).Key; k != nil {
				k.At = now
			}
			_, cmd := m.Update(msg)
			perform(m, cmd)
		}
	}
	do(m, "C-b", "a")
	if paste(); m.bar() == nil || len(c.answers()) > 0 {
		t.Errorf("bar %v, answers %v", m.bar(), c.answers())
	}
	now = now.Add(prompt.PasteGap)
	if do(m, "y"); len(c.answers()) != 1 {
		t.Errorf("answers %v", c.answers())
	}
	m.overlay = nil
	now = now.Add(time.Minute)
	do(m, "C-b", "x")
	if paste(); m.overlay == nil || len(calledFor(c, "kill")) > 0 {
		t.Errorf("overlay %T, called %v", m.overlay, c.noted())
	}
	now = now.Add(prompt.PasteGap)
	if do(m, "y"); len(calledFor(c, "kill")) != 1 {
		t.Errorf("called %v", c.noted())
	}
}

// TestEnterRightAfterAPaste: an Enter that is taken for a line break of the paste says
// so and what sends; more of the paste takes the words away, and so does sending.
func TestEnterRightAfterAPaste(t *testing.T) {
	m, c := clientModel(t, two()...)
	now := epoch
	m.now = func() time.Time { return now }
	do(m, "C-b", ":")
	send := func(text string) {
		for _, msg := range bursts(text, 4096) {
			k := msg.(terminal.Typed)
			k.At = now
			if k.Key != nil {
				k.Key.At = now
			}
			for i := range k.Burst {
				k.Burst[i].At = now
			}
			_, cmd := m.Update(k)
			perform(m, cmd)
		}
	}
	send("first line\rsecond line of it")
	if m.prompt.Problem() != "" {
		t.Errorf("before any Enter: %q", m.prompt.Problem())
	}
	now = now.Add(prompt.PasteGap / 2)
	send("\r")
	if shows(t, m, "so soon after a paste Enter is a line break of it: press it again to send"); len(c.sends()) != 0 {
		t.Errorf("sent %v", c.sends())
	}
	now = now.Add(prompt.PasteGap / 2)
	if send("more of it, a slow line\rand more"); m.prompt.Problem() != "" || len(c.sends()) != 0 {
		t.Errorf("the paste goes on: %q, sent %v", m.prompt.Problem(), c.sends())
	}
	now = now.Add(prompt.PasteGap / 2)
	send("\r")
	now = now.Add(prompt.PasteGap)
	if send("\r"); len(c.sends()) != 1 || m.prompt.Problem() != "" {
		t.Errorf("sent %v, %q", c.sends(), m.prompt.Problem())
	}
}
