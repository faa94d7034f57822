package vt

import (
	"encoding/hex"
	"strings"
	"testing"

	"ccdir/sessions/screen"
)

func TestReports(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"DSR", "\x1b[5n", "\x1b[0n"},
		{"CPR", "ab\r\nc\x1b[6n", "\x1b[2;2R"},
		{"CPR with a wrap pending", "0123456789\x1b[6n", "\x1b[1;10R"},
		{"DECXCPR", "\x1b[?6n", "\x1b[?1;1R"},
		{"DA1", "\x1b[c\x1b[0c\x1bZ", "\x1b[?1;2c\x1b[?1;2c\x1b[?1;2c"},
		{"DA1 with a parameter", "\x1b[1c", ""},
		{"DA2", "\x1b[>c", "\x1b[>0;276;0c"},
		{"XTVERSION", "\x1b[>0q", "\x1bP>|ccdir 0.1\x1b\\"},
		{"DECRQM ANSI", "\x1b[4$p\x1b[4h\x1b[4$p\x1b[20$p\x1b[99$p", "\x1b[4;2$y\x1b[4;1$y\x1b[20;2$y\x1b[99;0$y"},
		{"DECRQM 2026", "\x1b[?2026$p\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;2$y\x1b[?2026;1$y"},
		{"DECRQM 2027", "\x1b[?2027$p", "\x1b[?2027;3$y"},
		{"DECRQM of what is not there", "\x1b[?69$p\x1b[?12345$p", "\x1b[?69;0$y\x1b[?12345;0$y"},
		{"DECRQM mouse", "\x1b[?1002h\x1b[?1000$p\x1b[?1002$p\x1b[?1006h\x1b[?1006$p", "\x1b[?1000;2$y\x1b[?1002;1$y\x1b[?1006;1$y"},
		{"DECRQM alternate", "\x1b[?1049h\x1b[?1049$p\x1b[?47$p", "\x1b[?1049;1$y\x1b[?47;1$y"},
		{"DECRQSS SGR", "\x1b[1;4:3;38;2;1;2;3;48;5;200;58;5;9m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;38;2;1;2;3;48;5;200;58:5:9m\x1b\\"},
		{"DECRQSS margins", "\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\"},
		{"DECRQSS cursor", "\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\"},
		{"DECRQSS protection", "\x1bP$q\"q\x1b\\\x1b[1\"q\x1bP$q\"q\x1b\\", "\x1bP1$r0\"q\x1b\\\x1bP1$r1\"q\x1b\\"},
		{"DECRQSS unknown", "\x1bP$qz\x1b\\", "\x1bP0$r\x1b\\"},
		{"XTGETTCAP", "\x1bP+q" + hex.EncodeToString([]byte("Co")) + "\x1b\\\x1bP+q7a7a\x1b\\", "\x1bP1+r436f=323536\x1b\\\x1bP0+r\x1b\\"},
		{"size in characters", "\x1b[18t", "\x1b[8;4;10t"},
		{"sizes in pixels", "\x1b[14t\x1b[16t", "\x1b[4;64;80t\x1b[6;16;8t"},
		{"no windows are moved", "\x1b[3;1;1t\x1b[8;50;50t\x1b[21t", ""},
	} {
		term := New(screen.Options{Cols: 10, Rows: 4, Name: "ccdir", Version: "0.1"})
		term.Feed([]byte(c.in))
		if got := string(term.TakeReplies(nil)); got != c.want {
			t.Errorf("%s: %q is answered %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

// TestReplyLimit: replies nobody takes do not grow; each is whole or missing.
func TestReplyLimit(t *testing.T) {
	term := newTest(10, 4, strings.Repeat("\x1b[c", 100_000))
	got := term.TakeReplies(nil)
	if len(got) > maxReplies || len(got) < maxReplies-10 || len(got)%len("\x1b[?1;2c") != 0 {
		t.Errorf("%d bytes of replies are kept", len(got))
	}
	term.Feed([]byte("\x1b[5n"))
	if got := string(term.TakeReplies(nil)); got != "\x1b[0n" {
		t.Errorf("after taking them %q is answered", got)
	}
}

func TestKittyKeyboard(t *testing.T) {
	term := New(screen.Options{Cols: 10, Rows: 4, KittyKeyboard: true})
	for _, c := range []struct {
		in   string
		want uint8
	}{
		{"\x1b[>1u", 1}, {"\x1b[>9u", 9}, {"\x1b[<u", 1}, {"\x1b[=8;2u", 9}, {"\x1b[=1;3u", 8}, {"\x1b[=17u", 17}, {"\x1b[<9u", 0},
		{"\x1b[>255u", screen.KittyKept}, {"\x1b[?1049h", 0}, {"\x1b[>16u", 16}, {"\x1b[?1049l", screen.KittyKept}, {"\x1b[?1049h", 16}, {"\x1bc", 0},
		{strings.Repeat("\x1b[>1u", 100) + strings.Repeat("\x1b[<u", 15), 1},
	} {
		term.Feed([]byte(c.in))
		if got := term.State().Modes.KittyFlags; got != c.want {
			t.Errorf("after %q the flags are %d, want %d", c.in, got, c.want)
		}
	}
	term.Feed([]byte("\x1b[<99u\x1b[=13u\x1b[?u"))
	if got := string(term.TakeReplies(nil)); got != "\x1b[?9u" { // nobody reports alternate keys, flag 4
		t.Errorf("query is answered %q", got)
	}
	if plain := newTest(10, 4, "\x1b[>1u\x1b[?u"); len(plain.TakeReplies(nil)) > 0 || plain.State().Modes.KittyFlags != 1 {
		t.Error("a query is answered though the protocol is not configured, or it is not tracked")
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		in   string
		want func(screen.State) bool
	}{
		{"\x1b[?1h", func(s screen.State) bool { return s.Modes.AppCursor }},
		{"\x1b=", func(s screen.State) bool { return s.Modes.AppKeypad }},
		{"\x1b[?66h", func(s screen.State) bool { return s.Modes.AppKeypad }},
		{"\x1b[?2004h", func(s screen.State) bool { return s.Modes.BracketedPaste }},
		{"\x1b[?1004h", func(s screen.State) bool { return s.Modes.FocusEvents }},
		{"\x1b[?1007h", func(s screen.State) bool { return s.Modes.AltScroll }},
		{"\x1b[20h", func(s screen.State) bool { return s.Modes.NewLine }},
		{"\x1b[?5h", func(s screen.State) bool { return s.Modes.ReverseVideo }},
		{"\x1b[?9h", func(s screen.State) bool { return s.Modes.Mouse == screen.MouseX10 }},
		{"\x1b[?1000h", func(s screen.State) bool { return s.Modes.Mouse == screen.MouseNormal }},
		{"\x1b[?1002h", func(s screen.State) bool { return s.Modes.Mouse == screen.MouseButton }},
		{"\x1b[?1000;1003h", func(s screen.State) bool { return s.Modes.Mouse == screen.MouseAny }},
		{"\x1b[?1003h\x1b[?1003l", func(s screen.State) bool { return s.Modes.Mouse == screen.MouseOff }},
		{"\x1b[?1005h", func(s screen.State) bool { return s.Modes.MouseEncoding == screen.MouseUTF8 }},
		{"\x1b[?1006h", func(s screen.State) bool { return s.Modes.MouseEncoding == screen.MouseSGR }},
		{"\x1b[?1015h", func(s screen.State) bool { return s.Modes.MouseEncoding == screen.MouseURXVT }},
		{"\x1b[?1016h", func(s screen.State) bool { return s.Modes.MouseEncoding == screen.MouseSGRPixels }},
		{"\x1b[?2031h", func(s screen.State) bool { return s.Modes.ColorScheme }},
		{"\x1b[>4;2m", func(s screen.State) bool { return s.Modes.ModifyOtherKeys == 2 }},
		{"\x1b[>4;2m\x1b[>4m", func(s screen.State) bool { return s.Modes.ModifyOtherKeys == 0 }},
		{"\x1b[?2026h", func(s screen.State) bool { return s.Sync }},
		{"\x1b[?2026h\x1b[?2026l", func(s screen.State) bool { return !s.Sync }},
		{"\x1b[?25l", func(s screen.State) bool { return !s.Cursor.Visible }},
		{"\x1b[?25l\x1b[!p", func(s screen.State) bool { return s.Cursor.Visible }},
		{"\x1b[3 q", func(s screen.State) bool { return s.Cursor.Shape == 3 }},
		{"\x1b[3 q\x1b[9 q", func(s screen.State) bool { return s.Cursor.Shape == 3 }},
		{"\x1b[3 q\x1b[ q", func(s screen.State) bool { return s.Cursor.Shape == 0 }},
		{"\x1b[?1;2004;1000;2026h\x1bc", func(s screen.State) bool {
			return s.Modes == screen.Modes{} && !s.Sync && s.Cursor == screen.Cursor{Visible: true}
		}},
	} {
		if s := newTest(10, 4, c.in).State(); !c.want(s) {
			t.Errorf("after %q the state is %+v", c.in, s)
		}
	}
}
