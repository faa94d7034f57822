package input

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/internal/keymap"
)

// decoded are the names of the keys in what a terminal sends.
func decoded(input string) string {
	var names []string
	var d Decoder
	emit := func(e Event) {
		if k, ok := keyEvent(e); ok {
			names = append(names, KeyName(k))
		}
	}
	if d.Feed([]byte(input), emit) {
		d.Flush(emit)
	}
	return strings.Join(names, " ")
}

// TestKeyNames: from the terminal's bytes to tmux's names.
func TestKeyNames(t *testing.T) {
	tests := []struct{ input, want string }{
		{"a", "a"}, {"A", "A"}, {"?", "?"}, {" ", "Space"}, {"é", "é"}, {"É", "É"}, {"日", "日"}, {"👩‍🚀", "👩‍🚀"},
		{"\r", "Enter"}, {"\t", "Tab"}, {"\x7f", "BSpace"}, {"\x1b", "Escape"}, {"\x08", "C-h"}, {"\n", "C-j"},
		{"\x00", "C-Space"}, {"\x01", "C-a"}, {"\x02", "C-b"}, {"\x03", "C-c"}, {"\x1a", "C-z"},
		{"\x1c", "C-\\"}, {"\x1d", "C-]"}, {"\x1e", "C-^"}, {"\x1f", "C-_"},
		{"\x1ba", "M-a"}, {"\x1bA", "M-A"}, {"\x1b\x7f", "M-BSpace"}, {"\x1b\r", "M-Enter"}, {"\x1b ", "M-Space"}, {"\x1b\x01", "C-M-a"}, {"\x1bé", "M-é"}, {"\x1b1", "M-1"}, {"\x1b[", "M-["},
		{"\x1b[A", "Up"}, {"\x1b[B", "Down"}, {"\x1b[C", "Right"}, {"\x1b[D", "Left"}, {"\x1b[H", "Home"}, {"\x1b[F", "End"},
		{"\x1bOA", "Up"}, {"\x1bOH", "Home"}, {"\x1b[1~", "Home"}, {"\x1b[4~", "End"}, {"\x1b[7~", "Home"}, {"\x1b[8~", "End"},
		{"\x1b[2~", "IC"}, {"\x1b[3~", "DC"}, {"\x1b[5~", "PPage"}, {"\x1b[6~", "NPage"}, {"\x1b[Z", "BTab"},
		{"\x1b[1;2A", "S-Up"}, {"\x1b[1;3B", "M-Down"}, {"\x1b[1;5C", "C-Right"}, {"\x1b[1;6D", "C-S-Left"}, {"\x1b[1;7H", "C-M-Home"}, {"\x1b[1;8F", "C-M-S-End"},
		{"\x1b[3;5~", "C-DC"}, {"\x1b[5;2~", "S-PPage"},
		{"\x1bOP", "F1"}, {"\x1bOS", "F4"}, {"\x1b[15~", "F5"}, {"\x1b[24~", "F12"}, {"\x1b[15;2~", "S-F5"}, {"\x1b[1;5P", "C-F1"}, {"\x1b[25~", "S-F1"}, {"\x1b[[A", "F1"}, {"\x1b[[E", "F5"}, {"\x1b[11~", "F1"},
		// kitty's protocol, flag 1
		{"\x1b[27u", "Escape"}, {"\x1b[13;2u", "S-Enter"}, {"\x1b[13;5u", "C-Enter"}, {"\x1b[9;2u", "BTab"}, {"\x1b[9;5u", "C-Tab"}, {"\x1b[9;6u", "C-S-Tab"},
		{"\x1b[99;5u", "C-c"}, {"\x1b[105;5u", "C-i"}, {"\x1b[97;6u", "C-S-a"}, {"\x1b[97;3u", "M-a"}, {"\x1b[97;4u", "M-A"}, {"\x1b[127;5u", "C-BSpace"}, {"\x1b[32;5u", "C-Space"}, {"\x1b[57414u", "KPEnter"}, {"\x1b[57399u", "KP0"}, {"\x1b[57441u", ""}, {"\x1b[57358u", ""},
		// Flag 4: with Shift, and as on a US layout.
		{"\x1b[44:60;4u", "M-<"}, {"\x1b[45:95;6u", "C-_"}, {"\x1b[97:65;6u", "C-S-a"}, {"\x1b[97:65;4u", "M-A"}, {"\x1b[1080::98;5u", "C-b"}, {"\x1b[1080:1048:98;6u", "C-S-b"}, {"\x1b[1080::98;3u", "M-и"}, {"\x1b[233:50:50;5u", "C-2"},
		// modifyOtherKeys
		{"\x1b[27;5;99~", "C-c"}, {"\x1b[27;2;13~", "S-Enter"},
		{"ab\x1b[Ac", "a b Up c"},
	}
	for _, tt := range tests {
		if got := decoded(tt.input); got != tt.want {
			t.Errorf("%q is named %q, want %q", tt.input, got, tt.want)
		}
	}
}

