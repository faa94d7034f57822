package tui

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/modal"
)

// promptPlan is where the parts of the open bar are, over the lowest rows of the
// panes, which keep their size.
type promptPlan struct {
	text    paint.Rect
	view    edit.View
	problem []string // the lines above the text
	head    int      // row of the line that says who gets it, -1 if there is no room
	// list are the rows of the list above, the line with its name is one above them;
	// first is the number of the first one in view.
	list  paint.Rect
	first int
}

// mostProblem is how many lines the reason may take why a text was not sent.
const mostProblem = 3

// promptPlan places the bar and its list.
func (sc *scene) promptPlan() (p promptPlan) {
	text := sc.prompt.text
	bottom := sc.Rows
	if !sc.layout.Status.Empty() {
		bottom = sc.layout.Status.Y
	}
	width := max(2, sc.Cols-promptBeside)
	h := min(text.Height(width, promptMost), max(1, sc.Rows/3), max(1, bottom))
	p.view = text.View(width, h)
	y := bottom - h
	p.text = paint.Rect{Y: y, W: sc.Cols, H: h}
	if problem := sc.prompt.problem; problem != "" && y > 1 {
		p.problem = modal.Wrap(textsafe.Line(problem), max(1, sc.Cols-2*promptBeside))
		p.problem = p.problem[:min(len(p.problem), mostProblem, y-1)]
		y -= len(p.problem)
	}
	y--
	p.head = y
	l := sc.prompt.list
	if l.kind == listNone || y < 1 {
		return p
	}
	rows := min(max(min(len(l.found), listMost), 1), max(1, min(y-1, sc.Rows/2)), max(0, y-1))
	if len(l.found) == 0 && l.kind == listFiles {
		rows = 0
	}
	p.list = paint.Rect{Y: y - rows, W: sc.Cols, H: rows}
	p.first = max(0, min(l.sel-rows+1, len(l.found)-rows))
	if l.sel < p.first {
		p.first = l.sel
	}
	return p
}

// promptMouse handles the mouse over the open bar, and reports whether it is there:
// a click puts the cursor there or takes a row of the list, one on the line that
// says who gets the text chooses that, and the wheel goes through the list.
func (m *model) promptMouse(msg tea.MouseMsg) (taken bool) {
	if m.mode != modePrompt || m.overlay != nil {
		return false
	}
	e := msg.Mouse()
	p, l := m.nowScene().promptPlan(), &m.prompt.list
	top := p.head
	if l.kind != listNone {
		top = p.list.Y - 1
	}
	if e.Y < top || e.Y >= p.text.Y+p.text.H {
		return false
	}
	if _, wheel := msg.(tea.MouseWheelMsg); wheel && l.kind != listNone {
		m.step(modal.WheelSteps(e.Button))
		return true
	}
	if _, ok := modal.Clicked(msg); !ok {
		return true
	}
	switch i := p.first + e.Y - p.list.Y; {
	case p.list.Contains(e.X, e.Y) && i < len(l.found):
		if l.sel = i; l.kind == listTargets && len(l.marked) > 0 {
			m.mark()
		} else {
			m.accept()
		}
	case e.Y == p.head && m.replyTo() == nil:
		m.chooseTarget()
	case p.text.Contains(e.X, e.Y):
		*l = promptList{}
		m.prompt.text = m.prompt.text.At(p.view.Rows[min(e.Y-p.text.Y, len(p.view.Rows)-1)], max(0, e.X-promptBeside))
	}
	return true
}
