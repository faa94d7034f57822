package prompt

import (
	"cmp"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
)

// Sizes of the open bar.
const (
	mostRows  = 10 // rows of text
	sign      = "❯ "
	listMost  = 8 // rows of the list above
	signWidth = 2 // columns of sign
)

// textWidth is how wide the text of the bar is, the cursor's column included.
func textWidth(env ui.Env) int { return max(2, env.Cols-signWidth) }

// DrawClosed draws the closed prompt bar at r, or the banner while the daemon is
// away.
func (b *Bar) DrawClosed(env ui.Env, s *paint.Surface, r paint.Rect) {
	if r.Empty() || env.Writing {
		return
	}
	if env.Banner != "" {
		DrawBanner(env, s, r)
		return
	}
	v, asks := Asking(env)
	if q := env.RequestOf(v.ID); q != nil && b.outbox.Answers(q.ID) {
		asks = false
	}
	if asks {
		drawAsk(env, s, r, v)
		return
	}
	x := r.X + s.Text(r.X, r.Y, r.W, sign, theme.FG(env.Theme.Dim))
	room := r.X + r.W - x
	s.Text(x, r.Y, room, paint.Cut(b.closed(env), room), theme.FG(env.Theme.Dim))
}

// closed is the text of the closed bar.
func (b *Bar) closed(env ui.Env) string {
	key := env.Keys.Hint(keymap.Prompt)
	switch {
	case len(b.Jobs()) > 0 && b.text.Empty():
		out := b.outbox.Progress()
		if cancel := env.Keys.Hint(keymap.CancelWork); cancel != "" {
			out += " (" + cancel + " cancels)"
		}
		return out
	case !b.text.Empty():
		var out strings.Builder
		v := b.text.View(max(env.Cols, 2), 1)
		for _, row := range v.Rows {
			for _, piece := range b.text.Pieces(row) {
				out.WriteString(piece.Text)
			}
		}
		if v.Above || v.Below {
			return "… " + out.String()
		}
		return out.String()
	case env.ReadOnly:
		return "attached read-only"
	case key != "":
		return "a task for " + b.to(env).Label() + " (" + key + ")"
	}
	return "a task for " + b.to(env).Label()
}

// Draw draws the open bar over the lowest rows of the panes, which
// keep their size: a line that says who gets the text, the text, and above them
// a list if there is one.
func (b *Bar) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	plan := b.plan(env)
	box, view, width := plan.text, plan.view, textWidth(env)
	top := box.Y
	s.Fill(box, cells.Style{})
	colour := b.colour(env)
	for i, row := range view.Rows {
		sign := sign
		if i > 0 || row.From > 0 || row.Line > 0 {
			sign = "  "
		}
		if i == 0 && view.Above {
			sign = "↑ "
		} else if i == len(view.Rows)-1 && view.Below {
			sign = "↓ "
		}
		x := s.Text(0, top+i, env.Cols, sign, theme.Bold(colour))
		for _, piece := range b.text.Pieces(row) {
			st := cells.Style{}
			if piece.Fold {
				st = cells.Style{FG: env.Theme.Accent, Attrs: cells.Inverse}
			}
			x += s.Text(x, top+i, env.Cols-x, piece.Text, st)
		}
	}
	if b.text.Empty() {
		s.Text(signWidth, top, width, paint.Cut(b.empty(env), width), theme.FG(env.Theme.Dim))
	}
	cur := paint.Cursor{X: signWidth + view.X, Y: top + view.Y, Visible: true}
	b.drawHead(env, s, plan)
	if at, ok := b.list.draw(env, s, plan); ok {
		return at
	}
	return cur
}

// DrawBanner says in one line that there is no daemon.
func DrawBanner(env ui.Env, s *paint.Surface, r paint.Rect) {
	st := env.Theme.Chip(env.Theme.Alert)
	s.Fill(r, st)
	s.Text(r.X, r.Y, r.W, paint.Cut(" "+bannerIn(env, r.W-1), r.W), st)
}

// bannerIn is the banner, with the reason where there is room for all of it; the overview
// always has it.
func bannerIn(env ui.Env, w int) string {
	_, why := env.OfflineBanner()
	if whole := env.Banner + " (" + why + ")"; why != "" && paint.Width(whole) <= w {
		return whole
	}
	return env.Banner
}

