package tui

import (
	"cmp"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/grid"
	"ccdir/tui/input"
	"ccdir/tui/paint"
)

// maxEditor bounds the text of an editor in bytes.
const maxEditor = 1 << 20

// editor is a line of text that is being written: grapheme clusters before and
// after the cursor. Line breaks (from a paste) are kept and shown as a sign. It
// is a value; copies don't share anything that changes.
type editor struct {
	before, after []string
	past          []editor // before each edit, the newest last; without pasts of their own
	cut           []string // what C-w, C-u, C-k or M-d deleted last
	typing        bool     // the last key typed text: the next one joins its step back
}

// editorSteps is how many edits can be taken back.
const editorSteps = 100

func newEditor(text string) editor { return editor{before: clusters(text)} }

func clusters(s string) []string {
	s = strings.ToValidUTF8(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\ufffd")
	var out []string
	for len(s) > 0 {
		n, _ := paint.Next(s)
		out, s = append(out, s[:n]), s[n:]
	}
	return out
}

func (e editor) String() string { return strings.Join(e.before, "") + strings.Join(e.after, "") }

// width is how many columns all of it takes.
func (e editor) width() (n int) {
	for _, c := range e.before {
		n += paint.Width(shown(c))
	}
	for _, c := range e.after {
		n += paint.Width(shown(c))
	}
	return n
}

func (e editor) empty() bool { return len(e.before)+len(e.after) == 0 }

// insert puts text at the cursor; nothing that would make it too long.
func (e editor) insert(text string) editor { return e.edited(e.put(text), false) }

// edited is next, from which e can be come back to unless both are text typed in one go.
func (e editor) edited(next editor, typed bool) editor {
	next.past = e.past
	if !typed || !e.typing {
		old := e.past[max(0, len(e.past)-editorSteps+1):]
		next.past = append(old[:len(old):len(old)], editor{before: e.before, after: e.after})
	}
	next.typing = typed
	return next
}

// back takes the last edit back.
func (e editor) back() editor {
	n := len(e.past)
	if n == 0 {
		return e
	}
	old := e.past[n-1]
	old.past, old.cut = e.past[:n-1:n-1], e.cut
	return old
}

// put is insert without a step back.
func (e editor) put(text string) editor {
	n := len(text)
	for _, c := range e.before {
		n += len(c)
	}
	if n > maxEditor {
		return e
	}
	e.before = append(e.before[:len(e.before):len(e.before)], clusters(text)...)
	return e
}

// key edits; ok is false for keys that mean nothing here.
func (e editor) key(name string, k tea.Key) (_ editor, ok bool) {
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
		return e.typed(name, k)
	}
	if len(next.cut) == 0 {
		next.cut = e.cut
	}
	if len(next.before) == b && len(next.after) == a {
		return e, true // nothing to delete
	}
	return e.edited(next, false), true
}

// typed puts in what a key types; ok is false if it types nothing.
func (e editor) typed(name string, k tea.Key) (_ editor, ok bool) {
	if !input.IsText(k) && name != "Space" {
		return e, false
	}
	return e.edited(e.put(cmp.Or(k.Text, " ")), true), true
}

func (e editor) move(n int) editor {
	all := append(append([]string(nil), e.before...), e.after...)
	at := min(max(len(e.before)+n, 0), len(all))
	e.before, e.after, e.typing = all[:at:at], all[at:], false
	return e
}

func (e editor) wordBack() int {
	n := 0
	for n < len(e.before) && blank(e.before[len(e.before)-1-n]) {
		n++
	}
	for n < len(e.before) && !blank(e.before[len(e.before)-1-n]) {
		n++
	}
	return n
}

func (e editor) wordForward() int {
	n := 0
	for n < len(e.after) && blank(e.after[n]) {
		n++
	}
	for n < len(e.after) && !blank(e.after[n]) {
		n++
	}
	return n
}

func blank(c string) bool { return strings.TrimFunc(c, unicode.IsSpace) == "" }

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

// draw shows the part of the text around the cursor in w columns and returns
// the cursor's column within them.
func (e editor) draw(s *paint.Surface, x, y, w int, st grid.Style) int {
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
