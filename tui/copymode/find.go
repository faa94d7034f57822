package copymode

import (
	"context"

	"ccdir/tui/copymode/core"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
)

// find is the search of a pane in copy mode. Matches are found away from the program's
// goroutine and replaced as a whole.
type find struct {
	typing bool // the pattern is being typed
	back   bool // to older lines
	ed     edit.Line
	query  string
	// matches of query in all lines that were there, at the index of the one
	// under the cursor, -1 if there is none.
	matches []core.Match
	at      int
	// origin is the view to search from while typing, and to go back to.
	origin core.State
	// busy: a search runs. stale: lines came in since.
	busy, stale bool
	// kept: the matches have moved, and the cursor stays while they are looked for.
	kept   bool
	gen    int
	cancel context.CancelFunc
	last   string // the pattern before
}

// found is the result of a search.
type found struct {
	id      string
	gen     int
	matches []core.Match
}

func (v *View) openFind(back bool) {
	v.stopFind()
	last := v.find.query
	if last == "" {
		last = v.find.last
	}
	v.find = find{typing: true, back: back, at: -1, origin: v.st, gen: v.find.gen, last: last}
	v.all = true
}

// stopFind ends the search that runs.
func (v *View) stopFind() {
	if v.find.cancel != nil {
		v.find.cancel()
		v.find.cancel = nil
	}
	v.find.busy = false
	v.find.gen++
}

// findKey edits the pattern; the view follows.
func (v *View) findKey(k ui.Key) []ui.Effect {
	f := &v.find
	switch k.Name {
	case "Enter":
		f.typing = false
		if f.ed.Empty() && f.last != "" {
			return v.search(f.last)
		}
		if f.query != "" && !f.busy && v.complete && len(f.matches) == 0 {
			return warn("not found: " + f.query)
		}
		return nil
	case "Escape", "C-c", "C-g":
		v.dropFind()
		return nil
	case "Up", "C-p":
		f.ed = edit.NewLine(f.last)
	case "BSpace", "C-h":
		if f.ed.Empty() {
			v.dropFind()
			return nil
		}
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	default:
		f.ed, _ = f.ed.Key(k.Name, k.Text())
	}
	return v.search(f.ed.String())
}

// dropFind gives the search up: the view is what it was.
func (v *View) dropFind() {
	v.stopFind()
	v.restore(v.find.origin)
	v.find = find{at: -1, gen: v.find.gen, last: v.find.last}
}

// restore puts cursor and view back to where they were, with the lines there are by now.
func (v *View) restore(old core.State) {
	v.st.Jump(old.Cursor)
	v.st.Show(old.Top, old.Left)
}

// search looks for a pattern in all lines.
func (v *View) search(query string) []ui.Effect {
	v.stopFind()
	f := &v.find
	if query != f.query {
		f.at, f.kept = -1, false // the cursor is not at a match of this one
	}
	f.query, f.stale = query, false
	if query == "" {
		f.matches, f.at = nil, -1
		v.restore(f.origin)
		return nil
	}
	stopped, stop := context.WithCancel(context.Background())
	f.busy, f.cancel = true, stop
	id, gen, lines := v.id, f.gen, v.st.Buf
	return []ui.Effect{ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(stopped, cancel)()
		return ui.Result{Value: found{id, gen, core.Scan(ctx, lines, query)}}, nil // stopped: another gen
	}}}
}

// found takes the result of a search and goes to the nearest match.
func (p *Panes) found(r found) []ui.Effect {
	v := p.views[r.id]
	if v == nil || v.find.gen != r.gen {
		return nil
	}
	f := &v.find
	f.cancel()
	f.cancel, f.busy = nil, false
	settled := (f.at >= 0 || f.kept) && !f.typing
	f.kept = false
	f.matches = r.matches
	if settled { // lines came in: the cursor is where it was
		f.at = core.Near(f.matches, v.st.Cursor, false, true)
		return nil
	}
	if f.at = core.Near(f.matches, f.origin.Cursor, f.back, !f.back); f.at < 0 {
		v.restore(f.origin)
		if !f.typing && v.complete {
			return warn("not found: " + f.query)
		}
		return nil
	}
	v.st.Jump(f.matches[f.at].From)
	return nil
}

// findAgain searches again when lines came in since.
func (v *View) findAgain() []ui.Effect {
	if !v.find.stale || v.find.busy {
		return nil
	}
	return v.search(v.find.query)
}

// findNext goes to the next match, n times; opposite is against the direction of the
// search.
func (v *View) findNext(opposite bool, n int) []ui.Effect {
	f := &v.find
	if f.query == "" && f.last != "" {
		f.origin = v.st
		return v.search(f.last)
	}
	if len(f.matches) == 0 {
		switch {
		case f.query == "":
			return warn("no search yet: / begins one")
		case f.busy || !v.complete:
			return say("still searching")
		}
		return warn("not found: " + f.query)
	}
	back := f.back != opposite
	var effects []ui.Effect
	for range min(n, len(f.matches)) {
		from := v.st.Cursor
		f.at = core.Near(f.matches, from, back, false)
		to := f.matches[f.at].From
		if to.Before(from) != back && to != from {
			effects = say("the search went on at the other end")
		}
		v.st.Jump(to)
	}
	return effects
}

// text says how the search stands: "3/17", "none", "searching 12,000 lines".
func (f *find) text(v *View) string {
	switch {
	case f.query == "":
		return ""
	case f.busy || !v.complete:
		return "searching " + format.Count(v.st.Buf.End()-v.st.Buf.First()) + " lines…"
	case len(f.matches) == 0:
		return "none"
	}
	more := ""
	if len(f.matches) == core.MaxMatches {
		more = "+"
	}
	if f.at < 0 {
		return format.Count(len(f.matches)) + more
	}
	return format.Count(f.at+1) + "/" + format.Count(len(f.matches)) + more
}
