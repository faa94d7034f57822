package answer

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// smallBar is the height of a terminal in which the bar has no room for everything.
const smallBar = 16

// The editor has at most mostWritten rows, and a sign before the first.
const (
	mostWritten = 10
	sign        = "❯ "
	signWidth   = 2
)

// textWidth is how wide the editor is, the cursor's column included.
func textWidth(cols int) int { return max(2, cols-4-signWidth) }

// plan is where the parts of the bar are.
type plan struct {
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
func (d bar) plan(env ui.Env) (p plan) {
	w := max(1, env.Cols-4)
	bottom := env.Bottom
	inner := max(1, bottom-2)
	p.lines, p.facts = request.Lines(d.req, d.file, w), d.facts(env, w)
	if d.paged() {
		p.lines = d.pageLines(env, w)
	}
	p.view = d.text.View(textWidth(env.Cols), min(mostWritten, max(1, env.Rows/4)))
	if d.writes() {
		p.written = len(p.view.Rows)
	}
	keys, least := d.foot(env, w), min(len(p.lines), 2)
	p.foot, p.some = d.picks(env, w, max(1, inner-least-p.written-len(keys)))
	p.foot = append(p.foot, keys...)
	if d.question() {
		least = len(p.lines) // where it is asked matters less than all of what is asked
	}
	if inner-len(p.facts)-len(p.foot)-p.written < least {
		p.facts = nil
	}
	room := max(1, min((env.Rows-2)/2, inner-len(p.facts)-len(p.foot)-p.written))
	top := max(0, min(d.top, len(p.lines)-room))
	p.shown = p.lines[top:min(len(p.lines), top+room)]
	h := min(len(p.facts)+len(p.shown)+p.written+len(p.foot)+2, bottom)
	p.box = paint.Rect{Y: bottom - h, W: env.Cols, H: h}
	p.in = paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	return p
}

// beyond says in the lower border what is not in view.
func (d bar) beyond(env ui.Env, p plan) string {
	var parts []string
	if p.some {
		parts = append(parts, strconv.Itoa(d.sel+1)+" of "+strconv.Itoa(len(d.offered(env))))
	}
	if more := len(p.lines) - len(p.shown); more > 0 {
		keys := "↑ ↓ "
		if d.step != stepChoose || len(d.req.Choices) > 0 || d.paged() {
			keys = "PgUp PgDn "
		}
		parts = append(parts, keys+format.Plural(more, "more line", "more lines"))
	}
	return strings.Join(parts, " · ")
}

// Draw draws the bar over the lowest rows.
func (d bar) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	p := d.plan(env)
	box, r := p.box, p.in
	c := d.Tint(env.Theme)
	if d.step == stepOver {
		c = env.Theme.Dim
	}
	s.Fill(box, cells.Style{})
	s.Box(box, paint.Heavy, theme.Bold(c))
	d.drawTitle(s, env, box, c)
	if text := d.beyond(env, p); text != "" && box.W > 30 {
		text = " " + paint.Cut(text, box.W-6) + " "
		s.Text(box.X+box.W-2-paint.Width(text), box.Y+box.H-1, box.W, text, theme.Bold(c))
	}
	for i, l := range p.facts {
		modal.Line(s, r, i, l, theme.FG(env.Theme.Dim))
	}
	for i, l := range p.shown {
		modal.Line(s, r, len(p.facts)+i, l.Text, l.Style(env.Theme))
	}
	for i, l := range p.foot {
		st := theme.Bold(c)
		if l.mark {
			st = cells.Style{FG: c, Attrs: cells.Bold | cells.Inverse}
		} else if l.faint {
			st = theme.FG(env.Theme.Dim)
		}
		modal.Line(s, r, r.H-len(p.foot)+i, l.text, st)
	}
	if p.written == 0 {
		return paint.Cursor{}
	}
	return d.drawText(s, env, paint.Rect{X: r.X, Y: r.Y + r.H - len(p.foot) - p.written, W: r.W, H: p.written}, p.view)
}

