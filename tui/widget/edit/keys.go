package edit

import "ccdir/tui/paint"

// Key edits by a key, which is named as in internal/keymap; text is what it
// types, "" if it types nothing. ok is false for keys that mean nothing here.
// Up and Down go by the rows of the text wrapped at width columns; at the first
// and the last row they change nothing and are not ok, so that they can mean
// something else.
func (b Buffer) Key(name, text string, width int) (_ Buffer, ok bool) {
	if next, ok := b.moveKey(name, width); ok {
		next.typed = false
		return next, true
	}
	if next, ok := b.editKey(name); ok {
		return next, true
	}
	if text == "" {
		return b, false
	}
	b, _ = b.insert(clean(text), true)
	return b, true
}

// moveKey moves the cursor.
func (b Buffer) moveKey(name string, width int) (Buffer, bool) {
	end := len(b.Line(b.row))
	switch name {
	case "Up":
		return b.vertical(-1, width)
	case "Down":
		return b.vertical(1, width)
	case "Left", "C-b":
		return b.left(), true
	case "Right", "C-f":
		return b.right(), true
	case "Home", "C-a":
		return b.to(b.row, 0), true
	case "End", "C-e":
		return b.to(b.row, end), true
	case "C-Home", "M-<":
		return b.to(0, 0), true
	case "C-End", "M->":
		last := max(0, len(b.lines)-1)
		return b.to(last, len(b.Line(last))), true
	case "C-Left", "M-b", "M-Left":
		if b.off == 0 && b.row > 0 {
			return b.left(), true
		}
		return b.to(b.row, b.wordBack()), true
	case "C-Right", "M-f", "M-Right":
		if b.off == end && b.row+1 < len(b.lines) {
			return b.right(), true
		}
		return b.to(b.row, b.wordForward()), true
	}
	return b, false
}

// editKey deletes, and takes back.
func (b Buffer) editKey(name string) (Buffer, bool) {
	line := b.Line(b.row)
	switch name {
	case "BSpace", "C-h", "S-BSpace":
		if b.off == 0 {
			return b.joinNext(b.row - 1), true
		}
		return b.delete(startOf(line, b.off), b.off), true
	case "DC", "C-d":
		if b.off == len(line) {
			return b.joinNext(b.row), true
		}
		n, _ := paint.Next(line[b.off:])
		return b.delete(b.off, b.off+n), true
	case "C-w", "M-BSpace":
		if b.off == 0 {
			return b.joinNext(b.row - 1), true
		}
		return b.kill(b.wordBack(), b.off), true
	case "M-d":
		if b.off == len(line) {
			return b.joinNext(b.row), true
		}
		return b.kill(b.off, b.wordForward()), true
	case "C-u":
		if b.off == 0 {
			return b.joinNext(b.row - 1), true
		}
		return b.kill(0, b.off), true
	case "C-k":
		if b.off == len(line) {
			return b.joinNext(b.row), true
		}
		return b.kill(b.off, len(line)), true
	case "C-y":
		return b.Insert(b.cut), true
	case "C-_", "C-/", "C-z":
		return b.Undo(), true
	}
	return b, false
}

// kill deletes a part of the cursor's line and keeps it for C-y.
func (b Buffer) kill(from, to int) Buffer {
	cut := b.expand(b.Line(b.row)[from:to])
	b = b.delete(from, to)
	if cut != "" {
		b.cut = cut
	}
	return b
}

func (b Buffer) to(row, off int) Buffer {
	b.row, b.off, b.goal = row, off, 0
	return b
}

func (b Buffer) left() Buffer {
	switch {
	case b.off > 0:
		return b.to(b.row, startOf(b.Line(b.row), b.off))
	case b.row > 0:
		return b.to(b.row-1, len(b.lines[b.row-1]))
	}
	return b.to(b.row, b.off)
}

func (b Buffer) right() Buffer {
	line := b.Line(b.row)
	switch {
	case b.off < len(line):
		n, _ := paint.Next(line[b.off:])
		return b.to(b.row, b.off+n)
	case b.row+1 < len(b.lines):
		return b.to(b.row+1, 0)
	}
	return b.to(b.row, b.off)
}

// wordBack is where the word before the cursor begins; wordForward where the
// one after it ends.
func (b Buffer) wordBack() int {
	line, at := b.Line(b.row), b.off
	step := func(want bool) {
		for at > 0 {
			from := startOf(line, at)
			if blank(line[from:at]) != want {
				return
			}
			at = from
		}
	}
	step(true)
	step(false)
	return at
}

func (b Buffer) wordForward() int {
	line, at := b.Line(b.row), b.off
	step := func(want bool) {
		for at < len(line) {
			n, _ := paint.Next(line[at:])
			if blank(line[at:at+n]) != want {
				return
			}
			at += n
		}
	}
	step(true)
	step(false)
	return at
}