// TestKeyNamesAreNormal: what KeyName gives is what the table of bindings is
// looked up by.
func TestKeyNamesAreNormal(t *testing.T) {
	for _, in := range []string{"a", "A", " ", "\x02", "\x1b[A", "\x1b[1;6D", "\x1b[Z", "\x1b[15;2~", "\x1b[97;6u", "\x1b[97;4u", "\x1b[5~", "\x1b[3~", "\x1b\x7f", "\x1b[13;2u", "\x1f", "é"} {
		name := decoded(in)
		if n, err := keymap.Normal(name); err != nil || n != name {
			t.Errorf("%q: %q is normally %q (%v)", in, name, n, err)
		}
	}
}

// TestDecoderTakesAnyCut: cut anywhere, the same comes out.
func TestDecoderTakesAnyCut(t *testing.T) {
	const input = "aé\x1b[1;5C\x1b[<0;10;5M\x1b[200~pasted \x1b[A text 日本\x1b[201~\x1b[I\x1bOPx\x1b[?2026;2$y👩‍🚀z"
	run := func(parts ...string) string {
		var out []string
		var d Decoder
		pending := false
		for _, p := range parts {
			pending = d.Feed([]byte(p), func(e Event) { out = append(out, show(e)) })
		}
		if pending {
			d.Flush(func(e Event) { out = append(out, show(e)) })
		}
		return strings.Join(out, "|")
	}
	want := run(input)
	if !strings.Contains(want, "pasted \x1b[A text 日本") || !strings.HasSuffix(want, "z") {
		t.Fatalf("whole: %q", want)
	}
	star := strings.Index(input, "👩")
	for i := range len(input) {
		if i > star && i < len(input)-1 {
			continue // a cut inside a cluster makes two keys of it
		}
		if got := run(input[:i], input[i:]); got != want {
			t.Fatalf("cut at %d: %q, want %q", i, got, want)
		}
	}
}

// TestDecoderWaitsForCharacters: a character whose bytes come late is that character,
// and none of them is a key.
func TestDecoderWaitsForCharacters(t *testing.T) {
	for _, c := range []string{"é", "日", "😀"} {
		for cut := 1; cut < len(c); cut++ {
			var d Decoder
			var got []string
			emit := func(e Event) { got = append(got, show(e)) }
			d.Feed([]byte(c[:cut]), emit)
			d.Flush(emit)
			if d.Feed([]byte(c[cut:]), emit); len(got) != 1 || got[0] != c {
				t.Errorf("%q cut at %d: %q", c, cut, got)
			}
			got = nil
			d.Feed([]byte("\x1b"+c[:cut]), emit)
			d.Flush(emit)
			if d.Feed([]byte(c[cut:]), emit); len(got) != 1 || got[0] != "M-"+c {
				t.Errorf("Alt with %q cut at %d: %q", c, cut, got)
			}
		}
	}
}

func TestDecoderBoundsPastes(t *testing.T) {
	var d Decoder
	var got []Event
	emit := func(e Event) { got = append(got, e) }
	d.Feed([]byte("\x1b[200~"), emit)
	block := []byte(strings.Repeat("x", 1<<20))
	for range 17 {
		d.Feed(block, emit)
	}
	d.Feed([]byte("\x1b[201~a"), emit)
	if len(got) != 2 || !got[0].TooLong || got[0].Paste != nil || show(got[1]) != "a" {
		t.Fatalf("got %d events", len(got))
	}
	if cap(d.buf) > 2<<20 {
		t.Fatalf("%d bytes are kept", cap(d.buf))
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\x1b[<0;1;1Mabc\x1b[200~x\x1b[201~"), 3)
	f.Add([]byte("\x1b]11;rgb:0/0/0\x1b\\\x1b[M\x20\x21\x22\xc3\x28"), 1)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var d Decoder
		emit := func(e Event) {
			if k, ok := keyEvent(e); ok {
				KeyName(k)
			}
		}
		cut = min(max(cut, 0), len(data))
		d.Feed(data[:cut], emit)
		if d.Feed(data[cut:], emit) {
			d.Flush(emit)
		}
		if len(d.buf) > len(pasteEnd) && !d.pasting {
			t.Fatalf("%q is left", d.buf)
		}
	})
}

func keyEvent(e Event) (tea.Key, bool) {
	k, ok := e.Event.(uv.KeyPressEvent)
	return tea.Key(k), ok
}

// show is an event in words.
func show(e Event) string {
	if k, ok := keyEvent(e); ok {
		return KeyName(k)
	}
	if e.Paste != nil {
		return "paste " + string(e.Paste)
	}
	return fmt.Sprintf("%T%v", e.Event, e.Event)
}
