package vt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ccdir/sessions/screen"
)

// TestInvalidUTF8: one U+FFFD for each maximal subpart (Unicode 15, 3.9, tables
// 3-8 to 3-11).
func TestInvalidUTF8(t *testing.T) {
	const fffd = "\ufffd"
	for _, c := range []struct{ in, want string }{
		{"\xc0\xafA", fffd + fffd + "A"},
		{"\xe0\x9f\x80A", fffd + fffd + fffd + "A"},
		{"\xed\xa0\x80A", fffd + fffd + fffd + "A"},
		{"\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", fffd + fffd + fffd + fffd + fffd + "A" + fffd + fffd + "B"},
		{"\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", fffd + fffd + fffd + fffd + "A"},
		{"\xe2\x82\x1b[1mA", fffd + "A"},
		{"\xe3\x81\xe3\x81\x82", fffd + "あ"},
		{"\x80\x9b1A", fffd + fffd + "1A"},
		{"\xe2\x9c\xb6", "✶"},
	} {
		for _, chunk := range []int{0, 1} {
			term := New(screen.Options{Cols: 20, Rows: 1})
			feed(term, []byte(c.in), chunk)
			if got := gridText(term)[0]; got != c.want {
				t.Errorf("%q in chunks of %d shows %q, want %q", c.in, chunk, got, c.want)
			}
		}
	}
}

func TestParser(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"CAN ends a sequence", "a\x1b[3\x18mb", "amb"},
		{"SUB ends a sequence", "a\x1b[3\x1amb", "amb"},
		{"ESC begins anew", "a\x1b[3\x1b[Cb", "a b"},
		{"controls act inside a sequence", "ab\x1b[\r1Cc", "ac"},
		{"DEL is nothing", "a\x7fb\x1b[\x7fCc", "ab c"},
		{"unknown finals do nothing", "a\x1b[5yb\x1b[?5zc\x1b[>1xd", "abcd"},
		{"prefix in the middle voids", "a\x1b[1?2Cb", "ab"},
		{"digits after intermediates void", "a\x1b[1$2Cb", "ab"},
		{"three intermediates match nothing", "a\x1b !\"pb\x1b[ !\"qc", "abc"},
		{"huge numbers", "a\x1b[99999999999999999999Cb", "a        b"},
		{"colons are not parameters", "a\x1b[2:9Cb", "a  b"},
		{"many parameters", "a\x1b[" + strings.Repeat("1;", 500) + "5mb", "ab"},
		{"many parts", "a\x1b[38" + strings.Repeat(":1", 500) + "mb", "ab"},
		{"APC, PM, SOS are skipped", "a\x1b_x;y\x07z\x1b\\b\x1b^q\x1b\\c\x1bXq\x1b\\d", "abcd"},
		{"DCS is skipped", "a\x1bP1;2|abc\x07def\x1b\\b", "ab"},
		{"C1 as code points", "a\u009b2Cb\u009d0;t\u009cc", "a  bc"},
		{"9C inside a character is no ST", "\x1b]0;✶ title\x07ok", "ok"},
		{"C1 in a string ends it", "\x1b]0;x\u009bCa", " a"},
		{"text beyond ASCII ends a sequence", "a\x1b[é3Cb\x1bécd", "a3Cbcd"},
		{"OSC is ended by CAN", "\x1b]0;x\x18a", "a"},
	} {
		for _, chunk := range []int{0, 1, 3} {
			term := New(screen.Options{Cols: 10, Rows: 2})
			feed(term, []byte(c.in), chunk)
			if got := gridText(term)[0]; got != c.want {
				t.Errorf("%s: %q in chunks of %d shows %q, want %q", c.name, c.in, chunk, got, c.want)
			}
		}
	}
}

// TestListener: what is told out of band, in order, and answered in order with
// the engine's own replies.
func TestListener(t *testing.T) {
	rec := &recorder{}
	rec.answer = func(code int, data []byte) []byte {
		if bytes.Equal(data, []byte("?")) {
			return fmt.Appendf(nil, "<%d>", code)
		}
		return nil
	}
	term := New(screen.Options{Cols: 10, Rows: 2, Listener: rec, Name: "ccdir", Version: "1"})
	term.Feed([]byte("\x07\x1b]0;a;b\x07\x1b[5n\x1b]11;?\x1b\\\x1b]104\x07\x1b[c\x1b]7501;x=1\x1b\\\x1b]l;x\x07\x1b];x\x07\x1b]1234567;x\x07\x1b]9;\x1b]52;c;" + strings.Repeat("A", 100) + "\x1b\\\x1b[>q"))
	want := []string{"bell", `0;"a;b"`, `11;"?"`, `104;""`, `7501;"x=1"`, `9;""`, fmt.Sprintf("52;%q", "c;"+strings.Repeat("A", 100))}
	if !slices.Equal(rec.events, want) {
		t.Errorf("told %q, want %q", rec.events, want)
	}
	if got, want := string(term.TakeReplies(nil)), "\x1b[0n<11>\x1b[?1;2c\x1bP>|ccdir 1\x1b\\"; got != want {
		t.Errorf("replies %q, want %q", got, want)
	}
	if got := term.TakeReplies(nil); len(got) != 0 {
		t.Errorf("replies are given twice: %q", got)
	}
	if title := term.State().Title; title != "a;b" {
		t.Errorf("title %q", title)
	}
}

// TestStringLimits: strings that are too long are dropped whole, and memory
// does not stay with them.
func TestStringLimits(t *testing.T) {
	rec := &recorder{}
	term := New(screen.Options{Cols: 10, Rows: 2, Listener: rec})
	body := strings.Repeat("x", maxOSC-len("52;"))
	term.Feed([]byte("\x1b]52;" + body + "\x07"))
	if len(rec.events) != 1 {
		t.Fatalf("an OSC of %d bytes is not told", maxOSC)
	}
	term.Feed([]byte("\x1b]52;" + body + "y\x07a\x1bP$q" + strings.Repeat("m", maxDCS) + "\x1b\\b"))
	if len(rec.events) != 1 {
		t.Errorf("an OSC that is too long is told")
	}
	if r := term.TakeReplies(nil); len(r) > 0 {
		t.Errorf("a DCS that is too long is answered: %q", r)
	}
	wantGrid(t, term, "ab")
	if n := cap(term.parser.str); n > keepString {
		t.Errorf("%d bytes are kept for strings", n)
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\x1b]2;a\x01b\tc\x07", "abc"},
		{"\x1b]0;\xff\xfex\x07", "\ufffd\ufffdx"},
		{"\x1b]0;" + strings.Repeat("é", 1000) + "\x07", strings.Repeat("é", maxTitle/2)},
		{"\x1b]2;one\x07\x1b[22;0t\x1b]2;two\x07\x1b[23;0t", "one"},
		{"\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t\x1b[23t", "one"},
		{"\x1b]2;one\x07\x1b]1;icon\x07", "one"},
	} {
		if got := newTest(10, 2, c.in).State().Title; got != c.want {
			t.Errorf("%q gives title %q, want %q", c.in, got, c.want)
		}
	}
	term := newTest(10, 2, strings.Repeat("\x1b]2;x\x07\x1b[22t", 1000))
	if len(term.titles) > maxTitles {
		t.Errorf("%d titles are kept", len(term.titles))
	}
}
