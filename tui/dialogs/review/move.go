package review

import (
	"slices"

	"ccdir/internal/keymap"
	"ccdir/tui/ui"
)

// to puts the cursor on a row and the view around it.
func (d dialog) to(n int) dialog {
	d.cursor = min(max(n, 0), max(0, len(d.rows)-1))
	d.top = min(max(d.top, d.cursor-d.height+1), d.cursor)
	return d.clamped()
}

// into puts the cursor on a row, with a third of the view above it if it was not in view.
func (d dialog) into(n int) dialog {
	if n < d.top || n >= d.top+d.height {
		d.top = n - d.height/3
	}
	return d.to(n)
}

// opened puts the cursor on the head of a file that was unfolded, with room for some of its lines.
func (d dialog) opened(n int) dialog {
	if d = d.to(n); n > d.top+d.height*2/3 {
		d.top = n - d.height/3
	}
	return d.clamped()
}

// clamped keeps cursor and view within the rows, and notes what was in view.
func (d dialog) clamped() dialog {
	d.cursor = max(0, min(d.cursor, len(d.rows)-1))
	d.top = max(0, min(d.top, len(d.rows)-d.height))
	if d.top <= d.seen {
		d.seen = max(d.seen, min(len(d.rows), d.top+d.height))
	}
	return d
}

// scrolled moves the view by rows; the cursor stays in it.
func (d dialog) scrolled(by int) dialog {
	d.top += by
	d = d.clamped()
	d.cursor = min(max(d.cursor, d.top), max(d.top, min(d.top+d.height, len(d.rows))-1))
	return d
}

// leftStep is how far long lines move to the side, mostLeft how far at most.
const (
	leftStep = 8
	mostLeft = 64 << 10
)

// moves moves the cursor or the view.
func (d dialog) moves(a keymap.Action) dialog {
	page := max(1, d.height-1)
	switch a {
	case keymap.ViewUp:
		return d.to(d.cursor - 1)
	case keymap.ViewDown:
		return d.to(d.cursor + 1)
	case keymap.ViewPageUp:
		if d.top == 0 {
			return d.to(0)
		}
		return d.paged(-page)
	case keymap.ViewPageDown:
		if d.top+d.height >= len(d.rows) {
			return d.to(len(d.rows) - 1)
		}
		return d.paged(page)
	case keymap.ViewFirst:
		return d.to(0)
	case keymap.ViewLast:
		return d.to(len(d.rows) - 1)
	case keymap.ViewLeft:
		d.left = max(0, d.left-leftStep)
	case keymap.ViewRight:
		d.left = min(mostLeft, d.left+leftStep)
	}
	return d
}

// paged moves cursor and view by a page.
func (d dialog) paged(by int) dialog {
	at := d.cursor - d.top
	d = d.scrolled(by)
	return d.to(d.top + at)
}

// hunk goes to the next hunk, or the one before.
func (d dialog) hunk(by int) (ui.Component, []ui.Effect) {
	i, found := slices.BinarySearch(d.hunks, d.cursor)
	switch {
	case by < 0:
		i--
	case found:
		i++
	}
	if i < 0 || i >= len(d.hunks) {
		return d, []ui.Effect{ui.Say{Text: map[bool]string{true: "this is the last hunk", false: "this is the first hunk"}[by > 0]}}
	}
	return d.into(d.hunks[i]), nil
}

// file goes to the next file, or to the beginning of this one and then to the one before.
func (d dialog) file(by int) (ui.Component, []ui.Effect) {
	i, found := slices.BinarySearch(d.files, d.cursor)
	switch {
	case by < 0:
		i--
	case found:
		i++
	}
	if i < 0 || i >= len(d.files) {
		return d, []ui.Effect{ui.Say{Text: map[bool]string{true: "this is the last file", false: "this is the first file"}[by > 0]}}
	}
	return d.toFile(i), nil
}

// toFile shows a file from its head.
func (d dialog) toFile(i int) dialog {
	d.cursor, d.top = d.files[i], d.files[i]
	return d.clamped()
}

// marked are the rows from the first marked one to the last: the cursor's if none are.
func (d dialog) marked() (from, to int) {
	if d.mark < 0 {
		return d.cursor, d.cursor
	}
	return min(d.mark, d.cursor), max(d.mark, d.cursor)
}
