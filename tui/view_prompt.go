package tui

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/theme"
)

// promptView is the prompt bar in a scene.
type promptView struct {
	promptBar
	sending []sendJob // copies of the jobs
	shown   *sendJob  // a copy of the one that the open bar shows
	// label is who gets the text; ask is the request that it answers, nil if it
	// answers none.
	label string
	ask   *api.Request
}

// Sizes of the open bar.
const (
	promptMost   = 10 // rows of text
	promptSign   = "❯ "
	listMost     = 8 // rows of the list above
	promptBeside = 2 // columns of promptSign
)

// drawPrompt draws the closed prompt bar, or the banner while the daemon is
// away.
func (sc *scene) drawPrompt(s *paint.Surface) {
	r := sc.layout.Prompt
	if r.Empty() || sc.mode == modePrompt {
		return
	}
	if sc.banner != "" {
		sc.drawBanner(s, r)
		return
	}
	v, asks := sc.asking()
	if q := requestOf(sc.Requests, v.ID); q != nil && sc.prompt.answers(q.ID) {
		asks = false
	}
	if asks {
		sc.drawAsk(s, v)
		return
	}
	x := r.X + s.Text(r.X, r.Y, r.W, promptSign, theme.FG(sc.Theme.Dim))
	room := r.X + r.W - x
	s.Text(x, r.Y, room, paint.Cut(sc.closedPrompt(), room), theme.FG(sc.Theme.Dim))
}

// closedPrompt is what the closed bar says.
func (sc *scene) closedPrompt() string {
	key := sc.Keys.Hint(keymap.Prompt)
	switch p := sc.prompt; {
	case len(p.sending) > 0 && p.text.Empty():
		out := sendingText(p.sending)
		if cancel := sc.Keys.Hint(keymap.CancelWork); cancel != "" {
			out += " (" + cancel + " cancels)"
		}
		return out
	case !p.text.Empty():
		var out strings.Builder
		v := p.text.View(max(sc.Cols, 2), 1)
		for _, row := range v.Rows {
			for _, piece := range p.text.Pieces(row) {
				out.WriteString(piece.Text)
			}
		}
		if v.Above || v.Below {
			return "… " + out.String()
		}
		return out.String()
	case sc.ReadOnly:
		return "attached read-only"
	case key != "":
		return "a task for " + p.label + " (" + key + ")"
	}
	return "a task for " + sc.prompt.label
}

// drawPromptBar draws the open bar over the lowest rows of the panes, which
// keep their size: a line that says who gets the text, the text, and above them
// a list if there is one.
func (sc *scene) drawPromptBar(s *paint.Surface) paint.Cursor {
	p, plan := sc.prompt, sc.promptPlan()
	box, view, width := plan.text, plan.view, max(2, sc.Cols-promptBeside)
	top := box.Y
	s.Fill(box, cells.Style{})
	colour := sc.promptColour()
	for i, row := range view.Rows {
		sign := promptSign
		if i > 0 || row.From > 0 || row.Line > 0 {
			sign = "  "
		}
		if i == 0 && view.Above {
			sign = "↑ "
		} else if i == len(view.Rows)-1 && view.Below {
			sign = "↓ "
		}
		x := s.Text(0, top+i, sc.Cols, sign, theme.Bold(colour))
		for _, piece := range p.text.Pieces(row) {
			st := cells.Style{}
			if piece.Fold {
				st = cells.Style{FG: sc.Theme.Accent, Attrs: cells.Inverse}
			}
			x += s.Text(x, top+i, sc.Cols-x, piece.Text, st)
		}
	}
	if p.text.Empty() {
		s.Text(promptBeside, top, width, paint.Cut(sc.emptyPrompt(), width), theme.FG(sc.Theme.Dim))
	}
	cur := paint.Cursor{X: promptBeside + view.X, Y: top + view.Y, Visible: true}
	sc.drawPromptHead(s, plan)
	if at, ok := sc.drawPromptList(s, plan); ok {
		return at
	}
	return cur
}