// colour is the colour of the bar: that of the state of the session whose
// question it answers.
func (b *Bar) colour(env ui.Env) cells.Color {
	switch ask := b.replyTo(env); {
	case env.Banner != "":
		return env.Theme.Alert
	case ask != nil:
		return env.Theme.Standing(api.StandingAsks)
	}
	return env.Theme.Accent
}

// empty is the hint in the bar before anything is written.
func (b *Bar) empty(env ui.Env) string {
	switch ask := b.replyTo(env); {
	case ask == nil:
		return "a task for " + b.to(env).Label()
	case request.Answerable(*ask):
		return "your answer"
	}
	return "refuse it, and say what to do instead"
}

// drawHead draws the lines above the text: what went wrong, and who gets the
// text.
func (b *Bar) drawHead(env ui.Env, s *paint.Surface, plan plan) {
	c := b.colour(env)
	if n := len(plan.problem); n > 0 {
		y := plan.text.Y - n
		s.Fill(paint.Rect{Y: y, W: env.Cols, H: n}, cells.Style{})
		for i, l := range plan.problem {
			s.Text(signWidth, y+i, env.Cols-signWidth, l, theme.Bold(env.Theme.Alert))
		}
	}
	y := plan.head
	if y < 0 {
		return
	}
	r := paint.Rect{Y: y, W: env.Cols, H: 1}
	st := env.Theme.Chip(c)
	right := b.keys(env)
	switch ask := b.replyTo(env); {
	case env.Banner != "":
		s.Fill(r, st)
		s.Text(1, y, env.Cols-1, paint.Cut(bannerIn(env, env.Cols-2), env.Cols-2), st)
	case ask != nil:
		s.Fill(r, st)
		v := api.Session{ID: ask.Session}
		if found := env.Session(ask.Session); found != nil {
			v = *found
		}
		text := textsafe.Line(v.Name) + ": " + env.AskText(v)
		s.Text(1, y, env.Cols-1, paint.Cut(text, env.Cols-2), st)
	default:
		s.Line(r, paint.Light, theme.FG(c))
		label := " to " + b.to(env).Label() + " "
		if b.shownJob() != nil {
			label = " " + b.shownJob().Progress() + " "
		}
		n := s.Text(1, y, env.Cols-1, paint.Cut(label, env.Cols-2), st)
		if w := paint.Width(right); n+w+4 < env.Cols {
			s.Text(env.Cols-w-1, y, w, right, theme.FG(env.Theme.Dim))
		}
	}
}

// keys are the keys of the bar that its head has room for.
func (b *Bar) keys(env ui.Env) string {
	if b.shownJob() != nil {
		return " " + keyWord(env.Keys.Hint(keymap.PromptClose)) + " cancels "
	}
	var items []string
	for _, k := range []struct {
		a    keymap.Action
		text string
	}{{keymap.PromptNextTarget, "target"}, {keymap.PromptTarget, "choose"}, {keymap.PromptHistory, "history"}, {keymap.PromptLine, "line"}} {
		keys := env.Keys.Of(k.a).Keys
		if len(keys) == 0 {
			continue
		}
		items = append(items, keys[len(keys)-1]+" "+k.text) // C-j: every terminal has it
	}
	out := " " + strings.Join(append(items, "@ file"), " · ") + " "
	if paint.Width(out) > env.Cols-paint.Width(b.to(env).Label())-12 {
		return " " + strings.Join(items[:min(1, len(items))], "") + " "
	}
	return out
}

// Hints are the keys for the status line.
func (b *Bar) Hints(env ui.Env) []string {
	switch l := b.list; l.kind {
	case listFiles:
		return []string{"Enter take", "↑↓ choose", "Esc close"}
	case listHistory:
		older := cmp.Or(env.Keys.Hint(keymap.PromptHistory), "C-r")
		return []string{"type to search", "Enter take", older + " older", "Esc back"}
	case listKept:
		return []string{"Enter change", "C-x cancel", "type to filter", "Esc back"}
	case listTargets:
		return []string{"Space mark", "Enter take", "type to filter", "Esc back"}
	}
	send := "send"
	switch ask := b.replyTo(env); {
	case ask != nil && request.Answerable(*ask):
		send = "answer"
	case ask != nil:
		send = "refuse with this message"
	}
	return []string{env.Keys.Hint(keymap.PromptSend) + " " + send, keyWord(env.Keys.Hint(keymap.PromptClose)) + " back"}
}

// keyWord is a key as it stands on keyboards.
func keyWord(name string) string {
	if name == "Escape" {
		return "Esc"
	}
	return name
}
