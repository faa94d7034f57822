package review

import (
	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

const (
	// gutter is the room left of the rows for the cursor.
	gutter = 2
	// noteIndent is the room left of comments.
	noteIndent = 6
	// listFrom is the width of the view from which a list of the files stands beside the text, listWidth its width.
	listFrom, listWidth = 116, 32
	// splitFrom is the width of the text from which old and new lines stand side by side.
	splitFrom = 130
	// besideFrom is the width that the view must have beside the session's pane.
	besideFrom = 60
)

// areas are where the parts of the view are.
type areas struct {
	box, tabs, text, list, foot paint.Rect
}

// areas lays the view out on the screen as it is.
func (d dialog) areas(env ui.Env) (a areas) {
	a.box = modal.Middle(env.Cols, max(0, env.Rows-1), env.Cols, env.Rows)
	if d.beside {
		a.box = d.besidePane(env, a.box)
	}
	in := paint.Rect{X: a.box.X + 1, Y: a.box.Y + 1, W: max(0, a.box.W-2), H: max(0, a.box.H-2)}
	a.tabs = paint.Rect{X: in.X + 1, Y: in.Y, W: max(0, in.W-2), H: min(1, in.H)}
	a.foot = paint.Rect{X: in.X + 1, Y: in.Y + in.H - 1, W: max(0, in.W-2), H: 1}
	a.text = paint.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: max(0, in.H-2)}
	if in.W >= listFrom && len(d.diff.Files) > 1 {
		a.list = paint.Rect{X: in.X + 1, Y: a.text.Y, W: listWidth - 3, H: a.text.H}
		a.text.X, a.text.W = a.text.X+listWidth, a.text.W-listWidth
	}
	return a
}

// besidePane is the part of the screen that leaves the session's pane free, at the side that has more room; all of it
// if neither has enough.
func (d dialog) besidePane(env ui.Env, all paint.Rect) paint.Rect {
	for _, t := range env.Tiles {
		if t.ID() != d.id {
			continue
		}
		left, right := t.Rect.X-all.X, all.X+all.W-t.Rect.X-t.Rect.W
		switch {
		case max(left, right) >= besideFrom && right >= left:
			return paint.Rect{X: all.X + all.W - right, Y: all.Y, W: right, H: all.H}
		case left >= besideFrom:
			return paint.Rect{X: all.X, Y: all.Y, W: left, H: all.H}
		}
		if half := all.W / 2; half >= besideFrom { // one pane has it all: half of it is left
			return paint.Rect{X: all.X + all.W - half, Y: all.Y, W: half, H: all.H}
		}
	}
	return all
}

// scopeWords are the scopes in the words of the view.
var scopeWords = map[api.DiffScope]string{
	api.DiffTurn: "turn", api.DiffSeen: "since you looked", api.DiffSession: "session", api.DiffBase: "base", api.DiffUncommitted: "uncommitted",
	api.DiffPlan: "plan",
}

// tabGap is the room between two scopes.
const tabGap = 2

// scopeAt is the scope in a column of the line of scopes.
func (d dialog) scopeAt(env ui.Env, x int) (api.DiffScope, bool) {
	at := 0
	for _, s := range d.scopes(env) {
		w := len(scopeWords[s]) + 2
		if x >= at && x < at+w {
			return s, true
		}
		at += w + tabGap - 1
	}
	return "", false
}

// listTop is the first file in view of the list, which has h rows: the one at the cursor is in it.
func (d dialog) listTop(h int) int {
	r, ok := d.row(d.cursor)
	if !ok {
		return 0
	}
	return max(0, min(int(r.file)-h/2, len(d.diff.Files)-h))
}
