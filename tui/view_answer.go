package tui

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
	"ccdir/internal/keymap"
	"ccdir/internal/textsafe"
	"ccdir/tui/dialog"
	"ccdir/tui/edit"
	"ccdir/tui/paint"
	"ccdir/tui/request"
	"ccdir/tui/theme"
	"ccdir/tui/wording"
)

// answerFoot is how many lines the keys take, about.
const answerFoot = 3

// size is the width of the text and the most lines of the input in view.
func (d answerBar) size(cols, rows int) (w, room int) {
	return max(1, cols-4), max(1, min((rows-2)/2, rows-3-answerFoot))
}

// textWidth is how wide the editor is, the cursor's column included.
func (d answerBar) textWidth(cols int) int { return max(2, cols-4-promptBeside) }

// answerPlan is where the parts of the bar are.
type answerPlan struct {
	box, in      paint.Rect
	facts        []string
	lines, shown []request.Line
	foot         []footLine
	view         edit.View
	written      int // rows of the editor
}

// plan lays the bar over the lowest rows, above the status line.
func (d answerBar) plan(sc *scene) (p answerPlan) {
	w, room := d.size(sc.cols, sc.rows)
	p.lines, p.facts, p.foot = request.Lines(d.req, d.file, w), d.facts(sc, w), d.foot(sc, w)
	bottom := sc.layout.Status.Y
	if sc.layout.Status.Empty() {
		bottom = sc.rows
	}
	p.view = d.text.View(d.textWidth(sc.cols), min(promptMost, max(1, sc.rows/4)))
	if d.writes() {
		p.written = len(p.view.Rows)
	}
	room = max(1, min(room, bottom-2-len(p.facts)-len(p.foot)-p.written))
	top := max(0, min(d.top, len(p.lines)-room))
	p.shown = p.lines[top:min(len(p.lines), top+room)]
	h := min(len(p.facts)+len(p.shown)+p.written+len(p.foot)+2, bottom)
	p.box = paint.Rect{Y: bottom - h, W: sc.cols, H: h}
	p.in = paint.Rect{X: p.box.X + 2, Y: p.box.Y + 1, W: max(0, p.box.W-4), H: max(0, p.box.H-2)}
	return p
}

func (d answerBar) draw(s *paint.Surface, sc *scene) paint.Cursor {
	p := d.plan(sc)
	box, r := p.box, p.in
	c := sc.theme.Permission
	if d.question() {
		c = sc.theme.Input
	}
	if d.step == answerOver {
		c = sc.theme.Dim
	}
	s.Fill(box, grid.Style{})
	s.Box(box, paint.Heavy, theme.Bold(c))
	d.drawTitle(s, sc, box, c)
	if more := len(p.lines) - len(p.shown); more > 0 && box.W > 30 {
		text := " ↑ ↓ " + strconv.Itoa(more) + " more lines "
		s.Text(box.X+box.W-2-paint.Width(text), box.Y+box.H-1, box.W, text, theme.Bold(c))
	}
	for i, l := range p.facts {
		dialog.Line(s, r, i, l, theme.FG(sc.theme.Dim))
	}
	for i, l := range p.shown {
		dialog.Line(s, r, len(p.facts)+i, l.Text, l.Style(sc.theme))
	}
	for i, l := range p.foot {
		st := theme.Bold(c)
		if l.mark {
			st = grid.Style{FG: c, Attrs: grid.Bold | grid.Inverse}
		} else if l.faint {
			st = theme.FG(sc.theme.Dim)
		}
		dialog.Line(s, r, r.H-len(p.foot)+i, l.text, st)
	}
	if p.written == 0 {
		return paint.Cursor{}
	}
	return d.drawText(s, sc, paint.Rect{X: r.X, Y: r.Y + r.H - len(p.foot) - p.written, W: r.W, H: p.written}, p.view)
}

