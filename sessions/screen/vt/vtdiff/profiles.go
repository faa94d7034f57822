package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// profiles make streams of one subject each. What is known to differ by design
// (see the package comment of vt and doc of the tests) is left out.
var profiles = map[string]func(*rand.Rand) stream{
	"text":   func(r *rand.Rand) stream { return random(r, text, cursor) },
	"edit":   func(r *rand.Rand) stream { return random(r, text, cursor, edit, erase) },
	"wide":   func(r *rand.Rand) stream { return random(r, text, wide, wide, cursor, edit, erase) },
	"region": func(r *rand.Rand) stream { c := random(r, text, cursor, region, edit); c.NoScrollback = true; return c },
	"attr":   func(r *rand.Rand) stream { return random(r, text, sgr, sgr, cursor, erase) },
	"modes": func(r *rand.Rand) stream {
		c := random(r, text, cursor, mode, edit)
		c.NoScrollback = true
		return c
	},
	"alt": func(r *rand.Rand) stream {
		// No scrolling: xterm.js keeps a saved cursor with the text, not the row.
		c := random(r, short, place, saved, sgr)
		c.Cols, c.Rows = 12, 8
		return c
	},
	"altregion": func(r *rand.Rand) stream {
		c := random(r, short, place, saved, region, erase)
		c.Cols, c.Rows, c.NoScrollback = 12, 8, true
		return c
	},
	"colours": func(r *rand.Rand) stream { // erasing and scrolling with a background
		c := random(r, text, wide, sgr, edit, erase, region, cursor)
		c.NoScrollback = true
		return c
	},
	"report": func(r *rand.Rand) stream { return random(r, text, cursor, mode, query) },
	"syntax": func(r *rand.Rand) stream { return random(r, text, syntax, syntax, cursor) },
	"tabs":   func(r *rand.Rand) stream { return random(r, text, tab, tab, cursor) },
	"cluster": func(r *rand.Rand) stream {
		c := random(r, text, cluster, cluster, cursor, erase)
		c.Graphemes, c.NoAttrs = true, true
		c.Chunk = 0 // cut input makes xterm.js lose U+200D
		return c
	},
	"resize": resize,
	"reflow": func(r *rand.Rand) stream {
		c := resize(r)
		c.ReflowCursor = true
		c.Parts = append(c.Parts, strings.TrimSpace(text(r)))
		c.Parts2 = nil
		return c
	},
	"height": func(r *rand.Rand) stream {
		c := resize(r)
		c.Resize[0] = c.Cols
		if r.IntN(2) == 0 {
			c.Parts = append(c.Parts, place(r))
		}
		return c
	},
}

func profileNames() []string { return slices.Sorted(maps.Keys(profiles)) }

type piece func(*rand.Rand) string

func random(r *rand.Rand, pieces ...piece) stream {
	c := stream{Cols: 2 + r.IntN(18), Rows: 1 + r.IntN(8)}
	if r.IntN(3) == 0 {
		c.Chunk = 1 + r.IntN(9)
	}
	for range 2 + r.IntN(40) {
		c.Parts = append(c.Parts, pieces[r.IntN(len(pieces))](r))
	}
	return c
}

// resize makes wrapped and plain lines, the cursor on a line of its own below
// them (xterm.js does not re-wrap the line that has the cursor), then another
// size.
func resize(r *rand.Rand) stream {
	c := stream{Cols: 2 + r.IntN(18), Rows: 2 + r.IntN(8), NoAttrs: true}
	for range 1 + r.IntN(8) {
		var b strings.Builder
		for range r.IntN(30) {
			if r.IntN(8) == 0 {
				b.WriteString(pick(r, "語", "한", "日"))
			} else {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
		}
		c.Parts = append(c.Parts, b.String()+"\r\n")
	}
	c.Resize = []int{2 + r.IntN(18), 2 + r.IntN(8)}
	c.Parts2 = []string{"$"}
	return c
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func num(r *rand.Rand) string { return pick(r, "", "", "0", "1", "2", "3", "5", "9", "40", "999") }

func text(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		c := byte(' ' + r.IntN(95))
		if c == '_' {
			c = 'x' // xterm.js shows it in DEC special graphics, where xterm and we have a blank
		}
		b.WriteByte(c)
	}
	return b.String()
}

func short(r *rand.Rand) string { return pick(r, "a", "bc", "日") }

func place(r *rand.Rand) string { return fmt.Sprintf("\x1b[%d;%dH", 1+r.IntN(8), 1+r.IntN(9)) }

func wide(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(pick(r, "日", "本", "한", "😀", "é", "─", "x", "A"))
	}
	return b.String()
}

func cluster(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString(pick(r, "e\u0301", "🇫🇷", "👩\u200d💻", "👍🏽", "日", "x", "⚠\ufe0f", "❤\ufe0f\u200d🔥", "🏴\U000e0067\U000e0062\U000e007f", "y"))
	}
	return b.String()
}

