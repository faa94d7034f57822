package grid

import (
	"fmt"
	"slices"
	"strconv"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/theme"
)

// rows are the sessions that have a row of text each below the large panes, those that need
// a person first, and those that share the last row, at, because there are not enough.
func (p Picture) rows() (each, rest []int, at paint.Rect) {
	r := p.Layout.Rows
	if r.H < 2 {
		return nil, nil, paint.Rect{}
	}
	others := slices.DeleteFunc(p.byNeed(), func(i int) bool { return p.Layout.Pane(i) >= 0 })
	n := r.H - 1 // the first has the rule
	if len(others) <= n {
		return others, nil, paint.Rect{}
	}
	return others[:n-1], others[n-1:], paint.Rect{X: r.X + rowIn, Y: r.Y + r.H - 1, W: max(0, r.W-rowIn), H: 1}
}

// rowIn is how many blank columns are before a row.
const rowIn = 1

// drawRows draws the sessions without a pane as rows of text, and says above them how many
// these are.
func (p Picture) drawRows(s *paint.Surface) {
	r := p.Layout.Rows
	each, rest, _ := p.rows()
	if len(each)+len(rest) == 0 {
		return
	}
	s.Text(r.X+ui.TitleIn, r.Y, r.W-ui.TitleIn, fmt.Sprintf(" %d more ", len(each)+len(rest)), theme.FG(p.Theme.Dim))
	name, word := 0, ui.WordWidth
	for _, i := range each {
		name = max(name, paint.Width(textsafe.Line(p.Shown[i].Name)))
		word = max(word, paint.Width(ui.StandingWord(p.Shown[i], p.Now)))
	}
	for n, i := range each {
		p.drawRow(s, paint.Rect{X: r.X + rowIn, Y: r.Y + 1 + n, W: r.W - rowIn, H: 1}, i, min(name, mostName), min(word, ui.MostWord))
	}
}

// mostName is how many columns the names have at most.
const mostName = 18

// drawRow draws "3 ✋ name  asks  what it asks", and at the right branch and age.
func (p Picture) drawRow(s *paint.Surface, r paint.Rect, i, nameWidth, wordWidth int) {
	v, dim := p.Shown[i], theme.FG(p.Theme.Dim)
	standing := v.Standing(p.Now)
	state := theme.FG(p.Theme.Standing(standing))
	name, headline := cells.Style{Attrs: cells.Bold}, dim
	switch standing {
	case api.StandingAsks, api.StandingFailed:
		headline = state
	case api.StandingEnded, api.StandingIdle:
		name = cells.Style{}
	}
	x, end := r.X, r.X+r.W-1
	put := func(w int, text string, st cells.Style) {
		if w = min(w, end-x); w > 0 {
			s.Text(x, r.Y, w, paint.Cut(text, w), st)
			x += w + 1
		}
	}
	put(2, fmt.Sprintf("%2s", strconv.Itoa(i+1)), dim)
	put(signRoom, p.Sign(standing), state)
	put(nameWidth, textsafe.Line(v.Name), name)
	put(wordWidth, ui.StandingWord(v, p.Now), state)
	end = p.drawRowRight(s, x, end, r.Y, v)
	if room := end - x; room >= leastHeadline {
		text := textsafe.Line(v.Headline(p.Now))
		s.Text(x, r.Y, room, ui.CutHeadline(v, p.Now, text, room), headline)
	}
}

// signRoom is the room of a sign: the ASCII ones have three columns.
const signRoom = 3

// drawRowRight draws branch and age at the right of a row, and returns where they begin.
func (p Picture) drawRowRight(s *paint.Surface, x, end, y int, v api.Session) int {
	const age, branch = 4, 24
	if end-x < age+leastHeadline {
		return end
	}
	text := format.ShortAge(p.Now, v.Since)
	s.Text(end-paint.Width(text), y, age, text, theme.FG(p.Theme.Dim))
	end -= age + 1
	line := textsafe.Line(v.BranchLine())
	w := min(branch, paint.Width(line))
	if line == "" || end-x < 3*w {
		return end
	}
	s.Text(end-w, y, w, paint.Cut(line, w), theme.FG(p.Theme.Dim))
	return end - w - 2
}