// drawText draws the editor and returns its cursor.
func (d answerBar) drawText(s *paint.Surface, sc *scene, r paint.Rect, view edit.View) paint.Cursor {
	for i, row := range view.Rows {
		sign := promptSign
		if i > 0 || view.Above {
			sign = "  "
		}
		x := r.X + s.Text(r.X, r.Y+i, r.W, sign, theme.Bold(sc.theme.Accent))
		for _, piece := range d.text.Pieces(row) {
			st := grid.Style{}
			if piece.Fold {
				st = grid.Style{FG: sc.theme.Accent, Attrs: grid.Inverse}
			}
			x += s.Text(x, r.Y+i, max(0, r.X+r.W-x), piece.Text, st)
		}
	}
	if d.text.Empty() {
		hint := map[answerStep]string{answerMessage: "no, because: … (may stay empty)", answerText: "your answer", answerEdit: "the command"}[d.step]
		s.Text(r.X+promptBeside, r.Y, max(0, r.W-promptBeside), hint, theme.FG(sc.theme.Dim))
	}
	x := min(r.X+promptBeside+view.X, r.X+r.W)
	return paint.Cursor{X: x, Y: r.Y + view.Y, Visible: r.Y+view.Y >= 0}
}

// facts are where it would run and what sent it here, in lines of at most w
// columns.
func (d answerBar) facts(sc *scene, w int) []string {
	var items []string
	if d.req.CWD != "" {
		items = append(items, "in "+wording.Home(textsafe.Line(d.req.CWD), sc.home))
	}
	if d.req.Rule != "" {
		items = append(items, "sent here by "+textsafe.Line(d.req.Rule))
	}
	if sc.rows < 16 {
		items = items[:min(1, len(items))]
	}
	out := dialog.Flow(items, w)
	for i, l := range out {
		out[i] = paint.Cut(l, w)
	}
	return out
}

func (d answerBar) drawTitle(s *paint.Surface, sc *scene, box paint.Rect, c grid.Color) {
	sign := api.StatePermission.Indicator()
	what := " asks for permission: "
	if d.question() {
		sign, what = api.StateInput.Indicator(), " asks: "
	}
	title := " " + sign + " " + textsafe.Line(d.name) + what + textsafe.Line(d.req.Tool)
	if d.req.Subagent != "" {
		title += " (subagent " + textsafe.Line(d.req.Subagent) + ")"
	}
	if a := wording.Age(sc.now, d.req.Since); a != "" {
		title += " · " + a
	}
	if n := len(sc.requests); n > 1 {
		if at := slices.IndexFunc(sc.requests, func(r api.Request) bool { return r.ID == d.req.ID }); at >= 0 {
			title += " · " + strconv.Itoa(at+1) + " of " + strconv.Itoa(n)
		}
	}
	s.Text(box.X+2, box.Y, box.W-4, paint.Cut(title+" ", box.W-4), theme.Bold(c))
}

// footLine is a line below the input; pick is the number of the choice that it is,
// 0 if it is none. keys: it names keys, which a click presses; other lines may have
// words of the session's.
type footLine struct {
	text              string
	mark, faint, keys bool
	pick              int
}

// foot is what can be done, in lines of at most w columns.
func (d answerBar) foot(sc *scene, w int) []footLine {
	var out []footLine
	add := func(text string) { out = append(out, footLine{text: paint.Cut(text, w), keys: true}) }
	if d.problem != "" {
		out = append(out, footLine{text: paint.Cut(d.problem, w)})
	}
	switch d.step {
	case answerOver:
		return []footLine{{text: d.over}}
	case answerSending:
		return []footLine{{text: paint.Cut("answering…   Esc closes, and the answer goes on", w)}}
	case answerMessage:
		add("Enter refuses, with that message if there is one   C-j new line   Esc back")
	case answerEdit:
		add("Enter allows this command instead, once   C-j new line   Esc back")
	case answerText:
		add("Enter answers   C-j new line   Esc back")
	case answerScope:
		for i, v := range d.req.Scopes {
			text := strconv.Itoa(i+1) + " " + scopeWords[v.Scope] + ": " + textsafe.Line(v.Rule)
			if v.File != "" {
				text += " → " + wording.Home(textsafe.Line(v.File), sc.home)
			}
			// A rule that is written is shown whole.
			for j, l := range dialog.Wrap(text, max(1, w-2)) {
				out = append(out, footLine{text: pointer(i == d.sel && j == 0) + l, mark: i == d.sel, pick: i + 1})
			}
		}
		add("↑ ↓ choose   Enter writes that rule and allows it   Esc back")
	default:
		return append(d.choices(w), append(out, d.footKeys(sc, w)...)...)
	}
	return out
}

