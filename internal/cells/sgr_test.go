package cells

import (
	"strings"
	"testing"
)

// TestBoundSGR: a sequence of more parameters than terminals have room for becomes
// several, cut between colours and not within.
func TestBoundSGR(t *testing.T) {
	all := Style{Attrs: Bold | Dim | Italic | Blink | Inverse | Hidden | Strike | Overline, Underline: UnderlineCurly,
		FG: RGB(38, 2, 5), BG: RGB(48, 5, 48), UnderlineColor: RGB(1, 2, 3)}
	for in, want := range map[string]string{
		"\x1b[m":    "\x1b[m",
		"\x1b[0;1m": "\x1b[0;1m",
		"\x1b[" + strings.Repeat("1;", 15) + "2m":                       "\x1b[" + strings.Repeat("1;", 15) + "2m",
		"\x1b[" + strings.Repeat("1;", 16) + "2m":                       "\x1b[" + strings.Repeat("1;", 15) + "1m\x1b[2m",
		"\x1b[" + strings.Repeat("1;", 14) + "38;5;208;48;2;38;5;48;9m": "\x1b[" + strings.Repeat("1;", 13) + "1m\x1b[38;5;208;48;2;38;5;48;9m",
		"\x1b[0" + string(all.AppendSGR(nil)) + "m":                     "\x1b[0;1;2;3;5;7;8;9;4:3;53;38;2;38;2;5m\x1b[48;2;48;5;48;58:2::1:2:3m",
	} {
		if got := string(BoundSGR([]byte("before"+in), len("before"))); got != "before"+want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