// drawText draws the editor and returns its cursor.
func (d bar) drawText(s *paint.Surface, env ui.Env, r paint.Rect, view edit.View) paint.Cursor {
	for i, row := range view.Rows {
		before := sign
		if i > 0 || view.Above {
			before = "  "
		}
		x := r.X + s.Text(r.X, r.Y+i, r.W, before, theme.Bold(env.Theme.Accent))
		for _, piece := range d.text.Pieces(row) {
			st := cells.Style{}
			if piece.Fold {
				st = cells.Style{FG: env.Theme.Accent, Attrs: cells.Inverse}
			}
			x += s.Text(x, r.Y+i, max(0, r.X+r.W-x), piece.Text, st)
		}
	}
	if d.text.Empty() {
		hint := map[step]string{stepMessage: "no, because: … (may stay empty)", stepText: d.answerHint(), stepEdit: "the command"}[d.step]
		s.Text(r.X+signWidth, r.Y, max(0, r.W-signWidth), hint, theme.FG(env.Theme.Dim))
	}
	x := min(r.X+signWidth+view.X, r.X+r.W)
	return paint.Cursor{X: x, Y: r.Y + view.Y, Visible: r.Y+view.Y >= 0}
}

// answerHint says what an answer in words consists of.
func (d bar) answerHint() string {
	if n := d.req.Questions; n > 1 && !d.paged() {
		return "an answer for each of the " + strconv.Itoa(n) + " questions, one a line"
	}
	return "your answer"
}

// facts are where it would run and what sent it here, in lines of at most w
// columns.
func (d bar) facts(env ui.Env, w int) []string {
	var items []string
	if v := env.Session(d.req.Session); v != nil && v.Prompt != "" {
		items = append(items, "task: "+paint.Cut(textsafe.Line(strings.Join(strings.Fields(v.Prompt), " ")), max(8, w-6)))
	}
	if d.req.CWD != "" {
		items = append(items, "in "+format.Home(textsafe.Line(d.req.CWD), env.Home))
	}
	if d.req.Rule != "" {
		items = append(items, "sent here by "+textsafe.Line(d.req.Rule))
	}
	if env.Rows < smallBar {
		items = items[:min(1, len(items))]
	}
	out := modal.Flow(items, w)
	if d.req.Sandbox != "" { // how to ask for it stands at its end
		said := modal.Wrap("OF NO USE: "+textsafe.Line(d.req.Sandbox), w)
		if most := map[bool]int{true: 1, false: 4}[env.Rows < smallBar]; len(said) > most {
			said = said[:most]
			said[most-1] += " …"
		}
		out = append(said, out...)
	}
	for i, l := range out {
		out[i] = paint.Cut(l, w)
	}
	return out
}

func (d bar) drawTitle(s *paint.Surface, env ui.Env, box paint.Rect, c cells.Color) {
	sign := env.Sign(api.StandingAsks)
	what := " asks for permission: " + textsafe.Line(d.req.Tool)
	switch { // the tool is the agent's own word for these
	case d.question():
		what = " asks"
	case d.req.Kind == api.RequestPlan:
		what = " has a plan"
	}
	title := " " + sign + " " + textsafe.Line(d.name) + what
	if d.req.Subagent != "" {
		title += " (subagent " + textsafe.Line(d.req.Subagent) + ")"
	}
	if a := format.Age(env.Now, d.req.Since); a != "" {
		title += " · " + a
	}
	if n := len(env.Requests); n > 1 {
		if at := slices.IndexFunc(env.Requests, func(r api.Request) bool { return r.ID == d.req.ID }); at >= 0 {
			title += " · " + strconv.Itoa(at+1) + " of " + strconv.Itoa(n)
		}
	}
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(title+" ", box.W-4), theme.Bold(c))
}
