package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ccdir/tui/copymode"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// copyFind is the search of a pane in copy mode. Matches are found away from
// the program's goroutine and replaced as a whole.
type copyFind struct {
	typing bool // the pattern is being typed
	back   bool // to older lines
	ed     edit.Line
	query  string
	// matches of query in all lines that were there, at the index of the one
	// under the cursor, -1 if there is none.
	matches []copymode.Match
	at      int
	// origin is the view to search from while typing, and to go back to.
	origin copymode.State
	// busy: a search runs. stale: lines came in since.
	busy, stale bool
	// kept: the matches have moved, and the cursor stays while they are looked for.
	kept   bool
	gen    int
	cancel context.CancelFunc
	last   string // the pattern before
}

// foundMsg is the result of a search.
type foundMsg struct {
	id      string
	gen     int
	matches []copymode.Match
}

func (c *copyView) openFind(back bool) {
	c.stopFind()
	last := c.find.query
	if last == "" {
		last = c.find.last
	}
	c.find = copyFind{typing: true, back: back, at: -1, origin: c.st, gen: c.find.gen, last: last}
	c.all = true
}

// stopFind ends the search that runs.
func (c *copyView) stopFind() {
	if c.find.cancel != nil {
		c.find.cancel()
		c.find.cancel = nil
	}
	c.find.busy = false
	c.find.gen++
}

// findKey edits the pattern; the view follows.
func (m *model) findKey(c *copyView, k input.Key) cmd {
	f := &c.find
	switch k.Name {
	case "Enter":
		f.typing = false
		if f.ed.Empty() && f.last != "" {
			return m.search(c, f.last)
		}
		if f.query == "" {
			return nil
		}
		if !f.busy && c.complete && len(f.matches) == 0 {
			m.warn("not found: " + f.query)
		}
		return nil
	case "Escape", "C-c", "C-g":
		m.dropFind(c)
		return nil
	case "Up", "C-p":
		f.ed = edit.NewLine(f.last)
	case "BSpace", "C-h":
		if f.ed.Empty() {
			m.dropFind(c)
			return nil
		}
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	default:
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	}
	return m.search(c, f.ed.String())
}

// dropFind gives the search up: the view is what it was.
func (m *model) dropFind(c *copyView) {
	c.stopFind()
	c.restore(c.find.origin)
	c.find = copyFind{at: -1, gen: c.find.gen, last: c.find.last}
}

// restore puts cursor and view back to where they were, with the lines there
// are by now.
func (c *copyView) restore(old copymode.State) {
	c.st.Jump(old.Cursor)
	c.st.Show(old.Top, old.Left)
}

// search looks for a pattern in all lines.
func (m *model) search(c *copyView, query string) cmd {
	c.stopFind()
	f := &c.find
	f.query, f.stale = query, false
	if query == "" {
		f.matches, f.at = nil, -1
		c.restore(f.origin)
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	f.busy, f.cancel = true, cancel
	id, gen, lines := c.id, f.gen, c.st.Buf
	return func() tea.Msg {
		found := copymode.Scan(ctx, lines, query)
		if ctx.Err() != nil {
			return nil
		}
		return foundMsg{id, gen, found}
	}
}

// found takes the result of a search and goes to the nearest match.
func (m *model) found(r foundMsg) {
	c := m.copies[r.id]
	if c == nil || c.find.gen != r.gen {
		return
	}
	f := &c.find
	f.cancel()
	f.cancel, f.busy = nil, false
	settled := (f.at >= 0 || f.kept) && !f.typing
	f.kept = false
	f.matches = r.matches
	if settled { // lines came in: the cursor is where it was
		f.at = copymode.Near(f.matches, c.st.Cursor, false, true)
		return
	}
	if f.at = copymode.Near(f.matches, f.origin.Cursor, f.back, !f.back); f.at < 0 {
		c.restore(f.origin)
		if !f.typing && c.complete {
			m.warn("not found: " + f.query)
		}
		return
	}
	c.st.Jump(f.matches[f.at].From)
}

// findAgain searches again when lines came in since.
func (m *model) findAgain(c *copyView) cmd {
	if !c.find.stale || c.find.busy {
		return nil
	}
	return m.search(c, c.find.query)
}

// findNext goes to the next match, n times; opposite is against the direction of
// the search.
func (m *model) findNext(c *copyView, opposite bool, n int) cmd {
	f := &c.find
	if f.query == "" && f.last != "" {
		f.origin = c.st
		return m.search(c, f.last)
	}
	if len(f.matches) == 0 {
		switch {
		case f.query == "":
			m.warn("no search yet: / begins one")
		case f.busy || !c.complete:
			m.say("still searching")
		default:
			m.warn("not found: " + f.query)
		}
		return nil
	}
	back := f.back != opposite
	for range min(n, len(f.matches)) {
		from := c.st.Cursor
		f.at = copymode.Near(f.matches, from, back, false)
		to := f.matches[f.at].From
		if to.Before(from) != back && to != from {
			m.say("the search went on at the other end")
		}
		c.st.Jump(to)
	}
	return nil
}

// text says how the search stands: "3/17", "none", "searching 12,000 lines".
func (f *copyFind) text(c *copyView) string {
	switch {
	case f.query == "":
		return ""
	case f.busy || !c.complete:
		return "searching " + format.Count(c.st.Buf.End()-c.st.Buf.First()) + " lines…"
	case len(f.matches) == 0:
		return "none"
	}
	more := ""
	if len(f.matches) == copymode.MaxMatches {
		more = "+"
	}
	if f.at < 0 {
		return format.Count(len(f.matches)) + more
	}
	return format.Count(f.at+1) + "/" + format.Count(len(f.matches)) + more
}
