package review

import (
	"fmt"
	"path"
	"strings"

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

// Draw shows the scopes, the files, the rows in view, and the keys or the search.
func (d dialog) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	d = d.laid(env)
	a := d.areas(env)
	modal.Box(s, a.box, d.title(env, a.box.W-6), env.Theme.Accent)
	d.drawTabs(env, s, a.tabs)
	if len(d.rows) == 0 {
		d.nothing(env, s, a.text)
	}
	p := d.pen(env, s, a.text)
	for y := range min(a.text.H, len(d.rows)-d.top) {
		p.row(d.top+y, a.text.Y+y)
		if d.find.query != "" {
			modal.Mark(s, a.text.X+gutter, a.text.Y+y, a.text.W-gutter, []string{d.find.query})
		}
	}
	d.drawList(env, s, a)
	if a.box.H < 4 {
		return paint.Cursor{}
	}
	if d.find.typing {
		s.Text(a.foot.X, a.foot.Y, a.foot.W, "/ ", theme.Bold(env.Theme.Accent))
		at := d.find.ed.Draw(s, a.foot.X+2, a.foot.Y, a.foot.W-2, cells.Style{Attrs: cells.Bold})
		return paint.Cursor{X: a.foot.X + 2 + at, Y: a.foot.Y, Visible: true}
	}
	d.drawFoot(env, s, a.foot)
	return paint.Cursor{}
}

// title says whose changes these are, and what they are less than they should be.
func (d dialog) title(env ui.Env, w int) string {
	parts := []string{textsafe.Line(d.name), "review"}
	if d.scope == api.DiffTurn && d.diff.Turn != nil {
		parts = append(parts, fmt.Sprintf("turn %d", *d.diff.Turn))
	}
	if d.planOver(env) {
		parts = append(parts, "the plan was answered")
	}
	if d.diff.Running {
		parts = append(parts, "still running")
	}
	if n := d.viewedFiles(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d viewed", n, len(d.diff.Files)))
	}
	if n, _ := d.drafts(); n > 0 {
		parts = append(parts, plural(n, "draft"))
	}
	if d.diff.Note != "" {
		parts = append(parts, textsafe.Line(d.diff.Note))
	}
	return paint.Cut(strings.Join(parts, " · "), w)
}

// drawTabs shows the scopes, the chosen one marked, and how much it is.
func (d dialog) drawTabs(env ui.Env, s *paint.Surface, r paint.Rect) {
	x := r.X
	sum := ""
	if d.told && d.problem == "" {
		if sum = d.diff.Line(); d.scope == api.DiffPlan {
			sum = plural(d.diff.Added, "line")
		}
	}
	end := r.X + r.W
	if n := paint.Width(sum); n > 0 && n+12 < r.W {
		end -= n + 2
		s.Text(end+2, r.Y, n, sum, cells.Style{Attrs: cells.Bold})
	}
	scopes := d.scopes(env)
	need := tabGap * len(scopes)
	for _, scope := range scopes {
		need += len(scopeWords[scope]) + 1
	}
	for _, scope := range scopes {
		st := theme.FG(env.Theme.Dim)
		if scope == d.scope {
			st = env.Theme.Chip(env.Theme.Accent)
		} else if need > end-r.X {
			continue // no room: the chosen one is what matters
		}
		x += s.Text(x, r.Y, max(0, end-x), " "+scopeWords[scope]+" ", st) + tabGap - 1
	}
}

// nothing says why there are no rows.
func (d dialog) nothing(env ui.Env, s *paint.Surface, r paint.Rect) {
	text, st := "nothing was changed", theme.FG(env.Theme.Dim)
	switch {
	case !d.told:
		frame, _ := modal.Spin(env.Now)
		text = frame + " comparing…"
	case d.problem != "":
		text, st = d.problem, theme.FG(env.Theme.Alert)
	case d.scope == api.DiffSeen:
		text = "nothing was changed since you last looked"
	}
	if d.told {
		text += " · " + env.Keys.Hint(keymap.ReviewScope) + " shows another scope"
	}
	for i, line := range modal.Wrap(text, r.W-2*gutter) {
		modal.Line(s, paint.Rect{X: r.X + gutter, Y: r.Y, W: r.W - 2*gutter, H: r.H}, i+1, line, st)
	}
}

