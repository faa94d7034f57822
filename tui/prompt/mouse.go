package prompt

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// plan is where the parts of the open bar are, over the lowest rows of the
// panes, which keep their size.
type plan struct {
	text    paint.Rect
	view    edit.View
	problem []string // the lines above the text
	head    int      // row of the line with the receiver; -1 if there is no room
	// list are the rows of the list above, the line with its name is one above them;
	// first is the number of the first one in view.
	list  paint.Rect
	first int
}

// mostProblem is how many lines the reason may take why a text was not sent.
const mostProblem = 3

// plan places the bar and its list.
func (b *Bar) plan(env ui.Env) (p plan) {
	text := b.text
	bottom := env.Bottom
	width := textWidth(env)
	h := min(text.Height(width, mostRows), max(1, env.Rows/3), max(1, bottom))
	p.view = text.View(width, h)
	y := bottom - h
	p.text = paint.Rect{Y: y, W: env.Cols, H: h}
	if problem := b.problem; problem != "" && y > 1 {
		p.problem = modal.Wrap(textsafe.Line(problem), max(1, env.Cols-2*signWidth))
		p.problem = p.problem[:min(len(p.problem), mostProblem, y-1)]
		y -= len(p.problem)
	}
	y--
	p.head = y
	l := b.list
	if l.kind == listNone || y < 1 {
		return p
	}
	rows := min(max(min(len(l.found), listMost), 1), max(1, min(y-1, env.Rows/2)), max(0, y-1))
	if len(l.found) == 0 && l.kind == listFiles {
		rows = 0
	}
	p.list = paint.Rect{Y: y - rows, W: env.Cols, H: rows}
	p.first = max(0, min(l.sel-rows+1, len(l.found)-rows))
	if l.sel < p.first {
		p.first = l.sel
	}
	return p
}

// Mouse handles the mouse over the open bar, and reports whether it is there:
// a click puts the cursor there or takes a row of the list, one on the line that
// says who gets the text chooses that, and the wheel goes through the list.
func (b *Bar) Mouse(env ui.Env, msg tea.MouseMsg) (effects []ui.Effect, taken bool) {
	if !env.Writing {
		return nil, false
	}
	e := msg.Mouse()
	p, l := b.plan(env), &b.list
	top := p.head
	if l.kind != listNone {
		top = p.list.Y - 1
	}
	if e.Y < top || e.Y >= p.text.Y+p.text.H {
		return nil, false
	}
	if _, wheel := msg.(tea.MouseWheelMsg); wheel && l.kind != listNone {
		l.step(modal.WheelSteps(e.Button))
		return nil, true
	}
	if _, ok := modal.Clicked(msg); !ok {
		return nil, true
	}
	switch i := p.first + e.Y - p.list.Y; {
	case p.list.Contains(e.X, e.Y) && i < len(l.found):
		if l.sel = i; l.kind == listTargets && len(l.marked) > 0 {
			l.mark()
		} else {
			b.accept(env)
		}
	case e.Y == p.head && b.replyTo(env) == nil:
		b.chooseTarget(env)
	case p.text.Contains(e.X, e.Y):
		*l = promptList{}
		b.text = b.text.At(p.view.Rows[min(e.Y-p.text.Y, len(p.view.Rows)-1)], max(0, e.X-signWidth))
	}
	return b.effects(), true
}
