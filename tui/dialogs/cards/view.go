package cards

import (
	"cmp"
	"fmt"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Draw shows the cards around the chosen one.
func (p page) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	p = p.settled(env)
	rows, dim := p.rows(env), theme.FG(env.Theme.Dim)
	s.Fill(paint.Rect{W: env.Cols, H: env.Bottom}, cells.Style{})
	s.Text(1, 0, env.Cols-2, title(env, len(rows)), theme.Bold(env.Theme.Accent))
	l := layout(env, rows)
	shown, first := l.showing(p.at)
	last := first + len(shown)
	for i, r := range shown {
		drawCard(s, env, r, &rows[first+i], first+i == p.at)
	}
	if len(rows) == 0 {
		s.Text(1, 2, env.Cols-2, "No sessions yet: "+env.Keys.Hint(keymap.New)+" starts one.", dim)
	}
	if foot := env.Bottom - 1; foot > l.in.Y {
		keys := []keymap.Named{keymap.ViewOpen.As("focus"), keymap.Attention.As("answer"), keymap.Explain.As("details"), keymap.ViewClose.As("close")}
		w := env.Cols - 2
		if len(shown) < len(rows) {
			where := fmt.Sprintf("%d–%d of %d", first+1, last, len(rows))
			w -= s.Text(max(1, env.Cols-1-paint.Width(where)), foot, w, where, dim) + 2
		}
		sgr.Draw(s, 1, foot, w, modal.Keys(env.Keys, env.Theme, w, keys))
	}
	return paint.Cursor{}
}

func title(env ui.Env, n int) string {
	text := format.Plural(n, "session", "sessions")
	if waiting := len(env.Waiting(env.Now)); waiting > 0 {
		text += " · " + format.Plural(waiting, "needs you", "need you")
	}
	return text
}

// drawCard draws one session: in the frame its sign, name, standing and age; inside its
// headline, its task, and in the last line branch and model.
func drawCard(s *paint.Surface, env ui.Env, r paint.Rect, row *sessionlist.Row, chosen bool) {
	v, dim := row.Session, theme.FG(env.Theme.Dim)
	state := theme.FG(env.Theme.Standing(row.Standing))
	frame, border, name := dim, paint.Round, cells.Style{Attrs: cells.Bold}
	if chosen {
		frame, border, name = theme.FG(env.Theme.Accent), paint.Heavy, theme.Bold(env.Theme.Accent)
	}
	s.Box(r, border, frame)
	x, end := r.X+2, r.X+r.W-2
	put := func(text string, st cells.Style) {
		if x < end {
			x += s.Text(x, r.Y, end-x, paint.Cut(text, end-x), st)
		}
	}
	if age := format.ShortAge(env.Now, v.Since); age != "" {
		end -= paint.Width(age) + 2
		s.Text(end+1, r.Y, paint.Width(age)+2, " "+age+" ", dim)
	}
	put(" "+env.Sign(row.Standing)+" ", state)
	put(textsafe.Line(v.Name)+" ", name)
	put(ui.StandingWord(v, env.Now)+" ", state)
	if row.Standing == api.StandingDone {
		put("● ", state)
	}

	in := paint.Rect{X: r.X + 2, Y: r.Y + 1, W: r.W - 4, H: r.H - 2}
	headline := cells.Style{}
	if row.Standing == api.StandingAsks || row.Standing == api.StandingFailed {
		headline = state
	}
	text := textsafe.Line(v.Headline(env.Now))
	if low(row) {
		text = cmp.Or(text, ui.RunsLine(v), textsafe.Line(format.Home(v.CWD, env.Home)))
	}
	var lines []string
	for _, part := range format.Paragraphs(text) {
		lines = append(lines, modal.Wrap(part, in.W)...)
	}
	for i, text := range lines[:min(len(lines), max(1, in.H-2))] {
		if (i == in.H-3 || in.H < 3) && len(lines) > i+1 {
			text = paint.Cut(text+" "+lines[i+1], in.W)
		}
		modal.Line(s, in, i, text, headline)
	}
	if task := sessionlist.Task(v); in.H > 2 && task != text {
		modal.Line(s, in, in.H-2, format.OneLine(task), dim)
	}
	if in.H < 2 {
		return
	}
	right := textsafe.Line(v.Model)
	w := min(paint.Width(right), in.W/2)
	s.Text(in.X+in.W-w, in.Y+in.H-1, w, paint.Cut(right, w), dim)
	where := textsafe.Line(v.BranchLine())
	if where == "" {
		where = textsafe.Line(format.Home(v.CWD, env.Home))
	}
	if left := in.W - w - 1; left > 0 {
		s.Text(in.X, in.Y+in.H-1, left, paint.Cut(where, left), dim)
	}
}
