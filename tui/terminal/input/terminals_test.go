package input

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// terminalKeys are the keys that terminals send, by their terminfo entries and
// documentation, with what they are named.
var terminalKeys = map[string]string{
	// The cursor keys' application mode is not asked for, but some begin in it.
	"xterm": "Up=\x1b[A,\x1bOA Down=\x1b[B,\x1bOB Right=\x1b[C Left=\x1b[D Home=\x1b[H,\x1bOH End=\x1b[F,\x1bOF IC=\x1b[2~ DC=\x1b[3~ PPage=\x1b[5~ NPage=\x1b[6~ " +
		"F1=\x1bOP F2=\x1bOQ F3=\x1bOR F4=\x1bOS F5=\x1b[15~ F6=\x1b[17~ F7=\x1b[18~ F8=\x1b[19~ F9=\x1b[20~ F10=\x1b[21~ F11=\x1b[23~ F12=\x1b[24~ " +
		"S-F1=\x1b[1;2P C-F4=\x1b[1;5S S-F5=\x1b[15;2~ C-F12=\x1b[24;5~ M-F1=\x1b[1;3P BTab=\x1b[Z BSpace=\x7f M-BSpace=\x1b\x7f C-Space=\x00 " +
		"C-Up=\x1b[1;5A C-S-Right=\x1b[1;6C M-Left=\x1b[1;3D C-PPage=\x1b[5;5~ S-DC=\x1b[3;2~ C-M-Home=\x1b[1;7H KPEnter=\x1bOM",
	"Linux console": "F1=\x1b[[A F2=\x1b[[B F3=\x1b[[C F4=\x1b[[D F5=\x1b[[E F6=\x1b[17~ F12=\x1b[24~ S-F1=\x1b[25~ S-F2=\x1b[26~ S-F3=\x1b[28~ S-F8=\x1b[34~ " +
		"Home=\x1b[1~ IC=\x1b[2~ DC=\x1b[3~ End=\x1b[4~ PPage=\x1b[5~ NPage=\x1b[6~ Up=\x1b[A BSpace=\x7f M-x=\x1bx M-Tab=\x1b\t",
	"tmux and screen": "Up=\x1bOA,\x1b[A Home=\x1b[1~ End=\x1b[4~ F1=\x1bOP F5=\x1b[15~ BTab=\x1b[Z S-Up=\x1b[1;2A C-Right=\x1b[1;5C C-S-a=\x1b[27;6;65~ S-Enter=\x1b[27;2;13~ C-Tab=\x1b[27;5;9~ C-Enter=\x1b[13;5u",
	"rxvt": "Up=\x1b[A S-Up=\x1b[a S-Left=\x1b[d C-Up=\x1bOa C-Right=\x1bOc Home=\x1b[7~ End=\x1b[8~ S-Home=\x1b[7$ C-Home=\x1b[7^ C-S-Home=\x1b[7@ C-DC=\x1b[3^ S-DC=\x1b[3$ C-NPage=\x1b[6^ " +
		"F1=\x1b[11~ F4=\x1b[14~ C-F1=\x1b[11^ M-Up=\x1b\x1b[A M-Home=\x1b\x1b[7~",
	// Flag 1 of kitty's protocol: also ghostty, iTerm2, foot, WezTerm.
	"kitty": "Escape=\x1b[27u,\x1b[27;129u Enter=\r Tab=\t BSpace=\x7f C-c=\x1b[99;5u,\x1b[99;69u,\x1b[99;197u C-i=\x1b[105;5u M-x=\x1b[120;3u M-X=\x1b[120;4u C-S-x=\x1b[120;6u S-Enter=\x1b[13;2u C-Space=\x1b[32;5u " +
		"C-BSpace=\x1b[127;5u M-BSpace=\x1b[127;3u,\x1b[127;11u BTab=\x1b[9;2u Up=\x1b[A,\x1b[1;1A,\x1b[1;129A,\x1b[57352u C-Up=\x1b[1;5A F1=\x1b[P,\x1bOP F3=\x1b[13~ C-F3=\x1b[13;5~ F5=\x1b[15~ KPEnter=\x1b[57414u KP5=\x1b[57404u C-KP+=\x1b[57413;5u Home=\x1b[H,\x1b[57423u M-é=\x1b[233;3u",
	// As its own encoder makes them, without and with kitty's protocol.
	"ghostty": "C-a=\x01,\x1b[97;5u C-i=\x1b[105;5u C-[=\x1b[91;5u C-2=\x1b[50;5u C-Space=\x00,\x1b[32;5u M-X=\x1b[120;4u S-Enter=\x1b[27;2;13~,\x1b[13;2u M-Enter=\x1b\r,\x1b[13;3u C-Tab=\x1b[27;5;9~,\x1b[9;5u " +
		"BTab=\x1b[Z,\x1b[9;2u F1=\x1bOP,\x1b[P F2=\x1b[Q F3=\x1bOR,\x1b[13~ F4=\x1b[S S-F3=\x1b[13;2~ C-F1=\x1b[1;5P KPEnter=\x1b[57414u KP1=\x1b[57400u",
	// Asked for nothing, some are set up to send it all the same.
	"kitty, all reports": "a=\x1b[97u,\x1b[97;1:1u,\x1b[97;1;97u A=\x1b[97:65;2;65u C-c=\x1b[99;5:1u Up=\x1b[1;1:1A,\x1b[1;1:2A DC=\x1b[3;1:1~",
	// As its key mappers of 3.4.23 and its VT100Output of 2026 make them. Alt is 8 there, and with
	// kitty's protocol 3.4 sends the letter that Shift makes.
	"iTerm2": "M-Left=\x1b[1;9D,\x1b\x1b[D,\x1b[1;3D M-S-Up=\x1b[1;10A C-M-Up=\x1b[1;13A M-f=\x1bf M-Enter=\x1b\r Home=\x1b[H,\x1b[1~ M-Home=\x1b[1;9H M-PPage=\x1b[5;9~,\x1b\x1b[5~ C-M-NPage=\x1b[6;13~ " +
		"M-F1=\x1b[1;9P S-F3=\x1b[1;2R S-F5=\x1b[15;2~ M-DC=\x1b[3;9~ C-_=\x1f C-Space=\x00",
	"iTerm2 with kitty's protocol": "F1=\x1b[P F3=\x1b[R S-F3=\x1b[1;2R C-F4=\x1b[1;5S C-b=\x1b[98;5u C-a=\x1b[97;5u,\x1b[65;5u M-A=\x1b[65;3u C-M-x=\x1b[120;7u C-[=\x1b[91;5u S-Enter=\x1b[13;2u C-Tab=\x1b[9;5u C-S-Tab=\x1b[1;5Z S-Escape=\x1b[27;2u M-Left=\x1b[1;3D S-DC=\x1b[3;2~",
	// As its own code makes them (2058813): without kitty's protocol, with the flags that
	// are asked for, and in its own mode for ConPTY.
	"Windows Terminal": "C-h=\x08 A=A C-a=\x01 M-a=\x1ba M-A=\x1bA C-M-a=\x1b\x01 C-Space=\x00 M-2=\x1b2 M-@=\x1b@ C-_=\x1f Enter=\r M-Enter=\x1b\r Tab=\t BTab=\x1b[Z M-Tab=\x1b\t M-S-Tab=\x1b\x1b[Z " +
		"BSpace=\x7f M-BSpace=\x1b\x7f Up=\x1b[A S-Up=\x1b[1;2A C-Up=\x1b[1;5A C-M-S-Up=\x1b[1;8A Home=\x1b[H C-Home=\x1b[1;5H IC=\x1b[2~ DC=\x1b[3~ C-S-DC=\x1b[3;6~ PPage=\x1b[5~ M-NPage=\x1b[6;3~ F1=\x1bOP " +
		"S-F1=\x1b[1;2P F3=\x1bOR S-F3=\x1b[1;2R C-F4=\x1b[1;5S F5=\x1b[15~ S-F5=\x1b[15;2~ F12=\x1b[24~ C-M-S-F12=\x1b[24;8~ M-+=\x1b+",
	"Windows Terminal, kitty's protocol": "A=A C-a=\x1b[97;5u M-a=\x1b[97;3u C-S-a=\x1b[97:65;6u M-A=\x1b[97:65;4u C-M-S-a=\x1b[97:65;8u C-b=\x1b[98;5u C-i=\x1b[105;5u C-2=\x1b[50;5u C-@=\x1b[50:64;6u M-@=\x1b[50:64;4u M-<=\x1b[44:60;4u " +
		"C--=\x1b[45;5u C-_=\x1b[45:95;6u M-?=\x1b[47:63;4u Tab=\t BTab=\x1b[9;2u C-Tab=\x1b[9;5u C-S-Tab=\x1b[9;6u Enter=\r S-Enter=\x1b[13;2u C-Enter=\x1b[13;5u M-Enter=\x1b[13;3u Escape=\x1b[27u " +
		"C-Escape=\x1b[27;5u C-Space=\x1b[32;5u M-Space=\x1b[32;3u BSpace=\x7f C-BSpace=\x1b[127;5u M-BSpace=\x1b[127;3u Up=\x1b[A C-Up=\x1b[1;5A C-M-S-Up=\x1b[1;8A Home=\x1b[H DC=\x1b[3~ F1=\x1b[P " +
		"C-F1=\x1b[1;5P F3=\x1b[13~ S-F3=\x1b[13;2~ C-F3=\x1b[13;5~ F5=\x1b[15~ F12=\x1b[24~ KPEnter=\x1b[57414;129u,\x1b[57414;130u KP5=\x1b[57404;129u C-KP5=\x1b[57404;133u KP+=\x1b[57413;129u " +
		"KP.=\x1b[57409::57426;129u",
	"Windows Terminal, win32-input-mode": "a=\x1b[65;30;97;1;0;1_ A=\x1b[65;30;65;1;16;1_ C-c=\x1b[67;46;3;1;8;1_ Up=\x1b[38;72;0;1;256;1_ Enter=\x1b[13;28;13;1;0;1_ M-x=\x1b[88;45;120;1;2;1_",
	"modifyOtherKeys":                    "C-i=\x1b[27;5;105~,\x1b[105;5u S-Enter=\x1b[27;2;13~ C-M-x=\x1b[27;7;120~",
}

