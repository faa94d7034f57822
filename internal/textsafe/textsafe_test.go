package textsafe

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain text", "plain text"},
		{"naïve 日本 👩‍🚀", "naïve 日本 👩‍🚀"},
		{"a\x1b[31mb", "a␛[31mb"},
		{"a\nb\tc\r", "a␊b␉c␍"},
		{"\x7f", "␡"},
		{"\u009b31m", "<U+009B>31m"},
		{"abc\u202edef", "abc<U+202E>def"},
		{"bad \xff utf-8", "bad \ufffd utf-8"},
		{"\u2028", "<U+2028>"},
	} {
		if got := Line(c.in); got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestBlock(t *testing.T) {
	if got, want := Block("a\r\nb\rc\td\x1b"), "a\nb\nc\td␛"; got != want {
		t.Errorf("Block = %q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 4, "abc…"}, {"日本語", 2, "日…"},
		{"日本語", 3, "日本語"}, {"x", 0, ""}, {"ab", 1, "…"},
	} {
		if got := Cut(c.in, c.n); got != c.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("a\x1b]0;x\a\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		out := Line(s)
		if !utf8.ValidString(out) {
			t.Fatalf("Line(%q) is not valid UTF-8", s)
		}
		for _, r := range out {
			if unicode.IsControl(r) {
				t.Fatalf("Line(%q) holds control character %U", s, r)
			}
		}
		if Line(out) != out {
			t.Fatalf("Line is not idempotent on %q", s)
		}
	})
}
