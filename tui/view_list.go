package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/paint"
)

// listWidth is the width of the list's inside over the panes.
const listWidth = 96

// box is where the list is: in its column, or over the panes.
func (d sessionList) box(sc *scene) paint.Rect {
	if r := sc.layout.list; !r.Empty() {
		return r
	}
	h := max(min(len(sc.list.rows(d.filter.String()))+7, sc.rows-2), min(12, sc.rows))
	w := min(listWidth+4, sc.cols)
	return paint.Rect{X: (sc.cols - w) / 2, Y: max(0, (sc.rows-h)/3), W: w, H: min(h, sc.rows)}
}

// listPlan is where the rows of the list are.
type listPlan struct {
	rows []listRow
	in   paint.Rect // the room for them
	top  int        // the first one that is shown
	// tall: a session takes two lines, the second one for what it does. That is
	// so in a narrow column that has room for all.
	tall bool
}

// plan places the rows; focused: the list has the keyboard.
func (d sessionList) plan(sc *scene, focused bool) listPlan {
	p := listPlan{rows: sc.list.rows(d.filter.String()), in: d.box(sc).Inset(1)}
	in := &p.in
	if in.W > 60 {
		in.X, in.W = in.X+1, in.W-2
	}
	if focused && in.H > 5 {
		in.H -= 3 // the chosen session, and the keys
	} else if focused && in.H > 2 {
		in.H--
	}
	if d.filtering || !d.filter.empty() {
		in.Y, in.H = in.Y+1, in.H-1
	}
	in.H = max(in.H, 0)
	lines := 0
	for _, r := range p.rows {
		lines += r.height(true)
	}
	p.tall = !sc.layout.list.Empty() && lines <= in.H
	if at := d.index(p.rows); !p.tall && at >= in.H {
		p.top = min(at-in.H/2, max(0, len(p.rows)-in.H))
	}
	return p
}

// height is how many lines a row takes.
func (r listRow) height(tall bool) int {
	if tall && r.heading == "" {
		return 2
	}
	return 1
}

// each calls f for the rows that are shown, with their places.
func (p listPlan) each(f func(row listRow, r paint.Rect)) {
	y := p.in.Y
	for _, row := range p.rows[min(p.top, len(p.rows)):] {
		h := row.height(p.tall)
		if y+h > p.in.Y+p.in.H {
			return
		}
		f(row, paint.Rect{X: p.in.X, Y: y, W: p.in.W, H: h})
		y += h
	}
}

// sessionAt is the session in a cell of the terminal, "" if there is none.
func (d sessionList) sessionAt(sc *scene, x, y int) (id string) {
	d.plan(sc, true).each(func(row listRow, r paint.Rect) {
		if r.Contains(x, y) {
			id = row.session.ID
		}
	})
	return id
}

// drawList draws the column of sessions, while the keyboard is elsewhere.
func (sc *scene) drawList(s *paint.Surface) {
	if sc.layout.list.Empty() {
		return
	}
	if _, open := sc.overlay.(sessionList); open {
		return
	}
	sessionList{at: sc.focus}.paint(s, sc, false)
}

func (d sessionList) draw(s *paint.Surface, sc *scene) paint.Cursor {
	return d.paint(s, sc, true)
}

// paint draws the list; focused: it has the keyboard.
func (d sessionList) paint(s *paint.Surface, sc *scene, focused bool) paint.Cursor {
	box := d.box(sc)
	plan := d.plan(sc, focused)
	in := plan.in
	st, border := fg(sc.theme.dim), paint.Light
	if focused {
		st, border = bold(sc.theme.accent), paint.Round
	}
	s.Fill(box, grid.Style{})
	s.Box(box, border, st)
	title := d.title(sc, plan.rows)
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(title, box.W-4), st)
	var cur paint.Cursor
	if d.filtering || !d.filter.empty() {
		s.Text(in.X, in.Y-1, in.W, "/", bold(sc.theme.accent))
		at := d.filter.draw(s, in.X+2, in.Y-1, in.W-2, grid.Style{Attrs: grid.Bold})
		cur = paint.Cursor{X: in.X + 2 + at, Y: in.Y - 1, Visible: d.filtering && focused}
	}
	plan.each(func(row listRow, r paint.Rect) { d.drawRow(s, sc, r, row, focused) })
	if len(plan.rows) == 0 {
		line(s, in, 0, d.nothing(sc), fg(sc.theme.dim))
	}
	if focused {
		d.drawFoot(s, sc, paint.Rect{X: in.X, Y: in.Y + in.H, W: in.W, H: box.Y + box.H - 1 - in.Y - in.H})
	}
	return cur
}

// nothing says why no session is listed.
func (d sessionList) nothing(sc *scene) string {
	if len(sc.list.sessions) == 0 {
		return "no sessions yet"
	}
	return "no session matches"
}

func (d sessionList) title(sc *scene, rows []listRow) string {
	n := 0
	for _, r := range rows {
		if r.heading == "" {
			n++
		}
	}
	count := fmt.Sprint(n)
	if all := len(sc.list.sessions); n < all {
		count = fmt.Sprintf("%d of %d", n, all)
	}
	order := map[string]string{sortNeed: "by need", sortName: "by name", sortGrid: "as in the grid"}[sc.list.opt.Sort]
	title := " sessions · " + count + " · " + order
	if len(d.marked) > 0 {
		title += fmt.Sprintf(" · %d marked", len(d.marked))
	}
	return title + " "
}