// silent is what is sent and is no key: it must not become one.
var silent = []string{
	"\x1b[97;1:3u", "\x1b[1;1:3A", "\x1b[3;1:3~", // released keys
	"\x1b[57441u", "\x1b[57442;5u", "\x1b[57358u", // modifiers alone
	"\x1b[97;9u", "\x1b[99;13u", "\x1b[32;9u", // with the window system's key
	"\x1b[65;30;97;0;0;1_", "\x1b[16;42;0;1;16;1_", // win32: released, Shift alone
	"\x1b[I", "\x1b[O", // focus
	"\x1b[?64;1;2;4;6;17;18;21;22c", "\x1b[>64;2500;0c", "\x1b[?62;4c", "\x1b[>0;95;0c", "\x1bP!|6954726D\x1b\\", "\x1b[?2026;4$y", "\x1b[?0u", // iTerm2
	"\x1b[<66;10;5M", "\x1b[<67;10;5M", "\x1b[<128;10;5M", "\x1b[<129;10;5m", // its wheel to the sides, its buttons beyond the third
	"\x1b[?2026;2$y", "\x1b[?2026;0$y", "\x1b[?62;22c", "\x1b[?61;4;6;7;14;21;22;23;24;28;32;42;52c", "\x1b[>1;4000;20c", "\x1b[?1u", "\x1b[?997;1n", "\x1b[12;40R", "\x1b[8;24;80t", "\x1b[0n",
	"\x1b]11;rgb:0000/0000/0000\x1b\\", "\x1b]10;rgb:ff/ff/ff\a", "\x1b]52;c;eA==\x1b\\", "\x1b]l a title\x1b\\", "\x1bP>|XTerm(390)\x1b\\", "\x1bP1+r5463\x1b\\", "\x1b_Gi=1;OK\x1b\\",
	"\x1b[<0;10;5M", "\x1b[<0;10;5m", "\x1b[<64;1;1M", "\x1b[<35;200;100M", "\x1b[<0;1900;1000M", // SGR mouse, and in pixels
	"\x1b[M !!", "\x1b[M#!!", "\x1b[M`!!", "\x1b[M \xff\xff", "\x1b[M  \x20", // X10 mouse
}

