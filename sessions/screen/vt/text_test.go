package vt

import (
	"slices"
	"strings"
	"testing"

	"ccdir/internal/cells"
)

// TestText covers layout of text that the recorded verdicts do not.
func TestText(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		x, y     int
	}{
		{"mark after a rendition", "e\x1b[1m\u0301x", []string{"e\u0301x"}, 2, 0},
		{"mark after a link", "e\x1b]8;;http://a/\x07\u0301x", []string{"e\u0301x"}, 2, 0},
		{"mark at the start", "\u0301x", []string{"x"}, 1, 0},
		{"mark after a cursor movement", "ab\x1b[D\u0301x", []string{"ax"}, 2, 0},
		{"mark after SU", "ab\r\ncd\x1b[S\u0301", []string{"cd"}, 2, 1},
		{"mark after IL", "ab\x1b[L\u0301", []string{"", "ab"}, 0, 0},
		{"mark after EL", "ab\x1b[2K\u0301", nil, 2, 0},
		{"mark after another screen", "ab\x1b[?1047h\u0301", nil, 2, 0},
		{"DECRC restores a pending wrap", "01234567\x1b7\x1b[3;1Hx\x1b8y", []string{"01234567", "y", "x"}, 1, 1},
		{"CSI u restores a pending wrap", "01234567\x1b[s\x1b[3;1Hx\x1b[uy", []string{"01234567", "y", "x"}, 1, 1},
		{"DECRC without a wrap pending", "0123456\x1b7\x1b[3;1Hx\x1b8yz", []string{"0123456y", "z", "x"}, 1, 1},
		{"DECRC at the edge with no wrap pending", "01234567\x1b[8G\x1b7\x1b[3;1Hx\x1b8y", []string{"0123456y", "", "x"}, 7, 0},
		{"the alternate screen takes a pending wrap along", "01234567\x1b[?1049hx", []string{"", "x"}, 1, 1},
		{"and gives it back", "01234567\x1b[?1049h\x1b[3;3Hx\x1b[?1049ly", []string{"01234567", "y"}, 1, 1},
		{"a restored wrap without autowrap", "01234567\x1b7\x1b[1;1H\x1b[?7l\x1b8y", []string{"0123456y"}, 7, 0},
		{"mark on a pending wrap", "01234567\u0301x", []string{"01234567\u0301", "x"}, 1, 1},
		{"joiner without a base", "\u200d💻", []string{"💻"}, 2, 0},
		{"flag grows when its half comes", "🇫\x1b[m🇷x", []string{"🇫🇷x"}, 3, 0},
		{"three halves", "🇫🇷🇧x", []string{"🇫🇷🇧x"}, 4, 0},
		{"emoji presentation at the edge", "0123456⚠\ufe0fx", []string{"0123456", "⚠\ufe0fx"}, 3, 1},
		{"emoji presentation at the edge without autowrap", "\x1b[?7l0123456⚠\ufe0f", []string{"0123456⚠\ufe0f"}, 7, 0},
		{"wide at the edge without autowrap", "\x1b[?7l01234567日", []string{"01234567"}, 7, 0},
		{"text without autowrap", "\x1b[?7l0123456789", []string{"01234569"}, 7, 0},
		{"growing over a wide character", "ab日\x1b[1;1Hx🇫🇷", []string{"x🇫🇷 "}, 3, 0},
		{"keycap", "1\ufe0f\u20e3x", []string{"1\ufe0f\u20e3x"}, 3, 0},
		{"zero width space", "a\u200bb", []string{"a\u200bb"}, 2, 0},
		{"Hangul jamo", "\u1112\u1161\u11abx", []string{"\u1112\u1161\u11abx"}, 3, 0},
		{"insert mode", "abc\x1b[4h\x1b[1;2H日e\u0301", []string{"a日e\u0301bc"}, 4, 0},
		{"insert mode pushes a wide character out", "abcdef日\x1b[4h\x1b[1;1Hx", []string{"xabcdef"}, 1, 0},
		{"REP of a cluster", "e\u0301\x1b[2b", []string{"e\u0301e\u0301e\u0301"}, 3, 0},
		{"REP of a wide one wraps", "日\x1b[4b", []string{"日日日日", "日"}, 2, 1},
		{"REP needs a character before it", "x\x1b[m\x1b[3b", []string{"x"}, 1, 0},
		{"REP once", "x\x1b[b\x1b[b", []string{"xx"}, 2, 0},
		{"REP without end", "x\x1b[65535b", []string{"xxxxxxxx", "xxxxxxxx", "xxxxxxxx"}, 7, 2},
		{"single shift", "\x1b*0\x1bNqq\x1b+A\x1bO##", []string{"─q£#"}, 4, 0},
		{"locking shifts", "\x1b)0\x0eq\x0fq\x1b*A\x1bn#\x0f#", []string{"─q£#"}, 4, 0},
		{"national set", "\x1b(K[\\]{|}~", []string{"ÄÖÜäöüß"}, 7, 0},
		{"unknown set changes nothing", "\x1b(0\x1b(?q", []string{"─"}, 1, 0},
		{"UTF-8 selection", "\x1b(0\x1b%Gq", []string{"q"}, 1, 0},
		{"line drawing has a blank", "\x1b(0q_q\x1b(B_", []string{"─ ─_"}, 4, 0},
		{"line drawing leaves the rest", "\x1b(0aé日A", []string{"▒é日A"}, 5, 0},
		{"DECALN", "\x1b[2;2Hx\x1b#8", []string{"EEEEEEEE", "EEEEEEEE", "EEEEEEEE"}, 0, 0},
		{"soft hyphen", "a\u00adb", []string{"a\u00adb"}, 3, 0},
		{"C1 controls are not shown", "a\u0080\u0099b", []string{"ab"}, 2, 0},
	} {
		term := newTest(8, 3, c.in)
		t.Run(c.name, func(t *testing.T) {
			want := slices.Clone(c.want)
			for i, w := range want {
				want[i] = strings.TrimRight(w, " ")
			}
			wantGrid(t, term, append(want, make([]string, 3-len(want))...)...)
			if got := cursorOf(term); got != [2]int{c.x, c.y} {
				t.Errorf("cursor %v, want %d,%d", got, c.x, c.y)
			}
			checkInvariants(t, term)
		})
	}
}

