package sidebar

import (
	"fmt"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/theme"
)

// maxOutside is how many sessions outside ccdir are listed above the events.
const maxOutside = 6

// outside are the sessions that run outside ccdir: they have no pane.
func outside(env ui.Env) []api.Session {
	all := env.List.Sessions
	for i := range all {
		if all[i].External {
			return all[i:] // they are the last
		}
	}
	return nil
}

// outsideRows is how many rows they take, the line above them included; 0 if there are
// none, there is no room, or the column lists them.
func outsideRows(env ui.Env) int {
	n := len(outside(env))
	if n == 0 || env.EventsAt.H < 10 || !env.Column.Empty() {
		return 0
	}
	return min(n, maxOutside) + 1
}

// drawOutside lists the sessions outside ccdir, those that wait for a person first.
func drawOutside(env ui.Env, s *paint.Surface) {
	n := outsideRows(env)
	if n == 0 {
		return
	}
	r, dim := env.EventsAt, theme.FG(env.Theme.Dim)
	s.Fill(paint.Rect{X: r.X, Y: r.Y, W: r.W, H: n}, theme.FG(0))
	if r.Y > 0 {
		s.Line(r, paint.Light, dim)
	}
	s.Text(r.X+min(r.Y, 1), r.Y, r.W-1, " outside ccdir ", dim)
	all := outside(env)
	for i := range n - 1 {
		row := paint.Rect{X: r.X + 1, Y: r.Y + 1 + i, W: r.W - 1, H: 1}
		if more := len(all) - i; i == n-2 && more > 1 {
			s.Text(row.X, row.Y, row.W, fmt.Sprintf("and %d more", more), dim)
			return
		}
		drawOne(env, s, row, all[i])
	}
}

func drawOne(env ui.Env, s *paint.Surface, r paint.Rect, v api.Session) {
	const signs = 4 // the room of a sign with the blank behind it
	standing := v.Standing(env.Now)
	s.Text(r.X, r.Y, min(signs, r.W), env.Sign(standing), theme.Bold(env.Theme.Standing(standing)))
	x := r.X + signs
	text := textsafe.Line(v.Name)
	if a := format.Age(env.Now, v.Since); a != "" {
		text += " · " + a
	}
	if v.Question != "" && v.State.NeedsPerson() {
		text += " · " + textsafe.Line(v.Question)
	} else if v.CWD != "" {
		text += " · " + textsafe.Line(v.CWD)
	}
	end := r.X + r.W
	s.Text(x, r.Y, end-x, paint.Cut(text, end-x), theme.FG(env.Theme.Standing(standing)))
}