// TestKeysOfTerminals: each key of each terminal has its name, whole and cut
// anywhere, and nothing of it is taken for text.
func TestKeysOfTerminals(t *testing.T) {
	for terminal, keys := range terminalKeys {
		for _, pair := range strings.Split(keys, " ") {
			name, inputs, _ := strings.Cut(pair, "=")
			for _, in := range strings.Split(inputs, ",") {
				if got := decoded(in); got != name {
					t.Errorf("%s: %q is %q, want %q", terminal, in, got, name)
				}
				if got := decoded("x" + in + "y"); got != "x "+name+" y" && in != "\x1b[7$" && in != "\x1b[3$" {
					t.Errorf("%s: x%qy is %q", terminal, in, got)
				}
				cutAnywhere(t, terminal, in, name)
			}
		}
	}
}

// cutAnywhere gives the sequence in two reads, the second one before patience ends.
func cutAnywhere(t *testing.T, terminal, in, want string) {
	t.Helper()
	for at := 1; at < len(in); at++ {
		var names []string
		var d Decoder
		emit := func(e Event) {
			if k, ok := keyEvent(e); ok {
				if n := KeyName(k); n != "" {
					names = append(names, n)
				}
			}
		}
		d.Feed([]byte(in[:at]), emit)
		if d.Feed([]byte(in[at:]), emit) {
			d.Flush(emit)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, then %q, is %q, want %q", terminal, in[:at], in[at:], got, want)
		}
	}
}

