package prompt

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/theme"
)

// draw draws the list above the bar. It returns the cursor if the list
// takes what is typed.
func (l *promptList) draw(env ui.Env, s *paint.Surface, plan plan) (paint.Cursor, bool) {
	rows := plan.list
	top := rows.Y - 1
	if l.kind == listNone || plan.head < 1 {
		return paint.Cursor{}, false
	}
	typed := l.kind != listFiles
	s.Fill(paint.Rect{Y: top, W: env.Cols, H: rows.H + 1}, cells.Style{})
	s.Line(paint.Rect{Y: top, W: env.Cols, H: 1}, paint.Light, theme.FG(env.Theme.Dim))
	for i := range rows.H {
		l.drawItem(env, s, plan.first+i, rows.Y+i)
	}
	label := map[listKind]string{listHistory: " history: ", listTargets: " to: ", listKept: " for later: ", listFiles: " files "}[l.kind]
	at := 1 + s.Text(1, top, env.Cols-1, label, theme.Bold(env.Theme.Accent))
	w := max(0, env.Cols-at-12)
	s.Fill(paint.Rect{X: at, Y: top, W: min(w, l.query.Width()+1), H: 1}, cells.Style{})
	n := 0
	if !typed && l.note != "" {
		s.Text(at, top, w, l.note+" ", cells.Style{})
	} else {
		n = l.query.Draw(s, at, top, w, cells.Style{})
	}
	count := fmt.Sprintf(" %d/%d ", len(l.found), len(l.items))
	s.Text(env.Cols-1-paint.Width(count), top, paint.Width(count), count, theme.FG(env.Theme.Dim))
	return paint.Cursor{X: at + n, Y: top, Visible: true}, typed
}

// drawItem draws the row of a match, the first one also if there is none.
func (l *promptList) drawItem(env ui.Env, s *paint.Surface, at, y int) {
	if at >= len(l.found) {
		if at == 0 {
			s.Text(signWidth, y, env.Cols, "nothing matches", theme.FG(env.Theme.Dim))
		}
		return
	}
	i := l.found[at]
	st, sign := cells.Style{}, "  "
	if at == l.sel {
		st, sign = cells.Style{FG: env.Theme.Accent, Attrs: cells.Bold}, "▸ "
	}
	x := s.Text(0, y, env.Cols, sign, st)
	if l.kind == listTargets && l.values[i].Kind == target.Chosen {
		x += s.Text(x, y, env.Cols-x, env.Theme.Choice(slices.Contains(l.marked, l.values[i].IDs[0]))+" ", st)
	}
	text := l.items[i]
	if l.kind == listHistory {
		text = around(text, l.query.String(), env.Cols-x-1)
	}
	text = textsafe.Line(text[:min(len(text), 4*edit.FoldBytes)])
	if l.kind == listHistory {
		text = strings.ReplaceAll(text, "␊", "⏎")
	}
	x += s.Text(x, y, env.Cols-x, paint.Cut(text, env.Cols-x-1), st)
	if l.notes != nil && l.notes[i] != "" && x+paint.Width(l.notes[i])+3 < env.Cols {
		s.Text(x+2, y, env.Cols-x-3, l.notes[i], theme.FG(env.Theme.Dim))
	}
}

// around is the text from shortly before what was searched for, if w columns do not
// show it otherwise.
func around(text, query string, w int) string {
	lower := strings.ToLower(text) // rune by rune: of other sizes, but as many
	at := strings.Index(lower, strings.ToLower(query))
	if query == "" || at < 0 || at < 8*w && paint.Width(textsafe.Line(lower[:at]+query)) <= w {
		return text
	}
	for skip := utf8.RuneCountInString(lower[:at]) - w/4; skip > 0; skip-- {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	return "…" + text
}
