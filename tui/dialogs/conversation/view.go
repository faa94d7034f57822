package conversation

import (
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Draw shows the rows in view, the cursor beside them, and the keys or the search.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	d = d.laid(env)
	box, in := d.box(env), d.inside(env)
	modal.Box(s, box, d.title(env, box.W-6), env.Theme.Accent)
	for y := range in.H {
		row := d.top + y
		if row >= d.end() {
			break
		}
		r := d.row(row)
		sgr.Draw(s, in.X+gutter, in.Y+y, in.W-gutter, r.Text)
		modal.Mark(s, in.X+gutter, in.Y+y, in.W-gutter, d.find.marks())
		if row == d.cursor {
			s.Text(in.X, in.Y+y, 1, "❯", theme.Bold(env.Theme.Input))
		}
	}
	if len(d.blocks) == 0 {
		d.nothing(env, s, in)
	}
	foot := paint.Rect{X: box.X + 2, Y: box.Y + box.H - 2, W: max(0, box.W-4), H: 1}
	if box.H < 3 {
		return paint.Cursor{}
	}
	if d.find.typing {
		s.Text(foot.X, foot.Y, foot.W, "/ ", theme.Bold(env.Theme.Accent))
		at := d.find.ed.Draw(s, foot.X+2, foot.Y, foot.W-2, cells.Style{Attrs: cells.Bold})
		return paint.Cursor{X: foot.X + 2 + at, Y: foot.Y, Visible: true}
	}
	d.foot(env, s, foot)
	return paint.Cursor{}
}

// title says whose conversation it is, and how the agent stands.
func (d dialog) title(env ui.Env, w int) string {
	parts := []string{textsafe.Line(d.Name), "conversation"}
	switch v := env.Session(d.ID); {
	case v != nil && !v.State.Ended():
		parts = append(parts, ui.StandingWord(*v, env.Now))
	case d.Entry != nil && !d.Entry.Ended.IsZero():
		parts = append(parts, "ended "+d.Entry.Ended.Local().Format(time.DateTime))
	default:
		parts = append(parts, "ended")
	}
	if d.problem != "" && len(d.blocks) > 0 {
		parts = append(parts, d.problem)
	}
	return paint.Cut(strings.Join(parts, " · "), w)
}

// nothing says why there are no turns.
func (d dialog) nothing(env ui.Env, s *paint.Surface, in paint.Rect) {
	text, st := "nothing was said yet: it appears here as soon as the agent gets a prompt", theme.FG(env.Theme.Dim)
	switch {
	case d.problem != "":
		text, st = d.problem, theme.FG(env.Theme.Alert)
	case !d.told:
		frame, _ := modal.Spin(env.Now)
		text = frame + " reading the conversation…"
	case d.over:
		text = "nothing was said in this session"
	}
	for i, line := range modal.Wrap(text, in.W-2*gutter) {
		modal.Line(s, paint.Rect{X: in.X + gutter, Y: in.Y, W: in.W - 2*gutter, H: in.H}, i+1, line, st)
	}
}

// foot is the line of keys, with the place at the right.
func (d dialog) foot(env ui.Env, s *paint.Surface, r paint.Rect) {
	where, w := d.where(), r.W
	if n := paint.Width(where); n > 0 && n+14 < w {
		s.Text(r.X+w-n, r.Y, n, where, theme.FG(env.Theme.Dim))
		w -= n + 2
	}
	next := "failed call"
	if d.find.query != "" {
		next = "next place"
	}
	keys := []keymap.Named{keymap.ViewClose.As("back"), keymap.ViewOpen.As("open"), keymap.ConversationPrevious.As("turn"), keymap.ConversationNext.As("turn"),
		keymap.ConversationFailed.As(next), keymap.ConversationSearch.As("search"), keymap.ConversationCopy.As("copy answer"), keymap.ConversationAll.As("open all")}
	if v := env.Session(d.ID); v == nil || v.State.Ended() {
		keys = append(keys, keymap.ConversationResume.As("go on with it"), keymap.ConversationScreen.As("its last screen"))
	}
	sgr.Draw(s, r.X, r.Y, w, modal.Keys(env.Keys, env.Theme, w, keys))
}

// where is which turn of how many is at the cursor, and how much of it all is in view.
func (d dialog) where() string {
	b := d.turnAt()
	if b < 0 {
		return ""
	}
	last := d.blocks[len(d.blocks)-1].turn
	text := fmt.Sprintf("turn %d/%d", d.blocks[b].turn.Turn, last.Turn)
	if end := d.end(); end > d.height {
		text += fmt.Sprintf(" · %d%%", 100*min(d.top+d.height, end)/end)
	}
	if d.follows && last.State == api.TurnRunning && !d.over {
		text += " · following"
	}
	return text
}