// TestReportsAreNoKeys: what terminals report, asked or not, is no key, whole or cut.
func TestReportsAreNoKeys(t *testing.T) {
	for _, in := range silent {
		if got := strings.TrimSpace(decoded(in)); got != "" {
			t.Errorf("%q is the key %q", in, got)
		}
		if got := strings.Join(strings.Fields(decoded("x"+in+"y")), " "); got != "x y" {
			t.Errorf("x%qy is %q", in, got)
		}
		cutAnywhere(t, "report", in, "")
	}
}

// TestAltBeforeText: Alt with a key that also begins strings of terminals, together
// with what was typed after it.
func TestAltBeforeText(t *testing.T) {
	for in, want := range map[string]string{"\x1b]ab": "M-] a b", "\x1bPab": "M-P a b", "\x1bXab": "M-X a b", "\x1b^1": "M-^ 1", "\x1b_x": "M-_ x", "\x1b]\x1b[A": "M-] Up"} {
		if got := decoded(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestPatience: what has begun waits longer than a lone Escape: what comes late
// would be typed into the pane.
func TestPatience(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"\x1b": escapeTime, "\x1b[": escapeTime, "\x1b]": escapeTime, "\x1bO": escapeTime,
		"\x1b]11;rgb:00": partTime, "\x1b[<0;1": partTime, "\x1b[M ": partTime, "\x1bP>|x": partTime, "\x1b[20": partTime, "\xe6\x97": partTime,
	} {
		var d Decoder
		if !d.Feed([]byte(in), func(e Event) { t.Errorf("%q: %v", in, e) }) || d.Patience() != want {
			t.Errorf("%q waits %v, want %v", in, d.Patience(), want)
		}
	}
}

// TestPatienceBehindPrefix: behind the prefix key an ESC waits longer for the rest of an
// arrow key, as a slow line has it, and not behind the prefix key for a program.
func TestPatienceBehindPrefix(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"\x02\x1b": behindTime, "\x02\x1b[": behindTime, "\x02\x1bO": behindTime, "\x02\x1b[20": partTime,
		"\x02\x02\x1b": escapeTime, "\x02a\x1b": escapeTime, "\x02\x1b[A\x1b": escapeTime, "\x02\x02\x02\x1b": behindTime, "\x1b": escapeTime,
	} {
		for cut := range len(in) {
			d := Decoder{Prefix: 2}
			d.Feed([]byte(in[:cut]), func(Event) {})
			if !d.Feed([]byte(in[cut:]), func(Event) {}) || d.Patience() != want {
				t.Errorf("%q, then %q waits %v, want %v", in[:cut], in[cut:], d.Patience(), want)
			}
		}
	}
}

// TestMouseEncodings: the same press in SGR's and in X10's encoding, with a CSI of two
// bytes and of one.
func TestMouseEncodings(t *testing.T) {
	at := func(in string) string {
		var out []string
		var d Decoder
		d.Feed([]byte(in), func(e Event) { out = append(out, fmt.Sprintf("%T %v", e.Event, e.Event)) })
		return strings.Join(out, "; ")
	}
	for sgr, x10 := range map[string]string{"\x1b[<0;10;5M": "\x1b[M *%", "\x1b[<64;3;4M": "\x1b[M`#$", "\x1b[<32;3;4M": "\x1b[M@#$", "\x1b[<2;200;90M": "\x1b[M\"\xe8z"} {
		for _, x10 := range []string{x10, "\x9b" + strings.TrimPrefix(x10, "\x1b[")} {
			if a, b := at(sgr), at(x10); a != b || a == "" {
				t.Errorf("%q is %s, %q is %s", sgr, a, x10, b)
			}
		}
	}
}

// TestBackgroundAnswers: every form in which terminals answer OSC 11.
func TestBackgroundAnswers(t *testing.T) {
	for answer, want := range map[string]color.Color{
		"rgb:ffff/fdfd/f6f6":       color.RGBA{0xff, 0xfd, 0xf6, 0xff}, // xterm, kitty, ghostty, iTerm2, Windows Terminal, tmux
		"rgb:ff/fd/f6":             color.RGBA{0xff, 0xfd, 0xf6, 0xff},
		"rgb:f/f/f":                color.RGBA{0xff, 0xff, 0xff, 0xff},
		"rgb:fff/000/fff":          color.RGBA{0xff, 0, 0xff, 0xff},
		"RGB:0000/0000/0000":       color.RGBA{0, 0, 0, 0xff},
		"rgba:ffff/fdfd/f6f6/8000": color.RGBA{0xff, 0xfd, 0xf6, 0xff}, // rxvt-unicode
		"#fffdf6":                  color.RGBA{0xff, 0xfd, 0xf6, 0xff},
		"#fff":                     color.RGBA{0xff, 0xff, 0xff, 0xff},
		"#fffffdfdf6f6":            color.RGBA{0xff, 0xfd, 0xf6, 0xff},
		"?":                        nil, "": nil, "rgb:": nil, "rgb:ff/ff": nil, "rgb:ff/ff/ff/ff": nil, "rgb:xx/yy/zz": nil, "#ff": nil, "#": nil, "rgb:fffff/0/0": nil, "black": nil, "rgb:-1/0/0": nil,
	} {
		for _, end := range []string{"\a", "\x1b\\"} {
			var got []uv.Event
			var d Decoder
			if d.Feed([]byte("\x1b]11;"+answer+end), func(e Event) { got = append(got, e.Event) }) {
				t.Errorf("%q: more is waited for", answer+end)
			}
			var ev uv.BackgroundColorEvent
			ok := false
			if len(got) > 0 {
				ev, ok = got[0].(uv.BackgroundColorEvent)
			}
			if want == nil && ok && ev.Color != nil || want != nil && (!ok || ev.Color != want) {
				t.Errorf("%q: %v, want %v", answer+end, got, want)
			}
		}
	}
}
