package edit

import (
	"strings"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
)

// maxLine bounds the text of a line in bytes.
const maxLine = 1 << 20

// Line is a line of text that is being written: grapheme clusters before and
// after the cursor. Line breaks (from a paste) are kept and shown as a sign. It
// is a value; copies don't share anything that changes.
type Line struct {
	before, after []string
	past          []Line   // before each edit, the newest last; without pasts of their own
	cut           []string // the text that C-w, C-u, C-k or M-d deleted last
	typing        bool     // the last key typed text: the next one joins its step back
}

// NewLine is a line with the text, the cursor at its end.
func NewLine(text string) Line { return Line{before: clusters(text)} }

// clusters are the parts of a text that the cursor goes by.
func clusters(s string) []string {
	s = strings.ToValidUTF8(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\ufffd")
	var out []string
	for len(s) > 0 {
		n, _ := paint.Next(s)
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

// String is the text.
func (e Line) String() string { return strings.Join(e.before, "") + strings.Join(e.after, "") }

// Parts are the text before the cursor and after it.
func (e Line) Parts() (before, after string) {
	return strings.Join(e.before, ""), strings.Join(e.after, "")
}

// Width is how many columns all of it takes.
func (e Line) Width() int { return e.Column() + columns(e.after) }

// Column is how many columns the text before the cursor takes.
func (e Line) Column() int { return columns(e.before) }

func columns(clusters []string) (n int) {
	for _, c := range clusters {
		n += paint.Width(shown(c))
	}
	return n
}

// Empty reports whether nothing is written.
func (e Line) Empty() bool { return len(e.before)+len(e.after) == 0 }

// Insert puts text at the cursor; nothing that would make it too long.
func (e Line) Insert(text string) Line { return e.edited(e.put(text), false) }

// edited is next, from which e can be come back to unless both are text typed in one go.
func (e Line) edited(next Line, typed bool) Line {
	next.past = e.past
	if !typed || !e.typing {
		old := e.past[max(0, len(e.past)-maxUndo+1):]
		next.past = append(old[:len(old):len(old)], Line{before: e.before, after: e.after})
	}
	next.typing = typed
	return next
}

// back takes the last edit back.
func (e Line) back() Line {
	n := len(e.past)
	if n == 0 {
		return e
	}
	old := e.past[n-1]
	old.past, old.cut = e.past[:n-1:n-1], e.cut
	return old
}

// put is insert without a step back.
func (e Line) put(text string) Line {
	n := len(text)
	for _, c := range e.before {
		n += len(c)
	}
	if n > maxLine {
		return e
	}
	e.before = append(e.before[:len(e.before):len(e.before)], clusters(text)...)
	return e
}

// Key edits by a key, which is named as in internal/keymap; text is what it types, "" if
// it types nothing. ok is false for keys that mean nothing here.
func (e Line) Key(name, text string) (_ Line, ok bool) {
	b, a := len(e.before), len(e.after)
	switch name {
	case "Left", "C-b":
		return e.move(-1), true
	case "Right", "C-f":
		return e.move(1), true
	case "Home", "C-a":
		return e.move(-b), true
	case "End", "C-e":
		return e.move(a), true
	case "C-Left", "M-b", "M-Left":
		return e.move(-e.wordBack()), true
	case "C-Right", "M-f", "M-Right":
		return e.move(e.wordForward()), true
	case "C-_", "C-/", "C-z":
		return e.back(), true
	}
	next := e
	switch name {
	case "BSpace", "C-h", "S-BSpace":
		next.before = e.before[:max(0, b-1):max(0, b-1)]
	case "DC", "C-d":
		next.after = e.after[min(1, a):]
	case "C-w", "M-BSpace":
		n := b - e.wordBack()
		next.before, next.cut = e.before[:n:n], e.before[n:]
	case "M-d":
		n := e.wordForward()
		next.after, next.cut = e.after[n:], e.after[:n]
	case "C-u":
		next.before, next.cut = nil, e.before
	case "C-k":
		next.after, next.cut = nil, e.after
	case "C-y":
		next = e.put(strings.Join(e.cut, ""))
	default:
		if text == "" {
			return e, false
		}
		return e.edited(e.put(text), true), true
	}
	if len(next.cut) == 0 {
		next.cut = e.cut
	}
	if len(next.before) == b && len(next.after) == a {
		return e, true // nothing to delete
	}
	return e.edited(next, false), true
}

// move moves the cursor by n clusters, as far as there is text.
func (e Line) move(n int) Line {
	all := append(append([]string(nil), e.before...), e.after...)
	at := min(max(len(e.before)+n, 0), len(all))
	e.before, e.after, e.typing = all[:at:at], all[at:], false
	return e
}

func (e Line) wordBack() int {
	n := 0
	for n < len(e.before) && blank(e.before[len(e.before)-1-n]) {
		n++
	}
	for n < len(e.before) && !blank(e.before[len(e.before)-1-n]) {
		n++
	}
	return n
}

func (e Line) wordForward() int {
	n := 0
	for n < len(e.after) && blank(e.after[n]) {
		n++
	}
	for n < len(e.after) && !blank(e.after[n]) {
		n++
	}
	return n
}

// shown is how a cluster is drawn: line breaks as a sign.
func shown(c string) string {
	switch c {
	case "\n":
		return "⏎"
	case "\t":
		return "→"
	}
	return c
}

// Draw shows the part of the text around the cursor in w columns and returns
// the cursor's column within them.
func (e Line) Draw(s *paint.Surface, x, y, w int, st cells.Style) int {
	if w <= 0 {
		return 0
	}
	// From the cursor to the left as far as there is room, one column kept for
	// the cursor itself.
	start, used := len(e.before), 0
	for start > 0 {
		cw := paint.Width(shown(e.before[start-1]))
		if used+cw > w-1 {
			break
		}
		used += cw
		start--
	}
	at := x
	for _, c := range e.before[start:] {
		at += s.Text(at, y, x+w-at, shown(c), st)
	}
	cursor := at - x
	for _, c := range e.after {
		if at >= x+w {
			break
		}
		n := s.Text(at, y, x+w-at, shown(c), st)
		if n == 0 && paint.Width(shown(c)) > 0 {
			break
		}
		at += n
	}
	return cursor
}
