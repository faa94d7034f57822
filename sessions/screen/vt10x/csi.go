package vt10x

import (
	"strconv"
	"strings"

	"ccdir/sessions/screen"
)

// primaryAttributes answers DA1: a VT220 with ANSI colour.
const primaryAttributes = "\x1b[?62;22c"

// maxParam bounds a numeric parameter: nothing is larger than a screen, and
// vt10x loops that often.
const maxParam = screen.MaxCols

// split takes apart prefix (one of <=>?), parameters and intermediates.
func split(seq []byte) (prefix byte, params, inter string) {
	s := string(seq)
	if s != "" && s[0] >= '<' && s[0] <= '?' {
		prefix, s = s[0], s[1:]
	}
	i := strings.IndexFunc(s, func(r rune) bool { return r < '0' })
	if i < 0 {
		return prefix, s, ""
	}
	return prefix, s[:i], s[i:]
}

// numbers parses parameters separated by ";"; an empty one is 0.
func numbers(params string) ([]int, bool) {
	if params == "" {
		return nil, true
	}
	var out []int
	for p := range strings.SplitSeq(params, ";") {
		if p == "" {
			out = append(out, 0)
			continue
		}
		n, ok := number(p)
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// number parses digits; a huge value is as good as 65535, the largest that any
// mode or colour needs.
func number(s string) (int, bool) {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int(s[i]-'0'), 65535)
	}
	return n, true
}

// send hands a sequence to vt10x.
func (f *filter) send(prefix string, args []int, final byte) {
	f.out = append(f.out, esc, '[')
	f.out = append(f.out, prefix...)
	for i, a := range args {
		if i > 0 {
			f.out = append(f.out, ';')
		}
		f.out = strconv.AppendInt(f.out, int64(a), 10)
	}
	f.out = append(f.out, final)
}

// csi handles one control sequence.
func (f *filter) csi(final byte) {
	prefix, params, inter := split(f.seq)
	switch {
	case prefix == 0 && inter == "":
		f.plain(params, final)
	case prefix == '?' && inter == "" && (final == 'h' || final == 'l'):
		if args, ok := numbers(params); ok {
			f.flush()
			for _, a := range args {
				f.private(a, final == 'h')
			}
			f.send("?", args, final)
		}
	case prefix == '?' && inter == "$" && final == 'p':
		if n, ok := number(params); ok {
			f.e.reply("\x1b[?" + strconv.Itoa(n) + ";" + strconv.Itoa(f.modeReport(n)) + "$y")
		}
	case prefix == '?' && inter == "" && final == 'n' && params == "996":
		if l, ok := f.e.opts.Listener.(screen.SchemeListener); ok {
			f.e.reply(screen.SchemeReport(l.LightScheme()))
		}
	case prefix == '?' && inter == "" && (final == 'J' || final == 'K'):
		f.plain(params, final)
	case inter == "" && final == 'u':
		f.kittyKeys(prefix, params)
	case prefix == '>' && inter == "" && final == 'c':
		f.e.reply("\x1b[>1;10;0c")
	case prefix == '>' && inter == "" && final == 'q':
		if o := f.e.opts; o.Name != "" {
			f.e.reply("\x1bP>|" + o.Name + "(" + o.Version + ")\x1b\\")
		}
	case prefix == 0 && inter == " " && final == 'q':
		if n, ok := number(params); ok && n <= 6 {
			f.shape = uint8(n)
		}
	case prefix == 0 && inter == "!" && final == 'p':
		f.softReset()
	}
}

func (f *filter) softReset() {
	f.modes.AppCursor, f.modes.AppKeypad, f.region, f.noWrap = false, false, false, false
	f.out = append(f.out, "\x1b[?25h\x1b[?6l\x1b[?7h\x1b[4l\x1b[m\x1b7\x1b[1;"...)
	f.out = strconv.AppendInt(f.out, int64(f.e.rows), 10)
	f.out = append(f.out, "r\x1b8"...)
}

// plain handles a sequence without prefix and intermediates.
func (f *filter) plain(params string, final byte) {
	if final == 'm' {
		f.sgr(params)
		return
	}
	args, ok := numbers(params)
	if !ok {
		return
	}
	first := 0
	if len(args) > 0 {
		first = args[0]
	}
	count := max(1, min(first, maxParam))
	switch final {
	case '@', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'I', 'L', 'M', 'P', 'T', 'X', 'Z', '`', 'a', 'd', 'e':
		f.send("", []int{count}, final)
	case 'S':
		f.flush()
		if f.keepsHistory() {
			for i := range min(count, f.e.rows) {
				f.pushLine(i)
			}
		}
		f.send("", []int{count}, final)
	case 'H', 'f':
		f.send("", []int{count, atLeast1(args, 1)}, 'H')
	case 'J':
		f.flush()
		if first == 3 {
			f.e.history.clear()
			return
		}
		f.send("", []int{first}, final)
	case 'K', 'g', 's', 'u':
		f.send("", args, final)
	case 'r':
		f.margins(count, args)
	case 'h', 'l':
		for _, a := range args {
			if a == 20 {
				f.modes.NewLine = final == 'h'
			}
		}
		f.send("", args, final)
	case 'b':
		if f.last != 0 {
			f.text([]byte(strings.Repeat(string(f.last), count)))
		}
	case 'c', 'n', 't':
		f.answer(first, final)
	}
}

