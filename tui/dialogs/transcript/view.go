package transcript

import (
	"fmt"
	"time"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Draw shows a page of it, and the search or the keys.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	box := d.box(env)
	e := d.entry
	title := e.Name + " · ended " + e.Ended.Local().Format(time.DateTime)
	if e.ExitCode != nil {
		title += fmt.Sprintf(" with %d", *e.ExitCode)
	}
	modal.Box(s, box, textsafe.Line(title), env.Theme.Accent)
	in := paint.Rect{X: box.X + 2, Y: box.Y + 1, W: max(0, box.W-4), H: max(0, box.H-2)}
	d.pager.Marks = d.words
	d.pager.Draw(s, paint.Rect{X: in.X, Y: in.Y, W: in.W, H: max(0, in.H-1)})
	if len(d.lines) == 0 {
		modal.Line(s, in, 0, "nothing of what it showed was kept", theme.FG(env.Theme.Dim))
	}
	y := in.Y + in.H - 1
	if in.H < 1 {
		return paint.Cursor{}
	}
	if d.typing {
		s.Text(in.X, y, in.W, "/ ", theme.Bold(env.Theme.Accent))
		at := d.query.Draw(s, in.X+2, y, in.W-2, cells.Style{Attrs: cells.Bold})
		return paint.Cursor{X: in.X + 2 + at, Y: y, Visible: true}
	}
	where := d.pager.Room(in.W, in.H-1).Position()
	w := in.W
	if n := paint.Width(where); n > 0 && n+12 < w {
		s.Text(in.X+w-n, y, n, where, theme.FG(env.Theme.Dim))
		w -= n + 2
	}
	sgr.Draw(s, in.X, y, w, modal.Keys(env.Keys, env.Theme, w, []keymap.Named{keymap.ViewClose.As("back"), keymap.ViewPageUp.As("page up"), keymap.ViewPageDown.As("down"),
		keymap.HistorySearch.As("search"), keymap.HistoryNext.As("next"), keymap.HistoryPrevious.As("previous"), keymap.HistoryResume.As("go on with it")}))
	return paint.Cursor{}
}