// choices are those of a question.
func (d answerBar) choices(w int) (out []footLine) {
	if !d.answerable() {
		return nil
	}
	for i, c := range d.req.Choices {
		box := ""
		if d.req.Multiple {
			box = "[ ] "
			if slices.Contains(d.picked, i) {
				box = "[x] "
			}
		}
		text := pointer(i == d.sel) + strconv.Itoa(i+1) + " " + box + textsafe.Line(c)
		out = append(out, footLine{text: paint.Cut(text, w), mark: i == d.sel, pick: i + 1})
	}
	return out
}

func pointer(here bool) string {
	if here {
		return "▸ "
	}
	return "  "
}

// footKeys are the keys that decide.
func (d answerBar) footKeys(sc *scene, w int) (out []footLine) {
	var items []string
	add := func(a keymap.Action, text string) {
		if keys := sc.keys.Of(a).Keys; len(keys) > 0 {
			items = append(items, choice(keys[0], text))
		}
	}
	always := d.req.AlwaysRule != "" && !d.question()
	switch {
	case d.answerable() && len(d.req.Choices) > 0:
		items = append(items, "↑ ↓ choose", "Enter answers")
	case d.answerable():
		add(keymap.AnswerEdit, "edit an answer")
	case !d.question():
		add(keymap.AnswerYes, "yes")
	}
	add(keymap.AnswerNo, "no")
	if always {
		add(keymap.AnswerAlways, "always")
	}
	if d.req.Editable && !d.question() {
		add(keymap.AnswerEdit, "edit")
	}
	if n := len(alike(sc.requests, d.req)); n > 1 && !d.question() {
		add(keymap.AnswerAll, "All "+strconv.Itoa(n)+" like this")
	}
	if d.req.Origin != api.OriginMCP {
		add(keymap.AnswerPane, "open the pane")
	}
	if n := sc.waitingBeside(d.req); n > 0 {
		add(keymap.AnswerNext, "next of "+strconv.Itoa(n)+" more")
	}
	if slices.ContainsFunc(sc.everyone, func(v api.Session) bool { return v.ID == d.req.Session && v.PutOff(sc.now) }) {
		add(keymap.AnswerSnooze, "snooze no longer")
	} else {
		add(keymap.AnswerSnooze, "snooze")
	}
	items = append(items, "Esc later")
	for _, l := range dialog.Flow(items, w) {
		out = append(out, footLine{text: l, keys: true})
	}
	if always {
		text := "always means: " + textsafe.Line(d.req.AlwaysRule)
		if n := len(d.req.Scopes); n > 1 {
			text += " (or more: choose among " + strconv.Itoa(n) + ")"
		}
		for _, l := range alwaysLines(text, w) {
			out = append(out, footLine{text: l, faint: true})
		}
	}
	return out
}

// alwaysLines are what "always" means, in at most three lines. Of a longer text the middle
// is left out: how far a rule goes is at its end.
func alwaysLines(text string, w int) []string {
	if paint.Width(text) <= w {
		return []string{text}
	}
	lines := dialog.Wrap(text, w)
	if len(lines) > 3 {
		last := lines[len(lines)-2:]
		return append([]string{paint.Cut(lines[0]+lines[1], w)}, last...)
	}
	return lines
}

// choice shows the key in the word that begins with it, "[y]es", else before
// it.
func choice(key, text string) string {
	if rest, ok := strings.CutPrefix(text, key); ok && len(key) == 1 {
		return "[" + key + "]" + rest
	}
	return "[" + key + "] " + text
}
