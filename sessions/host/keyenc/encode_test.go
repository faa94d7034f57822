package keyenc

import (
	"strings"
	"testing"
	"unicode"

	"ccdir/sessions/screen"
	"ccdir/wire"
)

func encoded(t *testing.T, name string, m screen.Modes) string {
	t.Helper()
	k, err := Parse(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return string(Append(nil, k, m))
}

// TestKeysLegacy: what xterm sends (ctlseqs, "PC-Style Function Keys").
func TestKeysLegacy(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "A": "A", "é": "é", "世": "世", "👩‍💻": "👩‍💻", "1": "1", " ": " ", "Space": " ", "-": "-", "^": "^", "C": "C",
		"C-a": "\x01", "C-z": "\x1a", "C-A": "\x01", "^c": "\x03", "C-c": "\x03", "C-Space": "\x00", "C-@": "\x00",
		"C-[": "\x1b", "C-\\": "\x1c", "C-]": "\x1d", "C-^": "\x1e", "C-_": "\x1f", "C-/": "\x1f", "C-?": "\x7f", "C-8": "\x7f",
		"M-a": "\x1ba", "M-A": "\x1bA", "M-C-a": "\x1b\x01", "C-M-a": "\x1b\x01", "S-a": "A", "M-é": "\x1bé", "M-Space": "\x1b ",
		"Enter": "\r", "M-Enter": "\x1b\r", "Escape": "\x1b", "M-Escape": "\x1b\x1b", "Tab": "\t", "S-Tab": "\x1b[Z", "BTab": "\x1b[Z", "M-Tab": "\x1b\t",
		"BSpace": "\x7f", "C-BSpace": "\b", "M-BSpace": "\x1b\x7f",
		"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D", "Home": "\x1b[H", "End": "\x1b[F",
		"S-Up": "\x1b[1;2A", "M-Up": "\x1b[1;3A", "C-Up": "\x1b[1;5A", "C-S-Left": "\x1b[1;6D", "C-M-S-Right": "\x1b[1;8C", "C-Home": "\x1b[1;5H", "S-End": "\x1b[1;2F",
		"IC": "\x1b[2~", "Insert": "\x1b[2~", "DC": "\x1b[3~", "C-DC": "\x1b[3;5~", "PPage": "\x1b[5~", "PageUp": "\x1b[5~", "PgUp": "\x1b[5~", "NPage": "\x1b[6~", "S-PageDown": "\x1b[6;2~",
		"F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F7": "\x1b[18~", "F8": "\x1b[19~",
		"F9": "\x1b[20~", "F10": "\x1b[21~", "F11": "\x1b[23~", "F12": "\x1b[24~",
		"S-F1": "\x1b[1;2P", "C-F4": "\x1b[1;5S", "M-F5": "\x1b[15;3~", "F13": "\x1b[1;2P", "F16": "\x1b[1;2S", "F17": "\x1b[15;2~", "F24": "\x1b[24;2~", "C-F13": "\x1b[1;6P",
		"KP5": "5", "KP+": "+", "KPEnter": "\r", "KP.": ".",
		"up": "\x1b[A", "ENTER": "\r", "f5": "\x1b[15~",
		"\r": "\r", "\x1b": "\x1b", "\x03": "\x03", "\x7f": "\x7f", "\t": "\t",
	} {
		if got := encoded(t, name, screen.Modes{}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestKeysModes(t *testing.T) {
	app := screen.Modes{AppCursor: true, AppKeypad: true, NewLine: true}
	for name, want := range map[string]string{
		"Up": "\x1bOA", "Left": "\x1bOD", "Home": "\x1bOH", "End": "\x1bOF", "C-Up": "\x1b[1;5A", "DC": "\x1b[3~",
		"KP0": "\x1bOp", "KP9": "\x1bOy", "KP+": "\x1bOk", "KP-": "\x1bOm", "KP*": "\x1bOj", "KP/": "\x1bOo", "KP.": "\x1bOn", "KPEnter": "\x1bOM",
		"Enter": "\r\n", "a": "a",
	} {
		if got := encoded(t, name, app); got != want {
			t.Errorf("application modes: %s: %q, want %q", name, got, want)
		}
	}
}

// TestKeysKitty: the examples and tables of the kitty keyboard protocol.
func TestKeysKitty(t *testing.T) {
	for _, test := range []struct {
		flags uint8
		keys  map[string]string
	}{
		{kittyDisambiguate, map[string]string{
			"a": "a", "A": "A", "é": "é", "Escape": "\x1b[27u", "C-c": "\x1b[99;5u", "M-a": "\x1b[97;3u", "C-S-a": "\x1b[97;6u", "C-A": "\x1b[97;6u", "M-A": "\x1b[97;4u",
			"Enter": "\r", "S-Enter": "\x1b[13;2u", "C-Enter": "\x1b[13;5u", "Tab": "\t", "S-Tab": "\x1b[9;2u", "BSpace": "\x7f", "M-BSpace": "\x1b[127;3u",
			"C-Space": "\x1b[32;5u", "C-[": "\x1b[91;5u", "Up": "\x1b[A", "C-Up": "\x1b[1;5A", "Home": "\x1b[H", "DC": "\x1b[3~", "C-NPage": "\x1b[6;5~",
			"F1": "\x1b[P", "F3": "\x1b[13~", "C-F3": "\x1b[13;5~", "F5": "\x1b[15~", "F13": "\x1b[57376u", "S-F24": "\x1b[57387;2u",
			"KP5": "5", "C-KP0": "\x1b[57399;5u", "C-KP+": "\x1b[57413;5u", "C-KP.": "\x1b[57409;5u", "KPEnter": "\x1b[57414u",
		}},
		{kittyDisambiguate | KittyAllKeys, map[string]string{
			"a": "\x1b[97u", "A": "\x1b[97;2u", "Enter": "\x1b[13u", "Tab": "\x1b[9u", "BSpace": "\x1b[127u", "C-c": "\x1b[99;5u", "Up": "\x1b[A", "Space": "\x1b[32u",
		}},
		{kittyDisambiguate | KittyAllKeys | kittyText, map[string]string{
			"a": "\x1b[97;;97u", "A": "\x1b[97;2;65u", "C-c": "\x1b[99;5u", "é": "\x1b[233;;233u", "Escape": "\x1b[27u",
		}},
		{2, map[string]string{"C-c": "\x03", "Escape": "\x1b"}}, // event types alone change no press
	} {
		for name, want := range test.keys {
			if got := encoded(t, name, screen.Modes{KittyFlags: test.flags, AppCursor: true}); got != want {
				t.Errorf("flags %d: %s: %q, want %q", test.flags, name, got, want)
			}
		}
	}
}

func TestUnknownKeys(t *testing.T) {
	for _, name := range []string{"", "hello", "NoKey", "F0", "F25", "F100", "X-a", "C-", "KP", "KPx", "ab", "a\x80", "\xff", strings.Repeat("é", 99), "é\x1b"} {
		if k, err := Parse(name); err == nil {
			t.Errorf("%q is the key %+v", name, k)
		}
	}
}

func TestEvidenceNames(t *testing.T) {
	for name, want := range map[string]string{
		"Escape": "Escape", "C-c": "C-c", "^d": "C-d", "Enter": "Enter", "1": "1", "9": "9", "a": "text", "Up": "text", "C-x": "text", "M-Escape": "text", "C-1": "text", "\x1b": "Escape", "\x03": "C-c",
	} {
		k, err := Parse(name)
		if got := k.EvidenceName(); err != nil || got != want {
			t.Errorf("%q: %q, want %q (%v)", name, got, want, err)
		}
	}
	for raw, want := range map[string]string{"\x1b": "Escape", "\x03": "C-c", "\x04": "C-d", "\r": "Enter", "2": "2", "x": "text", "\x1b[A": "text", "": "text",
		"ls -l\r": "text Enter", "one\rtwo": "text Enter text"} {
		if got := RawEvidence([]byte(raw)); got != want {
			t.Errorf("raw %q: %q, want %q", raw, got, want)
		}
	}
}

func TestPaste(t *testing.T) {
	bracketed := screen.Modes{BracketedPaste: true}
	for _, test := range []struct {
		in   string
		m    screen.Modes
		want string
	}{
		{"a\nb\r\nc\td", bracketed, "\x1b[200~a\nb\r\nc\td\x1b[201~"},
		{"", bracketed, "\x1b[200~\x1b[201~"},
		{"x\x1b[201~rm -rf\r", bracketed, "\x1b[200~xrm -rf\r\x1b[201~"},
		{"x\x1b[201\x1b[201~~y", bracketed, "\x1b[200~xy\x1b[201~"},
		{"x\u009b201~y", bracketed, "\x1b[200~xy\x1b[201~"},
		{"\x1b[20\x1b[201~1~y", bracketed, "\x1b[200~y\x1b[201~"},
		{"世界 👩‍💻", bracketed, "\x1b[200~世界 👩‍💻\x1b[201~"},
		{"a\nb\r\nc\rd", screen.Modes{}, "a\rb\rc\rd"},
		{"", screen.Modes{}, ""},
		// Control characters are no keys, and no signals of the PTY in brackets.
		{"a\x03\x1b[A\x15b\x04\x7f\tc\n", screen.Modes{}, "a[Ab\tc\r"},
		{"a\x03\x1b[A\x15b\x04\x7f\tc\n", bracketed, "\x1b[200~a[Ab\tc\n\x1b[201~"},
		{"a\x00\x1a\x1c\u0080\u009fb\u00a0é", screen.Modes{}, "ab\u00a0é"},
		{"a\x9bA\x80\xff漢", screen.Modes{}, "aA\xff漢"}, // C1 of one byte, in no text of UTF-8
		{"x\x1b[201\x03~y", bracketed, "\x1b[200~x[201~y\x1b[201~"},
	} {
		if got := string(AppendPaste(nil, []byte(test.in), test.m)); got != test.want {
			t.Errorf("%q, bracketed %v: %q, want %q", test.in, test.m.BracketedPaste, got, test.want)
		}
	}
}

// FuzzPaste: nothing pasted ends its bracket, and no control character but tabs and line
// ends comes through.
func FuzzPaste(f *testing.F) {
	f.Add([]byte("a\x1b[201\x1b[201~~"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got := string(AppendPaste(nil, in, screen.Modes{BracketedPaste: true}))
		body, ok := strings.CutPrefix(got, "\x1b[200~")
		if !ok || strings.Index(body, "\x1b[201~") != len(body)-6 || strings.Contains(body, "\u009b201~") {
			t.Errorf("%q became %q", in, got)
		}
		control := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) }
		plain := string(AppendPaste(nil, in, screen.Modes{}))
		if strings.ContainsFunc(plain, control) || len(body) > 6 && strings.ContainsFunc(body[:len(body)-6], control) {
			t.Errorf("%q became %q and %q", in, got, plain)
		}
	})
}

func TestMouse(t *testing.T) {
	type event = wire.MouseEvent
	modes := func(m screen.MouseMode, e screen.MouseEncoding) screen.State {
		return screen.State{Modes: screen.Modes{Mouse: m, MouseEncoding: e}}
	}
	const press, release, motion = wire.MousePress, wire.MouseRelease, wire.MouseMotion
	altScroll := screen.State{Alt: true, Modes: screen.Modes{AltScroll: true}}
	altScrollApp := screen.State{Alt: true, Modes: screen.Modes{AltScroll: true, AppCursor: true}}
	for _, test := range []struct {
		name string
		e    event
		s    screen.State
		want string
	}{
		{"off", event{X: 1, Y: 2, Button: 1}, modes(screen.MouseOff, screen.MouseSGR), ""},
		{"press", event{X: 1, Y: 2, Button: 1}, modes(screen.MouseNormal, screen.MouseLegacy), "\x1b[M \"#"},
		{"release", event{X: 1, Y: 2, Button: 1, Action: release}, modes(screen.MouseNormal, screen.MouseLegacy), "\x1b[M#\"#"},
		{"right with modifiers", event{Button: 3, Shift: true, Alt: true, Ctrl: true}, modes(screen.MouseNormal, screen.MouseLegacy), "\x1b[M>!!"},
		{"x10 has no modifiers", event{Button: 2, Ctrl: true}, modes(screen.MouseX10, screen.MouseLegacy), "\x1b[M!!!"},
		{"x10 has no release", event{Button: 2, Action: release}, modes(screen.MouseX10, screen.MouseLegacy), ""},
		{"legacy ends at 223", event{X: 222, Y: 222, Button: 1}, modes(screen.MouseNormal, screen.MouseLegacy), "\x1b[M \xff\xff"},
		{"beyond it", event{X: 223, Button: 1}, modes(screen.MouseNormal, screen.MouseLegacy), ""},
		{"utf8", event{X: 300, Y: 2, Button: 1}, modes(screen.MouseNormal, screen.MouseUTF8), "\x1b[M \u014d#"},
		{"sgr press", event{X: 300, Y: 2, Button: 1}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<0;301;3M"},
		{"sgr release", event{X: 300, Y: 2, Button: 3, Action: release}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<2;301;3m"},
		{"wheel up", event{Button: 4}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<64;1;1M"},
		{"wheel down", event{Button: 5, Ctrl: true}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<81;1;1M"},
		{"wheel right", event{Button: 7}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<67;1;1M"},
		{"the wheel is not released", event{Button: 4, Action: release}, modes(screen.MouseAny, screen.MouseSGR), ""},
		{"further button", event{Button: 8}, modes(screen.MouseNormal, screen.MouseSGR), "\x1b[<128;1;1M"},
		{"urxvt", event{X: 300, Y: 2, Button: 1}, modes(screen.MouseNormal, screen.MouseURXVT), "\x1b[32;301;3M"},
		{"urxvt release", event{X: 3, Y: 2, Button: 1, Action: release}, modes(screen.MouseNormal, screen.MouseURXVT), "\x1b[35;4;3M"},
		{"pixels", event{X: 2, Y: 1, Button: 1}, modes(screen.MouseNormal, screen.MouseSGRPixels), "\x1b[<0;20;24M"},
		{"motion in normal mode", event{Button: 1, Action: motion}, modes(screen.MouseNormal, screen.MouseSGR), ""},
		{"drag", event{Button: 1, Action: motion}, modes(screen.MouseButton, screen.MouseSGR), "\x1b[<32;1;1M"},
		{"move in button mode", event{Action: motion}, modes(screen.MouseButton, screen.MouseSGR), ""},
		{"move", event{Action: motion}, modes(screen.MouseAny, screen.MouseSGR), "\x1b[<35;1;1M"},
		{"press of nothing", event{}, modes(screen.MouseAny, screen.MouseSGR), ""},
		{"wheel as arrows", event{Button: 4}, altScroll, "\x1b[A\x1b[A\x1b[A"},
		{"in application mode", event{Button: 5}, altScrollApp, "\x1bOB\x1bOB\x1bOB"},
		{"not sideways", event{Button: 6}, altScroll, ""},
		{"not on the main screen", event{Button: 4}, screen.State{Modes: screen.Modes{AltScroll: true}}, ""},
	} {
		if got := string(AppendMouse(nil, test.e, test.s)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestFocus(t *testing.T) {
	on := screen.Modes{FocusEvents: true}
	if a, b, c := string(AppendFocus(nil, true, on)), string(AppendFocus(nil, false, on)), string(AppendFocus(nil, true, screen.Modes{})); a != "\x1b[I" || b != "\x1b[O" || c != "" {
		t.Errorf("%q %q %q", a, b, c)
	}
}

// fuzzModes spreads bits over the modes that decide about keys.
func fuzzModes(bits uint8) screen.Modes {
	return screen.Modes{KittyFlags: bits & 31, AppCursor: bits&32 != 0, AppKeypad: bits&64 != 0, NewLine: bits&128 != 0}
}

// FuzzKeys: no name makes the parser or the encoders panic, and what is a key
// types something.
func FuzzKeys(f *testing.F) {
	for _, s := range []string{"C-M-x", "F12", "^c", "KP0", "BTab", "é", "\x1b", "C-"} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(31))
	}
	f.Fuzz(func(t *testing.T, name string, kitty uint8) {
		k, err := Parse(name)
		if err != nil {
			return
		}
		s := fuzzModes(kitty)
		if len(Append(nil, k, s)) == 0 {
			t.Errorf("%q types nothing", name)
		}
		_ = k.EvidenceName()
	})
}
