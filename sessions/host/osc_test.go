package host

import (
	"slices"
	"testing"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

// TestNotifications: only texts of OSC 9 and 777 are notifications, not the commands that
// other terminals take under these numbers.
func TestNotifications(t *testing.T) {
	for _, test := range []struct {
		command string
		want    []string
	}{
		{"9;hello", []string{"hello"}},
		{"9;10 tests failed", []string{"10 tests failed"}},
		{"9;4 files", []string{"4 files"}},
		{"9;2024;done", []string{"2024;done"}},
		{"9;a;b", []string{"a;b"}},
		{"9;1;500", nil},
		{"9;2;boo", nil},
		{"9;3;tab", nil},
		{"9;4", nil},
		{"9;4;1;50", nil},
		{"9;5", nil},
		{"9;9;/", nil},
		{"9;9;\"C:\\\"", nil},
		{"9;12", nil},
		{"9;", nil},
		{"9", nil},
		{"777;notify;title;text", []string{"title;text"}},
		{"777;precmd", nil},
		{"777;preexec", nil},
		{"777;container;push;box", nil},
	} {
		h := quietHost(engineVT, 80, 24)
		h.output([]byte("\x1b]" + test.command + "\a"))
		h.mu.Lock()
		var got []string
		for _, e := range h.evidence.all() {
			if e.Name == wire.EvidenceNotify {
				got = append(got, e.Fields["text"])
			}
		}
		h.mu.Unlock()
		if !slices.Equal(got, test.want) {
			t.Errorf("OSC %s: notifications %q, want %q", test.command, got, test.want)
		}
	}
}

// answers returns what the terminal writes back to output.
func answers(h *host, output string) string {
	h.output([]byte(output))
	h.mu.Lock()
	defer h.mu.Unlock()
	p := string(h.replies)
	h.replies = nil
	return p
}

// TestColourQueries: one answer each, in order, ended as the query was, before those that
// follow.
func TestColourQueries(t *testing.T) {
	for _, engine := range []string{engineVT, engineVT10x} {
		da := map[string]string{engineVT: "\x1b[?1;2c", engineVT10x: "\x1b[?62;22c"}[engine]
		for _, test := range []struct{ asks, want string }{
			{"\x1b]11;?\x1b\\\x1b]10;?\a\x1b]4;1;?\x1b\\\x1b[c",
				"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b]10;rgb:e5e5/e5e5/e5e5\a\x1b]4;1;rgb:cdcd/0000/0000\x1b\\" + da},
			{"\x1b]10;?;?\a", "\x1b]10;rgb:e5e5/e5e5/e5e5\a\x1b]11;rgb:0000/0000/0000\a"},
			{"\x1b]4;0;?;231;?\a", "\x1b]4;0;rgb:0000/0000/0000\a\x1b]4;231;rgb:ffff/ffff/ffff\a"},
			{"\x1b]12;?\a", "\x1b]12;rgb:e5e5/e5e5/e5e5\a"},
			{"\x1b]4;256;?\a\x1b]4;x;?\a\x1b]4;1\a\x1b]11;#123456\a\x1b]11;\a\x1b]4;1;red\a", ""},
			{"\x1b]7501;?\x1b\\\x1b]7501;?\a", "\x1b]7501;?\x1b\\\x1b]7501;?\a"},
		} {
			if got := answers(quietHost(engine, 80, 24), test.asks); got != test.want {
				t.Errorf("%s: %q is answered %q, want %q", engine, test.asks, got, test.want)
			}
		}
	}
}

// TestColoursOfClients: an application is told the colours of the terminal in which somebody
// typed last, also when it is gone.
func TestColoursOfClients(t *testing.T) {
	h := quietHost(engineVT, 80, 24)
	view := func(c *client, background uint8) {
		c.setView(wire.View{Visible: true, Cols: 80, Rows: 24,
			Colours: wire.Colours{Known: background > 0, Background: wire.RGB{R: background}, Foreground: wire.RGB{B: background}}})
	}
	want := func(when, background string) {
		t.Helper()
		if got := answers(h, "\x1b]11;?\a"); got != "\x1b]11;rgb:"+background+"\a" {
			t.Errorf("%s: %q", when, got)
		}
	}
	h.spec.Light = true
	want("a light theme", "ffff/ffff/ffff")
	first, second, third := quietClient(h), quietClient(h), quietClient(h)
	for c := range h.clients {
		c.may = func() bool { return true }
	}
	view(third, 0)
	want("a terminal that does not answer", "ffff/ffff/ffff")
	view(first, 0x11)
	want("the only one that does", "1111/0000/0000")
	if got := answers(h, "\x1b]10;?\a"); got != "\x1b]10;rgb:0000/0000/1111\a" {
		t.Errorf("foreground: %q", got)
	}
	h.note(first, "text", false, func(screen.State) []byte { return nil })
	view(second, 0x22)
	want("another one looks", "1111/0000/0000")
	h.note(second, "text", false, func(screen.State) []byte { return nil })
	want("somebody types there", "2222/0000/0000")
	view(first, 0x33)
	view(second, 0x44)
	want("it becomes dark", "4444/0000/0000")
	view(second, 0)
	want("its pane is hidden", "4444/0000/0000")
}

// TestColourScheme: an application learns whether the terminal is dark or light when it asks,
// and in mode 2031 when that has changed, once; nothing else is sent to it.
func TestColourScheme(t *testing.T) {
	h := quietHost(engineVT, 80, 24)
	h.spec.Light = true
	c := quietClient(h)
	c.may = func() bool { return true }
	view := func(r uint8) string {
		c.setView(wire.View{Visible: true, Cols: 80, Rows: 24, Colours: wire.Colours{Known: r > 0, Background: wire.RGB{R: r, G: r, B: r}}})
		return answers(h, "")
	}
	const dark, light = "\x1b[?997;1n", "\x1b[?997;2n"
	if got := answers(h, "\x1b[?996n\x1b[996n"); got != light {
		t.Errorf("a light theme is answered %q", got)
	}
	if got := view(0x10); got != "" {
		t.Errorf("without mode 2031 it is sent %q", got)
	}
	if got := answers(h, "\x1b[?996n\x1b[?2031$p\x1b[?2031h\x1b[?2031$p"); got != dark+"\x1b[?2031;2$y\x1b[?2031;1$y" {
		t.Errorf("a dark terminal is answered %q", got)
	}
	for _, step := range []struct {
		background uint8
		want       string
	}{{0x20, ""}, {0xf0, light}, {0xee, ""}, {0, ""}, {0x11, dark}} {
		if got := view(step.background); got != step.want {
			t.Errorf("background %#x: sent %q, want %q", step.background, got, step.want)
		}
	}
	answers(h, "\x1b[?2031l")
	if got := view(0xff); got != "" {
		t.Errorf("after the mode's end it is sent %q", got)
	}
}