// drawList shows the files beside the text.
func (d dialog) drawList(env ui.Env, s *paint.Surface, a areas) {
	if a.list.Empty() {
		return
	}
	here, _ := d.row(d.cursor)
	top := d.listTop(a.list.H)
	for y := range a.list.H {
		s.Text(a.list.X+a.list.W, a.list.Y+y, 1, "│", theme.FG(env.Theme.Dim))
		i := top + y
		if i >= len(d.diff.Files) {
			continue
		}
		f := d.diff.Files[i]
		name, dir := path.Base(textsafe.Line(f.Path)), path.Dir(textsafe.Line(f.Path))
		st := cells.Style{}
		switch {
		case i == int(here.file):
			st = theme.Bold(env.Theme.Accent)
			s.Text(a.list.X-1, a.list.Y+y, 1, "❯", theme.Bold(env.Theme.Input))
		case f.Status == api.FileRemoved, f.Viewed:
			st = theme.FG(env.Theme.Dim)
		}
		x, w := a.list.X+2, a.list.W-3
		s.Text(a.list.X, a.list.Y+y, 1, statusSign(f.Status), theme.FG(statusColor(env.Theme, f.Status)))
		if f.Viewed {
			s.Text(a.list.X+1, a.list.Y+y, 1, "✓", theme.FG(env.Theme.Idle))
		}
		if count := counts(f); count != "" {
			n := paint.Width(count)
			w -= n + 1
			s.Text(x+w+1, a.list.Y+y, n, count, theme.FG(env.Theme.Dim))
		}
		n := s.Text(x, a.list.Y+y, w, paint.Cut(name, w), st)
		if rest := w - n - 1; dir != "." && rest > 3 {
			s.Text(x+n+1, a.list.Y+y, rest, paint.Cut(dir, rest), theme.FG(env.Theme.Dim))
		}
	}
}

func statusSign(status string) string {
	return map[string]string{api.FileAdded: "A", api.FileRemoved: "D", api.FileRenamed: "R"}[status] + strings.Repeat("M", btoi(status == api.FileChanged))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func statusColor(th *theme.Theme, status string) cells.Color {
	switch status {
	case api.FileAdded:
		return th.Idle
	case api.FileRemoved:
		return th.Alert
	}
	return th.Dim
}

// counts are how many lines of a file were added and removed, "" if that is not known.
func counts(f api.ReviewFile) string {
	if f.Added == nil || f.Removed == nil {
		return ""
	}
	var parts []string
	if *f.Added > 0 {
		parts = append(parts, fmt.Sprintf("+%d", *f.Added))
	}
	if *f.Removed > 0 {
		parts = append(parts, fmt.Sprintf("−%d", *f.Removed))
	}
	return strings.Join(parts, " ")
}

// drawFoot shows the keys, with the place at the right.
func (d dialog) drawFoot(env ui.Env, s *paint.Surface, r paint.Rect) {
	where, w := d.where(env), r.W
	if where = paint.CutMiddle(where, w/2); paint.Width(where) > 0 && w > 40 {
		n := paint.Width(where)
		s.Text(r.X+w-n, r.Y, n, where, theme.FG(env.Theme.Dim))
		w -= n + 2
	}
	sgr.Draw(s, r.X, r.Y, w, modal.Keys(env.Keys, env.Theme, w, d.footKeys()))
}

// footKeys are the keys that the foot names, as many as there is room for.
func (d dialog) footKeys() []keymap.Named {
	next := "hunk"
	if d.find.query != "" {
		next = "next place"
	}
	if d.scope == api.DiffPlan {
		return []keymap.Named{keymap.ViewClose.As("back"), keymap.ReviewNote.As("comment"), keymap.ReviewSend.As("refuse or approve"), keymap.ReviewHelp.As("keys"),
			keymap.ReviewScope.As("scope"), keymap.ReviewSearch.As("search"), keymap.ReviewCopy.As("copy")}
	}
	return []keymap.Named{keymap.ViewClose.As("back"), keymap.ReviewHelp.As("keys"), keymap.ReviewScope.As("scope"), keymap.ReviewHunk.As(next), keymap.ReviewFile.As("file"), keymap.ViewOpen.As("fold"),
		keymap.ReviewNote.As("comment"), keymap.ReviewSend.As("send"), keymap.ReviewViewed.As("viewed"), keymap.ReviewStage.As("stage"), keymap.ReviewPutBack.As("put back"),
		keymap.ReviewSearch.As("search"), keymap.ReviewCopy.As("copy"), keymap.ReviewEditor.As("editor"), keymap.ReviewSide.As("side by side")}
}

// where is the file and the line at the cursor, and how much of it all was passed.
func (d dialog) where(env ui.Env) string {
	f := d.fileAt(d.cursor)
	if f == nil {
		return ""
	}
	r, _ := d.row(d.cursor)
	text := textsafe.Line(path.Base(f.Path))
	if r.kind == rowLine {
		text += fmt.Sprintf(":%d", d.lineHere())
	}
	if d.planOver(env) && waitingPlan(env, d.id) != nil {
		return "another plan waits · " + env.Keys.Hint(keymap.ReviewFresh) + " shows it"
	}
	if v := env.Session(d.id); v != nil && v.LastTurn != nil && v.LastTurn.Turn > d.turn {
		return fmt.Sprintf("turn %d has ended · %s shows it", v.LastTurn.Turn, env.Keys.Hint(keymap.ReviewFresh))
	}
	if end := len(d.rows); end > d.height {
		text += fmt.Sprintf(" · %d%%", 100*min(d.top+d.height, end)/end)
	}
	return text
}
