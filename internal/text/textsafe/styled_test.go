package textsafe

import (
	"regexp"
	"strings"
	"testing"
)

func TestStyled(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"\x1b[0;1;38;5;9mred\x1b[m\n", "\x1b[0;1;38;5;9mred\x1b[m\n"},
		{"\x1b[0;4:3mcurly\x1b[m", "\x1b[0;4:3mcurly\x1b[m"},
		{"\x1b]8;;https://example.org/a\x1b\\x\x1b]8;;\x1b\\", "\x1b]8;;https://example.org/a\x1b\\x\x1b]8;;\x1b\\"},
		{"\x1b[31mab\u202ecd\x1b[m", "\x1b[31mab<U+202E>cd\x1b[m"},
		{"\x1b]0;title\a\x1b[2J\x1bc\x1b", "␛]0;title␇␛[2J␛c␛"},
		{"\x1b]8;;a b\x1b\\", "␛]8;;a b␛\\"},
		{"\x1b]8;;never ended", "␛]8;;never ended"},
		{"\x1b[31\x1b[m", "␛[31\x1b[m"},
		{"\u009b31m", "<U+009B>31m"},
	} {
		if got := Styled(c.in); got != c.want {
			t.Errorf("Styled(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzStyled(f *testing.F) {
	ours := regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;;[!-~]*?\x1b\\`)
	f.Add("\x1b[31mab\u202ecd\x1b[m\x1b]8;;http://x\x1b\\\x1b]52;c;x\a")
	f.Fuzz(func(t *testing.T, s string) {
		rest := ours.ReplaceAllString(Styled(s), "")
		if i := strings.IndexFunc(rest, func(r rune) bool { return r != '\n' && r != '\t' && unsafe(r) }); i >= 0 {
			t.Fatalf("Styled(%q) has %q", s, rest[i:])
		}
	})
}
