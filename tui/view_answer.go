package tui

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/paint"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// smallBar is the height of a terminal in which the bar has no room for everything.
const smallBar = 16

// textWidth is how wide the editor is, the cursor's column included.
func (d answerBar) textWidth(cols int) int { return max(2, cols-4-promptBeside) }

// answerPlan is where the parts of the bar are.
type answerPlan struct {
	box, in      paint.Rect
	facts        []string
	lines, shown []request.Line
	foot         []footLine
	some         bool // not all choices are in view
	view         edit.View
	written      int // rows of the editor
}

// plan lays the bar over the lowest rows, above the status line. Where there is not room
// for all of it the beginning of the input, the marked choice and the keys are in view.
func (d answerBar) plan(sc *scene) (p answerPlan) {
	w := max(1, sc.Cols-4)
	bottom := sc.layout.Status.Y
	if sc.layout.Status.Empty() {
		bottom = sc.Rows
	}
	inner := max(1, bottom-2)
	p.lines, p.facts = request.Lines(d.req, d.file, w), d.facts(sc, w)
	p.view = d.text.View(d.textWidth(sc.Cols), min(promptMost, max(1, sc.Rows/4)))
	if d.writes() {
		p.written = len(p.view.Rows)
	}
	keys, least := d.foot(sc, w), min(len(p.lines), 2)
	p.foot, p.some = d.picks(sc, w, max(1, inner-least-p.written-len(keys)))
	p.foot = append(p.foot, keys...)
	if d.question() {
		least = len(p.lines) // where it is asked matters less than all of what is asked
	}
	if inner-len(p.facts)-len(p.foot)-p.written < least {
		p.facts = nil
	}
	room := max(1, min((sc.Rows-2)/2, inner-len(p.facts)-len(p.foot)-p.written))
	top := max(0, min(d.top, len(p.lines)-room))
	p.shown = p.lines[top:min(len(p.lines), top+room)]
	h := min(len(p.facts)+len(p.shown)+p.written+len(p.foot)+2, bottom)
	p.box = paint.Rect{Y: bottom - h, W: sc.Cols, H: h}
	p.in = paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	return p
}

// beyond says in the lower border what is not in view.
func (d answerBar) beyond(p answerPlan) string {
	var parts []string
	if p.some {
		parts = append(parts, strconv.Itoa(d.sel+1)+" of "+strconv.Itoa(max(len(d.req.Choices), len(d.req.Scopes))))
	}
	if more := len(p.lines) - len(p.shown); more > 0 {
		keys := "↑ ↓ "
		if d.step != answerChoose || len(d.req.Choices) > 0 {
			keys = "PgUp PgDn "
		}
		parts = append(parts, keys+format.Plural(more, "more line", "more lines"))
	}
	return strings.Join(parts, " · ")
}

func (d answerBar) draw(s *paint.Surface, sc *scene) paint.Cursor {
	p := d.plan(sc)
	box, r := p.box, p.in
	c := sc.Theme.Permission
	if d.question() {
		c = sc.Theme.Input
	}
	if d.step == answerOver {
		c = sc.Theme.Dim
	}
	s.Fill(box, cells.Style{})
	s.Box(box, paint.Heavy, theme.Bold(c))
	d.drawTitle(s, sc, box, c)
	if text := d.beyond(p); text != "" && box.W > 30 {
		text = " " + paint.Cut(text, box.W-6) + " "
		s.Text(box.X+box.W-2-paint.Width(text), box.Y+box.H-1, box.W, text, theme.Bold(c))
	}
	for i, l := range p.facts {
		modal.Line(s, r, i, l, theme.FG(sc.Theme.Dim))
	}
	for i, l := range p.shown {
		modal.Line(s, r, len(p.facts)+i, l.Text, l.Style(sc.Theme))
	}
	for i, l := range p.foot {
		st := theme.Bold(c)
		if l.mark {
			st = cells.Style{FG: c, Attrs: cells.Bold | cells.Inverse}
		} else if l.faint {
			st = theme.FG(sc.Theme.Dim)
		}
		modal.Line(s, r, r.H-len(p.foot)+i, l.text, st)
	}
	if p.written == 0 {
		return paint.Cursor{}
	}
	return d.drawText(s, sc, paint.Rect{X: r.X, Y: r.Y + r.H - len(p.foot) - p.written, W: r.W, H: p.written}, p.view)
}

// drawText draws the editor and returns its cursor.
func (d answerBar) drawText(s *paint.Surface, sc *scene, r paint.Rect, view edit.View) paint.Cursor {
	for i, row := range view.Rows {
		sign := promptSign
		if i > 0 || view.Above {
			sign = "  "
		}
		x := r.X + s.Text(r.X, r.Y+i, r.W, sign, theme.Bold(sc.Theme.Accent))
		for _, piece := range d.text.Pieces(row) {
			st := cells.Style{}
			if piece.Fold {
				st = cells.Style{FG: sc.Theme.Accent, Attrs: cells.Inverse}
			}
			x += s.Text(x, r.Y+i, max(0, r.X+r.W-x), piece.Text, st)
		}
	}
	if d.text.Empty() {
		hint := map[answerStep]string{answerMessage: "no, because: … (may stay empty)", answerText: d.answerHint(), answerEdit: "the command"}[d.step]
		s.Text(r.X+promptBeside, r.Y, max(0, r.W-promptBeside), hint, theme.FG(sc.Theme.Dim))
	}
	x := min(r.X+promptBeside+view.X, r.X+r.W)
	return paint.Cursor{X: x, Y: r.Y + view.Y, Visible: r.Y+view.Y >= 0}
}

// answerHint says what an answer in words consists of.
func (d answerBar) answerHint() string {
	if n := d.req.Questions; n > 1 {
		return "an answer for each of the " + strconv.Itoa(n) + " questions, one a line"
	}
	return "your answer"
}

// facts are where it would run and what sent it here, in lines of at most w
// columns.
func (d answerBar) facts(sc *scene, w int) []string {
	var items []string
	if d.req.CWD != "" {
		items = append(items, "in "+format.Home(textsafe.Line(d.req.CWD), sc.Home))
	}
	if d.req.Rule != "" {
		items = append(items, "sent here by "+textsafe.Line(d.req.Rule))
	}
	if sc.Rows < smallBar {
		items = items[:min(1, len(items))]
	}
	out := modal.Flow(items, w)
	for i, l := range out {
		out[i] = paint.Cut(l, w)
	}
	return out
}

func (d answerBar) drawTitle(s *paint.Surface, sc *scene, box paint.Rect, c cells.Color) {
	sign := sc.Sign(api.StandingAsks)
	what := " asks for permission: "
	if d.question() {
		what = " asks: "
	}
	title := " " + sign + " " + textsafe.Line(d.name) + what + textsafe.Line(d.req.Tool)
	if d.req.Subagent != "" {
		title += " (subagent " + textsafe.Line(d.req.Subagent) + ")"
	}
	if a := format.Age(sc.Now, d.req.Since); a != "" {
		title += " · " + a
	}
	if n := len(sc.Requests); n > 1 {
		if at := slices.IndexFunc(sc.Requests, func(r api.Request) bool { return r.ID == d.req.ID }); at >= 0 {
			title += " · " + strconv.Itoa(at+1) + " of " + strconv.Itoa(n)
		}
	}
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(title+" ", box.W-4), theme.Bold(c))
}
