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
		// What reorders or hides without being a control character.
		{"a\u200bp\u2060i", "a<U+200B>p<U+2060>i"},
		{"a\u200dpi a\u200cpi", "a<U+200D>pi a<U+200C>pi"},
		{"x\u200ey\u200fz\u061c", "x<U+200E>y<U+200F>z<U+061C>"},
		{"so\u00adft\u034f", "so<U+00AD>ft<U+034F>"},
		{"a\u3164b\uffa0", "a<U+3164>b<U+FFA0>"},
		{"hi\U000e0068\U000e0069", "hi<U+E0068><U+E0069>"},
		{"☺\ufe0f\ufe01\ufe02", "☺\ufe0f<U+FE01><U+FE02>"},
		{"\ufe0f", "<U+FE0F>"}, {"é\u200b\u200d\u200d", "é<U+200B><U+200D><U+200D>"}, {"ह\u200d\u200c", "ह\u200d<U+200C>"},
		{"\U0001f3f4\U000e0068\U000e0069\U000e007f", "\U0001f3f4<U+E0068><U+E0069><U+E007F>"},
		// What is ordinary.
		{"می\u200cخواهم क्\u200dष ❤\ufe0f\u200d🔥 1\ufe0f\u20e3", "می\u200cخواهم क्\u200dष ❤\ufe0f\u200d🔥 1\ufe0f\u20e3"},
		{"\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f!", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f!"},
		{"🇩🇪 🏴\u200d☠\ufe0f e\u0301 \u06dd ", "🇩🇪 🏴\u200d☠\ufe0f e\u0301 \u06dd "},
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
	f.Add("é\u200d\u200d\ufe0f\ufe01\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f")
	f.Fuzz(func(t *testing.T, s string) {
		out := Line(s)
		if !utf8.ValidString(out) {
			t.Fatalf("Line(%q) is not valid UTF-8", s)
		}
		for _, r := range out {
			if unicode.IsControl(r) || r == 0x200b || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f {
				t.Fatalf("Line(%q) holds control character %U", s, r)
			}
		}
		if Line(out) != out {
			t.Fatalf("Line is not idempotent on %q", s)
		}
	})
}