func (f *filter) pushLine(y int) {
	wrapped := false
	row := f.e.cells[0].Cells[:0:0]
	for x := range f.e.cols {
		c, w := f.e.cell(x, y)
		row, wrapped = append(row, c), w
	}
	f.e.history.push(row, wrapped)
}

// atLeast1 is args[i], 1 when it is missing or 0.
func atLeast1(args []int, i int) int {
	if i >= len(args) {
		return 1
	}
	return max(1, min(args[i], maxParam))
}

func (f *filter) margins(top int, args []int) {
	bottom := f.e.rows
	if len(args) > 1 && args[1] > 0 {
		bottom = min(args[1], f.e.rows)
	}
	if top >= bottom && f.e.rows > 1 {
		return
	}
	f.region = top > 1 || bottom < f.e.rows
	f.send("", []int{top, bottom}, 'r')
}

// answer handles the questions: attributes (DA1), status and cursor (DSR), size.
func (f *filter) answer(what int, final byte) {
	switch {
	case final == 'c' && what == 0:
		f.e.reply(primaryAttributes)
	case final == 'n' && what == 5:
		f.e.reply("\x1b[0n")
	case final == 'n' && what == 6:
		f.flush()
		cur := f.e.term.Cursor()
		f.e.reply("\x1b[" + strconv.Itoa(cur.Y+1) + ";" + strconv.Itoa(min(cur.X, f.e.cols-1)+1) + "R")
	case final == 't' && what == 18:
		f.e.reply("\x1b[8;" + strconv.Itoa(f.e.rows) + ";" + strconv.Itoa(f.e.cols) + "t")
	}
}

// sgr rewrites a rendition so that vt10x reads it as meant: colons, underline
// styles and underline colours are unknown to it.
func (f *filter) sgr(params string) {
	if params == "" {
		f.send("", []int{0}, 'm')
		return
	}
	groups := strings.Split(params, ";")
	var out []int
	for i := 0; i < len(groups); i++ {
		parts, ok := numbers(strings.ReplaceAll(groups[i], ":", ";"))
		if !ok {
			return
		}
		if len(parts) == 0 {
			parts = []int{0}
		}
		switch n := parts[0]; {
		case n == 38 || n == 48 || n == 58:
			if len(parts) == 1 {
				rest, ok := numbers(strings.Join(groups[i+1:min(len(groups), i+5)], ";"))
				if !ok || len(rest) == 0 {
					return
				}
				take := map[int]int{5: 2, 2: 4}[rest[0]]
				if take == 0 || take > len(rest) {
					i = len(groups)
					continue
				}
				parts = append(parts, rest[:take]...)
				i += take
			} else if len(parts) == 6 && parts[1] == 2 { // 38:2:SPACE:r:g:b
				parts = append(parts[:2], parts[3:]...)
			}
			if n != 58 {
				out = append(out, parts...)
			}
		case n == 4 && len(parts) > 1 && parts[1] == 0:
			out = append(out, 24)
		case n == 21:
			out = append(out, 4)
		default:
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		f.send("", out, 'm')
	}
}

// kittyKeys handles the kitty keyboard protocol's sequences.
func (f *filter) kittyKeys(prefix byte, params string) {
	args, ok := numbers(params)
	if !ok {
		return
	}
	first := 0
	if len(args) > 0 {
		first = args[0]
	}
	const maxStack = 16
	switch prefix {
	case '?':
		if f.e.opts.KittyKeyboard {
			f.e.reply("\x1b[?" + strconv.Itoa(int(f.modes.KittyFlags)) + "u")
		}
	case '>':
		if len(f.kitty) == maxStack {
			f.kitty = append(f.kitty[:0], f.kitty[1:]...)
		}
		f.kitty = append(f.kitty, f.modes.KittyFlags)
		f.modes.KittyFlags = uint8(first & screen.KittyKept)
	case '<':
		for range max(1, min(first, maxStack)) {
			if len(f.kitty) == 0 {
				f.modes.KittyFlags = 0
				break
			}
			f.modes.KittyFlags = f.kitty[len(f.kitty)-1]
			f.kitty = f.kitty[:len(f.kitty)-1]
		}
	case '=':
		how := 1
		if len(args) > 1 {
			how = args[1]
		}
		switch bits := uint8(first & screen.KittyKept); how {
		case 1:
			f.modes.KittyFlags = bits
		case 2:
			f.modes.KittyFlags |= bits
		case 3:
			f.modes.KittyFlags &^= bits
		}
	}
}