// TestOneColumn: wide characters on a screen of one column.
func TestOneColumn(t *testing.T) {
	term := newTest(1, 3, "日a⚠\ufe0f🇫🇷")
	checkInvariants(t, term)
	wantGrid(t, term, "a", "⚠\ufe0f", "🇫🇷")
	wide := newTest(4, 3, "日本a")
	wide.Resize(1, 3)
	checkInvariants(t, wide)
	wide.Resize(4, 3)
	checkInvariants(t, wide)
	if got := strings.Join(mainText(wide), "|"); got != "日本a" {
		t.Errorf("text %q after a screen of one column", got)
	}
}

func TestErase(t *testing.T) {
	const three = "abcdefgh\r\nijklmnop\r\nqrstuvwx"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"protected cells survive DECSED", "a\x1b[1\"qb\x1b[0\"qc\x1b[?2J", []string{" b", "", ""}},
		{"and DECSEL", "a\x1b[1\"qb\x1b[2\"qc\r\x1b[?K", []string{" b", "", ""}},
		{"but not ED", "a\x1b[1\"qb\x1b[2J", []string{"", "", ""}},
		{"SGR 0 leaves protection", "\x1b[1\"q\x1b[31m\x1b[0mb\x1b[?2J", []string{"b", "", ""}},
		{"DECSEL of half a wide character", "日\x1b[1;2H\x1b[?K", []string{"", "", ""}},
		{"EL into a wide character", "a日b\x1b[1;3H\x1b[K", []string{"a", "", ""}},
		{"EL 1 up to a wide character's head", "a日b\x1b[1;2H\x1b[1K", []string{"   b", "", ""}},
		{"ECH over a wide character's half", "日日\x1b[1;2H\x1b[2X", []string{"", "", ""}},
		{"DCH splits", "日本x\x1b[1;2H\x1b[P", []string{" 本x", "", ""}},
		{"ICH splits", "日本x\x1b[1;2H\x1b[@", []string{"   本x", "", ""}},
		{"SL and SR", three + "\x1b[2 @\x1b[3 A", []string{"   cdefg", "   klmno", "   stuvw"}},
		{"DECIC and DECDC", three + "\x1b[1;2H\x1b[2'}\x1b[1;7H\x1b['~", []string{"a  bcdf", "i  jkln", "q  rstv"}},
		{"columns outside the region", three + "\x1b[1;2r\x1b[3;1H\x1b[2 @", []string{"abcdefgh", "ijklmnop", "qrstuvwx"}},
		{"SD has no colour", "\x1b[44mx\x1b[T", []string{"", "x", ""}},
	} {
		term := newTest(8, 3, c.in)
		t.Run(c.name, func(t *testing.T) {
			wantGrid(t, term, c.want...)
			checkInvariants(t, term)
		})
	}
	term := newTest(8, 3, "\x1b[1;31;44m\x1b[2J")
	if s := term.Table().Style(term.Row(1).Cells[3].Style); s != (cells.Style{BG: cells.Indexed(4)}) {
		t.Errorf("an erased cell has %+v, want the background alone", s)
	}
}

func TestOrigin(t *testing.T) {
	for _, c := range []struct {
		name, in string
		x, y     int
	}{
		{"home is the margin", "\x1b[2;4r\x1b[?6h", 0, 1},
		{"CUP counts from the margin", "\x1b[2;4r\x1b[?6h\x1b[2;3H", 2, 2},
		{"CUP stays inside", "\x1b[2;4r\x1b[?6h\x1b[99;3H", 2, 3},
		{"VPA counts from the margin", "\x1b[2;4r\x1b[?6h\x1b[2d", 0, 2},
		{"CUU stays inside", "\x1b[2;4r\x1b[?6h\x1b[9A", 0, 1},
		{"CUD", "\x1b[2;4r\x1b[?6h\x1b[B", 0, 2},
		{"CHA keeps the row", "\x1b[2;4r\x1b[?6h\x1b[2;1H\x1b[4G", 3, 2},
		{"resetting goes home", "\x1b[2;4r\x1b[?6h\x1b[?6l", 0, 0},
		{"DECSTBM goes to its home", "\x1b[?6h\x1b[3;4r", 0, 2},
		{"DECSC keeps the mode", "\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1H", 0, 1},
		{"outside the region CUU reaches the top", "\x1b[3;4r\x1b[2;1H\x1b[9A", 0, 0},
		{"outside the region CUD reaches the bottom", "\x1b[1;2r\x1b[3;1H\x1b[9B", 0, 4},
		{"VPR passes the margin", "\x1b[1;2r\x1b[9e", 0, 4},
		{"margins need two rows", "\x1b[3;3r\x1b[2;2H", 1, 1},
		{"restore without save", "\x1b[3;3H\x1b8", 0, 0},
	} {
		if got := cursorOf(newTest(8, 5, c.in)); got != [2]int{c.x, c.y} {
			t.Errorf("%s: cursor %v, want %d,%d", c.name, got, c.x, c.y)
		}
	}
}