func cursor(r *rand.Rand) string {
	switch r.IntN(12) {
	case 0:
		return "\r\n"
	case 1:
		return pick(r, "\n", "\r", "\b", "\x0b", "\x0c")
	case 2:
		return fmt.Sprintf("\x1b[%s;%sH", num(r), num(r))
	case 3:
		return pick(r, "\x1bD", "\x1bE", "\x1bM", "\u0084", "\u0085")
	case 4:
		return "\t"
	default:
		return "\x1b[" + num(r) + pick(r, "A", "B", "C", "D", "E", "F", "G", "H", "f", "`", "a", "d", "e", "I", "Z")
	}
}

func edit(r *rand.Rand) string {
	if r.IntN(6) == 0 { // CUF first: xterm.js takes a pending wrap for column 0
		return "\x1b[C\x1b[" + num(r) + pick(r, "'}", "'~")
	}
	return "\x1b[" + num(r) + pick(r, "@", "P", "L", "M", "X", "b", " @", " A")
}

func erase(r *rand.Rand) string {
	return "\x1b[" + pick(r, "", "0", "1", "2") + pick(r, "J", "K")
}

func region(r *rand.Rand) string {
	if r.IntN(2) == 0 {
		return fmt.Sprintf("\x1b[%d;%dr", r.IntN(5), r.IntN(9))
	}
	return "\x1b[" + num(r) + pick(r, "S", "T", "L", "M")
}

func tab(r *rand.Rand) string {
	return pick(r, "\t", "\t", "\x1bH", "\x1b[g", "\x1b[3g", "\x1b[I", "\x1b[2I", "\x1b[Z", "\x1b[2Z", "\u0088")
}

func sgr(r *rand.Rand) string {
	var parts []string
	for range r.IntN(4) {
		parts = append(parts, pick(r, "", "0", "1", "2", "3", "4", "5", "7", "8", "9", "22", "23", "24", "25", "27", "28", "29", "31", "42", "39", "49", "95", "106",
			"38;5;100", "48;5;200", "38;2;1;2;3", "48;2;9;8;7", "38:5:33", "48:2::5:6:7", "4:3", "4:0", "58;5;1", "53", "55", "6", "10", "99"))
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

func mode(r *rand.Rand) string {
	return pick(r, "\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[20l", "\x1b[?25l", "\x1b[?1h", "\x1b[?2004h", "\x1b[?1000h", "\x1b[?1006h", "\x1b[?1003l",
		"\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1b(A", "\x1b[!p", "\x1bc", "\x1b#8", "\x1b[?45h", "\x1b[?45l", "\x1bn", "\x1bo", "\x1b*0")
}

func saved(r *rand.Rand) string {
	return pick(r, "\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h", "\x1b[?1047l", "\x1b[?1048h", "\x1b[?1048l", "\x1b7", "\x1b8", "\x1b[s", "\x1b[u")
}

func query(r *rand.Rand) string {
	return pick(r, "\x1b[5n", "\x1b[c", "\x1b[>c", "\x1b[0c", "\x1b[4$p", "\x1b[20$p", "\x1b[?1$p", "\x1b[?6$p", "\x1b[?7$p", "\x1b[?1000$p", "\x1b[?1002$p",
		"\x1b[?1006$p", "\x1b[?1049$p", "\x1b[?2026$p", "\x1b[?2026h", "\x1b[?9999$p", "\x1bP$qr\x1b\\", "\x1bP$qx\x1b\\", "\x1bP$q\"q\x1b\\", "\x1b]0;t\x07", "\x1b]2;ti\x1b\\", "\x1b[r", "\x1b[1;2r")
}

func syntax(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return pick(r, "\x1b[1\x18A", "\x1b[\x1bD", "\x1b[1\nC", "\x1b[?1", "\x1b[>", "\x1b[1;;2", "\x1b[ ", "\x1b[1$", "\x1b(", "\x1b]2;x", "\x1b\\", "\x1bP1;2q", "\x1bX", "\x1b_", "\x1b^",
			"\x1b[1:2A", "\x1b[;3H", "\x1b[<3", "\x1b[=", "\x7f", "\x1b[1?2C", "\x1b[3!A", "\x1bé", "\x1b[é", "\x1b[99999999999C", "\x1b  F", "\x00", "\x05", "\x1a", "\x1b")
	case 1:
		return pick(r, "\x1b\\", "\x07", "\x18", "\u009c", "\u009b2C", "m", "h", "A")
	case 2:
		var b strings.Builder
		b.WriteString("\x1b[")
		for range r.IntN(5) {
			b.WriteString(pick(r, "1", ";", ":", "?", ">", " ", "$", "2", "\x1b", "\r", "\x7f"))
		}
		b.WriteString(pick(r, "A", "B", "C", "D", "H", "J", "K", "m", "r", "X"))
		return b.String()
	}
	return text(r)
}