// drawBanner says in one line that there is no daemon.
func (sc *scene) drawBanner(s *paint.Surface, r paint.Rect) {
	st := sc.Theme.Chip(sc.Theme.Alert)
	s.Fill(r, st)
	s.Text(r.X, r.Y, r.W, paint.Cut(" "+sc.bannerIn(r.W-1), r.W), st)
}

// bannerIn is the banner, with the reason where there is room for all of it; the overview
// always has it.
func (sc *scene) bannerIn(w int) string {
	_, why := sc.OfflineBanner()
	if whole := sc.banner + " (" + why + ")"; why != "" && paint.Width(whole) <= w {
		return whole
	}
	return sc.banner
}

// promptColour is the colour of the bar: that of the state of the session whose
// question it answers.
func (sc *scene) promptColour() cells.Color {
	switch {
	case sc.banner != "":
		return sc.Theme.Alert
	case sc.prompt.ask != nil && sc.prompt.ask.Kind == api.RequestQuestion:
		return sc.Theme.Input
	case sc.prompt.ask != nil:
		return sc.Theme.Permission
	}
	return sc.Theme.Accent
}

// emptyPrompt is what stands in the bar before anything is written.
func (sc *scene) emptyPrompt() string {
	switch ask := sc.prompt.ask; {
	case ask == nil:
		return "a task for " + sc.prompt.label
	case answerable(*ask):
		return "your answer"
	}
	return "refuse it, and say what to do instead"
}

// drawPromptHead draws the lines above the text: what went wrong, and who gets the
// text.
func (sc *scene) drawPromptHead(s *paint.Surface, plan promptPlan) {
	p, c := sc.prompt, sc.promptColour()
	if n := len(plan.problem); n > 0 {
		y := plan.text.Y - n
		s.Fill(paint.Rect{Y: y, W: sc.Cols, H: n}, cells.Style{})
		for i, l := range plan.problem {
			s.Text(promptBeside, y+i, sc.Cols-promptBeside, l, theme.Bold(sc.Theme.Alert))
		}
	}
	y := plan.head
	if y < 0 {
		return
	}
	r := paint.Rect{Y: y, W: sc.Cols, H: 1}
	st := sc.Theme.Chip(c)
	right := sc.promptKeys()
	switch text := ""; {
	case sc.banner != "":
		s.Fill(r, st)
		s.Text(1, y, sc.Cols-1, paint.Cut(sc.bannerIn(sc.Cols-2), sc.Cols-2), st)
	case p.ask != nil:
		s.Fill(r, st)
		v, _ := sc.asking()
		text = textsafe.Line(v.Name) + ": " + askText(v, p.ask)
		s.Text(1, y, sc.Cols-1, paint.Cut(text, sc.Cols-2), st)
	default:
		s.Line(r, paint.Light, theme.FG(c))
		label := " to " + p.label + " "
		if p.shown != nil {
			label = " " + p.shown.progress() + " "
		}
		n := s.Text(1, y, sc.Cols-1, paint.Cut(label, sc.Cols-2), st)
		if w := paint.Width(right); n+w+4 < sc.Cols {
			s.Text(sc.Cols-w-1, y, w, right, theme.FG(sc.Theme.Dim))
		}
	}
}

// promptKeys are the keys of the bar that its head has room for.
func (sc *scene) promptKeys() string {
	if sc.prompt.shown != nil {
		return " " + keyWord(sc.Keys.Hint(keymap.PromptClose)) + " cancels "
	}
	var items []string
	for _, k := range []struct {
		a    keymap.Action
		text string
	}{{keymap.PromptNextTarget, "target"}, {keymap.PromptTarget, "choose"}, {keymap.PromptHistory, "history"}, {keymap.PromptLine, "line"}} {
		keys := sc.Keys.Of(k.a).Keys
		if len(keys) == 0 {
			continue
		}
		items = append(items, keys[len(keys)-1]+" "+k.text) // C-j: every terminal has it
	}
	out := " " + strings.Join(append(items, "@ file"), " · ") + " "
	if paint.Width(out) > sc.Cols-paint.Width(sc.prompt.label)-12 {
		return " " + strings.Join(items[:min(1, len(items))], "") + " "
	}
	return out
}