// drawRow draws one session: state, name, what it does, how long, unread.
func (d sessionList) drawRow(s *paint.Surface, sc *scene, r paint.Rect, row listRow, focused bool) {
	if row.heading != "" {
		text := textsafe.Line(homely(row.heading, sc.home))
		s.Text(r.X, r.Y, r.W, paint.Cut(text, r.W-5), bold(sc.theme.accent))
		s.Text(r.X+min(paint.Width(text), r.W-5)+1, r.Y, 4, fmt.Sprint(row.count), fg(sc.theme.dim))
		return
	}
	v := row.session
	colour := sc.theme.state(v.State)
	name, task, rest := grid.Style{}, fg(sc.theme.dim), fg(sc.theme.dim)
	chosen := v.ID == d.at
	if v.ID == sc.focus {
		name.Attrs |= grid.Bold
	}
	if row.hidden || v.External || v.State.Ended() {
		name.FG = sc.theme.dim
	}
	if row.asks {
		name, task = bold(colour), fg(colour)
	}
	if chosen && focused {
		s.Fill(r, grid.Style{Attrs: grid.Inverse})
		inv := grid.Style{Attrs: grid.Inverse}
		name, task, rest = grid.Style{Attrs: grid.Inverse | grid.Bold}, inv, inv
	}
	mark := " "
	switch {
	case d.marked[v.ID]:
		mark = "+"
	case chosen:
		mark = "▸"
	}
	x, end := r.X, r.X+r.W
	s.Text(x, r.Y, 1, mark, rest)
	sign := bold(colour)
	if chosen && focused {
		sign.Attrs |= grid.Inverse
	}
	s.Text(x+1, r.Y, 4, v.State.Indicator(), sign)
	x += 6
	// From the right: unread mark and time.
	if v.Unread {
		unread := fg(colour)
		if chosen && focused {
			unread = rest
		}
		s.Text(end-1, r.Y, 1, "●", unread)
	}
	end -= 2
	if a := age(sc.now, v.Since); a != "" {
		end -= paint.Width(a)
		s.Text(end, r.Y, paint.Width(a), a, rest)
	}
	end--
	if r.H > 1 {
		s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(v.Name), max(0, end-x)), name)
		end = r.X + r.W
		s.Text(x, r.Y+1, end-x, paint.Cut(d.rowText(sc, row), end-x), task)
		return
	}
	nameWidth := min(18, max(8, (r.W-14)*2/5)) // the same in all rows
	s.Text(x, r.Y, min(nameWidth, end-x), paint.Cut(textsafe.Line(v.Name), min(nameWidth, max(0, end-x))), name)
	x += nameWidth + 1
	if x < end {
		s.Text(x, r.Y, end-x, paint.Cut(d.rowText(sc, row), end-x), task)
	}
}

// rowText is what a session does, or why there is no pane to see.
func (d sessionList) rowText(sc *scene, row listRow) string {
	v := row.session
	text := taskOf(v)
	if v.ExitCode != nil && v.State.Ended() && v.Error == "" {
		text = strings.TrimSpace(fmt.Sprintf("exit %d  %s", *v.ExitCode, text))
	}
	if text == "" && !sc.list.opt.Group {
		text = textsafe.Line(filepath.Base(sc.list.project(v.CWD)))
	}
	if badge := override(v, sc.now); badge != "" {
		text = strings.TrimSuffix("⚑ "+badge+" · "+text, " · ")
	}
	switch {
	case v.External:
		text = "outside ccdir · " + text
	case row.hidden:
		text = "hidden · " + text
	}
	return text
}

// drawFoot says more about the chosen session, and the keys.
func (d sessionList) drawFoot(s *paint.Surface, sc *scene, r paint.Rect) {
	if r.H < 1 {
		return
	}
	if r.H >= 3 {
		s.Line(paint.Rect{X: r.X, Y: r.Y, W: r.W, H: 1}, paint.Light, fg(sc.theme.dim))
		for _, v := range sc.list.sessions {
			if v.ID != d.at {
				continue
			}
			text := textsafe.Line(v.Name) + " · " + textsafe.Line(v.Agent) + " · " + textsafe.Line(homely(v.CWD, sc.home))
			if t := taskOf(v); t != "" {
				text += " · " + t
			}
			line(s, r, 1, text, grid.Style{})
		}
	}
	keys := []struct {
		a    keymap.Action
		text string
	}{
		{keymap.ListFocus, "focus"}, {keymap.ListFilter, "filter"}, {keymap.ListSend, "task"}, {keymap.ListKill, "end"}, {keymap.ListRestart, "restart"},
		{keymap.ListRename, "rename"}, {keymap.ListHide, "hide"}, {keymap.ListMark, "mark"}, {keymap.ListSort, "order"}, {keymap.ListGroup, "group"},
		{keymap.ListToColumn, "column"}, {keymap.ListClose, "close"},
	}
	x, y := r.X, r.Y+r.H-1
	if d.filtering {
		line(s, r, r.H-1, "Enter focus   ↑ ↓ choose   Tab keep   Esc end", fg(sc.theme.dim))
		return
	}
	for _, k := range keys {
		bound := sc.keys.Of(k.a).Keys
		if len(bound) == 0 {
			continue
		}
		text := bound[0] + " " + k.text
		if x+paint.Width(text) > r.X+r.W {
			return
		}
		s.Text(x, y, paint.Width(bound[0]), bound[0], bold(sc.theme.accent))
		x += paint.Width(bound[0]) + 1
		x += s.Text(x, y, r.X+r.W-x, k.text, fg(sc.theme.dim)) + 2
	}
}

// homely shortens the home directory to ~.
func homely(path, home string) string {
	if home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return path
}
