package paint

import (
	"fmt"
	"strings"
	"testing"

	"ccdir/internal/cells"
)

// linked are the links of a text of some rows of w columns.
func linked(text string, w int, caps Caps) (out []string) {
	h := (Width(text) + w - 1) / w
	s := NewSurface(w, h, caps)
	rest := text
	for y := range h {
		n := len(Head(rest, w))
		s.Text(0, y, w, rest[:n], cells.Style{FG: cells.Indexed(uint8(y))})
		rest = rest[n:]
	}
	s.LinkURLs(Rect{W: w, H: h})
	var last uint8
	for y := range h {
		for _, c := range s.Row(y) {
			id := s.tab.Style(c.Style).Link
			if id != 0 && id != last {
				out = append(out, s.tab.LinkURI(id)+" ")
			}
			if last = id; id != 0 {
				out[len(out)-1] += string(rune(c.Glyph))
			}
		}
	}
	return out
}

// TestLinkURLs: an address in plain text is a link to what is seen, and nothing else is.
func TestLinkURLs(t *testing.T) {
	for text, want := range map[string]string{
		"see https://example.org/a?b=c#d for more": "https://example.org/a?b=c#d",
		"http://localhost:3000 ":                   "http://localhost:3000",
		"HTTPS://Example.org/A ":                   "HTTPS://Example.org/A",
		"(https://example.org/a_(b)). ":            "https://example.org/a_(b)",
		"[x](https://example.org/x), ":             "https://example.org/x",
		"\"https://example.org/x\"":                "https://example.org/x",
		"<https://example.org/x>":                  "https://example.org/x",
		"│https://example.org/x│":                  "https://example.org/x",
		"Look: https://example.org/x!? ":           "https://example.org/x",
		"“https://example.org/x”":                  "https://example.org/x",
		"見https://example.org/x ":                  "https://example.org/x",
		"https://a.example/1 https://a.example/2 ": "https://a.example/1 https://a.example/2",

		"git+https://example.org/x ":     "",
		"https:// x":                     "",
		"https:///x ":                    "",
		"https://-x ":                    "",
		"ssh://example.org/x ":           "",
		"javascript://example.org/x ":    "",
		"file:///etc/passwd ":            "",
		"https://bank.example@evil.org ": "",
		"https://exаmple.org/x ":         "", // a Cyrillic letter
		"https://example.org/é ":         "",
		"https://example.org/e\u0301 ":   "",
		"https://example.org/a… ":        "",
		"https://example.org/a... ":      "",
		"https://example.org/x":          "", // it may go on
		"\x1b]8;;https://x.org\a ":       "",
	} {
		var got []string
		for _, l := range linked(text, max(1, Width(text)), allCaps) {
			to, seen, _ := strings.Cut(l, " ")
			if to != seen {
				t.Errorf("%q leads to %q where it says %q", text, to, seen)
			}
			got = append(got, to)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q links %q, want %q", text, got, want)
		}
	}
	if got := linked("see https://example.org ", 24, Caps{}); got != nil {
		t.Errorf("a terminal without links gets %q", got)
	}
}

// TestLinkURLsWrapped: an address that is wrapped is one link, wherever it is cut.
func TestLinkURLsWrapped(t *testing.T) {
	const text, uri = "a https://example.org/some/long/way?x=1 b", "https://example.org/some/long/way?x=1"
	for w := 3; w < 40; w++ {
		got := linked(text, w, allCaps)
		if len(got) != 1 || got[0] != uri+" "+uri {
			t.Errorf("%d columns: %q", w, got)
		}
	}
}

// TestLinkURLsKeeps: a link that the program made stays, and many addresses leave room for more.
func TestLinkURLsKeeps(t *testing.T) {
	s := NewSurface(40, 2, allCaps)
	own := s.Link("https://own.example/")
	s.Text(0, 0, 40, "https://seen.example/ x", cells.Style{Link: own})
	s.LinkURLs(Rect{W: 40, H: 1})
	if got := s.tab.Style(s.Row(0)[3].Style).Link; got != own {
		t.Errorf("the program's link became %q", s.tab.LinkURI(got))
	}
	for i := range 2 * cells.MaxLinks {
		s.Text(0, 1, 40, fmt.Sprintf("https://%d.example/ ", i), cells.Style{})
		s.LinkURLs(Rect{Y: 1, W: 40, H: 1})
	}
	if s.tab.Links() > mostURLs || s.Link("https://another.example/") == 0 || !s.Crowded() {
		t.Errorf("%d links, crowded: %v", s.tab.Links(), s.Crowded())
	}
	if s.Renew(); s.Crowded() {
		t.Error("still crowded")
	}
	s.LinkURLs(Rect{X: -1, W: 9, H: 1}) // outside: nothing happens
	s.LinkURLs(Rect{X: 39, Y: 1, W: 9, H: 1})
	s.LinkURLs(Rect{Y: 1, W: 9, H: 2})
}

// FuzzLinkURLs: whatever is on the screen, a link leads to what is seen there.
func FuzzLinkURLs(f *testing.F) {
	f.Add("see https://example.org/a?b=c#d, x", 7)
	f.Add("https://a@b https://c… http://", 80)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if w < 1 || w > 200 || len(text) > 4000 {
			return
		}
		for _, l := range linked(text, w, allCaps) {
			to, seen, _ := strings.Cut(l, " ")
			if !cells.SafeLink(to) || !strings.HasPrefix(strings.ToLower(to), "http") {
				t.Errorf("%q in %q", to, text)
			}
			if to != seen {
				t.Errorf("%q leads to %q where it says %q", text, to, seen)
			}
		}
	})
}