// promptHints are the keys for the status line.
func (sc *scene) promptHints() []string {
	switch l := sc.prompt.list; l.kind {
	case listFiles:
		return []string{"Enter take", "↑↓ choose", "Esc close"}
	case listHistory:
		older := cmp.Or(sc.Keys.Hint(keymap.PromptHistory), "C-r")
		return []string{"type to search", "Enter take", older + " older", "Esc back"}
	case listTargets:
		return []string{"Space mark", "Enter take", "type to filter", "Esc back"}
	}
	send := "send"
	switch ask := sc.prompt.ask; {
	case ask != nil && answerable(*ask):
		send = "answer"
	case ask != nil:
		send = "refuse with this message"
	}
	return []string{sc.Keys.Hint(keymap.PromptSend) + " " + send, keyWord(sc.Keys.Hint(keymap.PromptClose)) + " back"}
}

// drawPromptList draws the list above the bar. It returns the cursor if the list
// takes what is typed.
func (sc *scene) drawPromptList(s *paint.Surface, plan promptPlan) (paint.Cursor, bool) {
	l, rows := sc.prompt.list, plan.list
	top := rows.Y - 1
	if l.kind == listNone || plan.head < 1 {
		return paint.Cursor{}, false
	}
	typed := l.kind != listFiles
	s.Fill(paint.Rect{Y: top, W: sc.Cols, H: rows.H + 1}, cells.Style{})
	s.Line(paint.Rect{Y: top, W: sc.Cols, H: 1}, paint.Light, theme.FG(sc.Theme.Dim))
	for i := range rows.H {
		sc.drawListItem(s, l, plan.first+i, rows.Y+i)
	}
	label := map[listKind]string{listHistory: " history: ", listTargets: " to: ", listFiles: " files "}[l.kind]
	at := 1 + s.Text(1, top, sc.Cols-1, label, theme.Bold(sc.Theme.Accent))
	w := max(0, sc.Cols-at-12)
	s.Fill(paint.Rect{X: at, Y: top, W: min(w, l.query.Width()+1), H: 1}, cells.Style{})
	n := 0
	if !typed && l.note != "" {
		s.Text(at, top, w, l.note+" ", cells.Style{})
	} else {
		n = l.query.Draw(s, at, top, w, cells.Style{})
	}
	count := fmt.Sprintf(" %d/%d ", len(l.found), len(l.items))
	s.Text(sc.Cols-1-paint.Width(count), top, paint.Width(count), count, theme.FG(sc.Theme.Dim))
	return paint.Cursor{X: at + n, Y: top, Visible: true}, typed
}

func (sc *scene) drawListItem(s *paint.Surface, l promptList, at, y int) {
	if at >= len(l.found) {
		if at == 0 {
			s.Text(promptBeside, y, sc.Cols, "nothing matches", theme.FG(sc.Theme.Dim))
		}
		return
	}
	i := l.found[at]
	st, sign := cells.Style{}, "  "
	if at == l.sel {
		st, sign = cells.Style{FG: sc.Theme.Accent, Attrs: cells.Bold}, "▸ "
	}
	x := s.Text(0, y, sc.Cols, sign, st)
	if l.kind == listTargets && l.values[i].kind == targetChosen {
		box := "[ ] "
		for _, id := range l.marked {
			if id == l.values[i].ids[0] {
				box = "[x] "
			}
		}
		x += s.Text(x, y, sc.Cols-x, box, st)
	}
	text := l.items[i]
	if l.kind == listHistory {
		text = around(text, l.query.String(), sc.Cols-x-1)
	}
	text = textsafe.Line(text[:min(len(text), 4*edit.FoldBytes)])
	if l.kind == listHistory {
		text = strings.ReplaceAll(text, "␊", "⏎")
	}
	x += s.Text(x, y, sc.Cols-x, paint.Cut(text, sc.Cols-x-1), st)
	if l.notes != nil && l.notes[i] != "" && x+paint.Width(l.notes[i])+3 < sc.Cols {
		s.Text(x+2, y, sc.Cols-x-3, l.notes[i], theme.FG(sc.Theme.Dim))
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

// keyWord is a key as it stands on keyboards.
func keyWord(name string) string {
	if name == "Escape" {
		return "Esc"
	}
	return name
}
