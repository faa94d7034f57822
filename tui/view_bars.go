package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// drawStrip lists all sessions in one line, those that need a person first: where the
// panes of a page are not all that there are. The focused one is always in view.
func (sc *scene) drawStrip(s *paint.Surface) {
	r := sc.layout.Strip
	if r.Empty() {
		return
	}
	for _, c := range sc.stripCells() {
		v := sc.panes[c.index]
		standing := v.Standing(v.PutOff(sc.Now))
		st := theme.FG(sc.Theme.Standing(standing))
		if standing == api.StandingAsks || standing == api.StandingFailed {
			st.Attrs |= cells.Bold
		}
		if v.ID == sc.Focus {
			st.Attrs |= cells.Bold | cells.Inverse
		}
		s.Text(c.x, r.Y, c.w, c.text, st)
	}
}

// stripCell is one session's place in the strip.
type stripCell struct {
	index, x, w int
	text        string
}

// stripName is how much of a name the strip shows, in columns.
const stripName = 12

// stripOrder is the order of the strip, as indexes of the sessions: by need, else as in
// the grid.
func (sc *scene) stripOrder() []int {
	order := make([]int, len(sc.panes))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int { return sc.panes[i].Standing(sc.panes[i].PutOff(sc.Now)).Rank() }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return order
}

// stripCells lays the strip out from the session that lets the focused one be
// seen.
func (sc *scene) stripCells() []stripCell {
	r := sc.layout.Strip
	var all []stripCell
	total, focusEnd := 0, 0
	for _, i := range sc.stripOrder() {
		v := sc.panes[i]
		text := sc.Sign(v.Standing(v.PutOff(sc.Now))) + paint.Cut(textsafe.Line(v.Name), stripName)
		c := stripCell{index: i, x: total, w: paint.Width(text), text: text}
		total += c.w + 2
		if v.ID == sc.Focus {
			focusEnd = c.x + c.w
		}
		all = append(all, c)
	}
	shift := 0
	for _, c := range all {
		if focusEnd-shift <= r.W {
			break
		}
		shift = c.x + c.w + 2
	}
	var shown []stripCell
	for _, c := range all {
		if c.x -= shift; c.x >= 0 && c.x < r.W {
			c.x += r.X
			c.w = min(c.w, r.X+r.W-c.x)
			shown = append(shown, c)
		}
	}
	return shown
}

// drawStatus draws the last line: the chip that says where keys go, a notice or
// the most needed keys, and what the sessions do.
func (sc *scene) drawStatus(s *paint.Surface) {
	r := sc.layout.Status
	if r.Empty() {
		return
	}
	chip, c := sc.chip()
	x := r.X + s.Text(r.X, r.Y, r.W, paint.Cut(chip, r.W), sc.Theme.Chip(c))
	x++
	right := sc.counts()
	end := r.X + r.W
	if need := sc.needs((end - x) / 2); need != "" && x+paint.Width(need)+1 < end {
		end -= paint.Width(need)
		s.Text(end, r.Y, paint.Width(need), need, sc.Theme.Chip(sc.Theme.Input))
		end--
	}
	if w := paint.Width(right); x+w+1 < end && sc.notice.text == "" {
		s.Text(end-w, r.Y, w, right, theme.FG(sc.Theme.Dim))
		end -= w + 1
	}
	if sc.progress != nil {
		x += sc.progress.draw(s, x, r.Y, end-x, sc.Theme) + 1
	}
	if sc.notice.text != "" {
		st := cells.Style{Attrs: cells.Bold}
		if sc.notice.alert {
			st = theme.Bold(sc.Theme.Alert)
		}
		text := sc.noticeAbove(s, end-x, st)
		s.Text(x, r.Y, end-x, paint.Cut(text, end-x), st)
		return
	}
	if problem := policyProblem(sc.Events); problem != "" {
		s.Text(x, r.Y, end-x, paint.Cut("policy: "+problem, end-x), theme.Bold(sc.Theme.Alert))
		return
	}
	for _, h := range sc.hints() {
		if x+paint.Width(h) > end {
			return
		}
		x += s.Text(x, r.Y, end-x, h, theme.FG(sc.Theme.Dim)) + 2
	}
}

// noticeAbove writes the beginning of a notice that is wider than w columns into the
// row of the closed prompt bar, if that says nothing that matters now, and returns
// the rest of it.
func (sc *scene) noticeAbove(s *paint.Surface, w int, st cells.Style) (rest string) {
	r := sc.layout.Prompt
	_, asks := sc.asking()
	if paint.Width(sc.notice.text) <= w || r.Empty() || sc.mode == modePrompt || sc.banner != "" || asks || len(sc.prompt.sending) > 0 {
		return sc.notice.text
	}
	if large(sc.overlay) { // it may lie over that row: the beginning says most
		return sc.notice.text
	}
	lines := modal.Wrap(sc.notice.text, r.W-1)
	if len(lines) == 0 {
		return sc.notice.text
	}
	s.Fill(r, cells.Style{})
	s.Text(r.X, r.Y, r.W, lines[0], st)
	return strings.Join(lines[1:], " ")
}

// chip says where keys go.
func (sc *scene) chip() (string, cells.Color) {
	switch {
	case sc.answering():
		if d, ok := sc.overlay.(answerBar); ok && d.question() {
			return " ANSWER ", sc.Theme.Input
		}
		return " ANSWER ", sc.Theme.Permission
	case sc.overlay != nil:
		return overlayChip(sc.overlay), sc.Theme.Accent
	case sc.mode == modePrefix:
		return " CCDIR ", sc.Theme.Input
	case sc.mode == modePrompt:
		return " PROMPT ", sc.Theme.Accent
	case sc.mode == modeEvents:
		return " EVENTS ", sc.Theme.Accent
	case sc.copying() != nil:
		return copyChip(sc.copying()), sc.Theme.Input
	case sc.ReadOnly:
		return " LOOK ", sc.Theme.Dim
	case len(sc.tiles) == 0:
		return " CCDIR ", sc.Theme.Input
	}
	return " PANE ", sc.Theme.Idle
}

// hints are the keys worth knowing now, the most needed first.
func (sc *scene) hints() []string {
	if sc.overlay != nil {
		return nil // dialogs say their keys themselves
	}
	if c := sc.copying(); c != nil && sc.mode == modePane {
		return sc.copyHints(c)
	}
	if sc.mode == modeEvents {
		return sc.eventHints()
	}
	if sc.mode == modePrompt {
		return sc.promptHints()
	}
	type hint struct {
		a    keymap.Action
		text string
	}
	show := []hint{
		{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.Prompt, "task"}, {keymap.List, "list"}, {keymap.FocusNext, "next"},
		{keymap.Zoom, "zoom"}, {keymap.NextLayout, "layout"}, {keymap.Attention, "answer"}, {keymap.Detach, "detach"},
		{keymap.Palette, "commands"}, {keymap.Explain, "why"}, {keymap.Kill, "kill"},
	}
	switch {
	case len(sc.panes) == 0:
		show = []hint{{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.Prompt, "task"}, {keymap.History, "history"}, {keymap.Queue, "queue"}, {keymap.Palette, "commands"}, {keymap.Detach, "detach"}}
	case sc.mode == modePane && len(sc.tiles) > 0:
		show = []hint{{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.List, "list"}, {keymap.Detach, "detach"}}
	}
	var out []string
	for _, h := range show {
		keys := sc.Keys.Of(h.a).Keys
		if len(keys) == 0 || sc.ReadOnly && slices.Contains([]keymap.Action{keymap.New, keymap.Prompt, keymap.Kill}, h.a) {
			continue
		}
		key := keys[0]
		if sc.mode != modePrefix && len(sc.tiles) > 0 {
			key = sc.Keys.Prefix() + " " + key
		}
		out = append(out, key+" "+h.text)
	}
	return out
}

// needs says which sessions need a person, in at most w columns: by name if there is
// room; "" if none does. Those that were put off don't count.
func (sc *scene) needs(w int) string {
	var names []string
	for _, v := range sc.panes {
		if v.Standing(v.PutOff(sc.Now)) == api.StandingAsks {
			names = append(names, textsafe.Line(v.Name))
		}
	}
	n := max(sc.waiting, len(names)) // hidden ones wait, too
	if n == 0 {
		return ""
	}
	verb := " need you "
	if n == 1 {
		verb = " needs you "
	}
	for k := len(names); k > 0; k-- {
		text := " " + strings.Join(names[:k], ", ")
		if left := n - k; left > 0 {
			text += fmt.Sprintf(" and %d more", left)
		}
		if text += verb; paint.Width(text) <= w {
			return text
		}
	}
	return fmt.Sprintf(" %d%s", n, verb)
}

// counts says which part of the sessions is in view, and what the queue does.
func (sc *scene) counts() string {
	var parts []string
	if sc.layout.Pages > 1 && !sc.zoomed {
		word := "page"
		if len(sc.layout.Panes) == 1 {
			word = "pane"
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d", word, sc.layout.Page+1, sc.layout.Pages))
	}
	if sc.zoomed {
		parts = append(parts, "zoomed")
	}
	n := map[api.Standing]int{}
	for _, v := range sc.panes {
		n[v.Standing(v.PutOff(sc.Now))]++
	}
	for _, st := range []struct {
		standing api.Standing
		words    string
	}{{api.StandingFailed, "failed"}, {api.StandingDone, "done"}, {api.StandingSnoozed, "snoozed"}} {
		if k := n[st.standing]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, st.words))
		}
	}
	if hidden := sc.total - len(sc.panes); hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden", hidden))
	}
	if len(sc.outside) > 0 {
		text := fmt.Sprintf("%d outside", len(sc.outside))
		if slices.ContainsFunc(sc.outside, func(v api.Session) bool { return v.State.NeedsPerson() }) {
			text += " " + sc.Theme.Sign(api.StandingAsks)
		}
		parts = append(parts, text)
	}
	if text := sc.Work.Counts(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// answering: the answer bar is open.
func (sc *scene) answering() bool { _, ok := sc.overlay.(answerBar); return ok }

// drawEmpty is the screen without sessions.
func (sc *scene) drawEmpty(s *paint.Surface) {
	left := sc.layout.Column().W
	w := sc.Cols - left
	h := sc.Rows - sc.layout.Prompt.H - sc.layout.Status.H
	lines := sc.emptyLines(max(1, w-2), h)
	y := max(0, (h-len(lines))/2)
	for i, l := range lines {
		if y+i >= h {
			return
		}
		st := cells.Style{}
		switch {
		case l == emptyTitle:
			st = theme.Bold(sc.Theme.Accent)
		case strings.HasPrefix(l, "!"):
			l, st = l[1:], theme.FG(sc.Theme.Input)
		}
		s.Text(left+max(0, (w-paint.Width(l))/2), y+i, w, l, st)
	}
}

const emptyTitle = "ccdir"

// emptyLines are what the empty screen says, in lines of at most w columns, and in few
// words where h are not enough for it; warnings begin with "!".
func (sc *scene) emptyLines(w, h int) []string {
	out := []string{emptyTitle}
	add := func(sign, text string) {
		for _, l := range modal.Wrap(text, w) {
			out = append(out, sign+l)
		}
	}
	gap := func() {
		if sc.Rows >= 14 {
			out = append(out, "")
		}
	}
	gap()
	switch {
	case !sc.Loaded:
		add("", "asking the daemon…")
	case sc.total > 0 && sc.hidden == 0:
		add("", fmt.Sprintf("%s hidden.", format.Plural(sc.total, "ended session is", "ended sessions are")))
		add("", "Press "+sc.key(keymap.HideEnded)+" to show them.")
	case sc.total > 0:
		add("", fmt.Sprintf("%s hidden.", format.Plural(sc.total, "session is", "sessions are")))
		add("", "Press "+sc.key(keymap.ShowAll)+" to show what you hid, "+sc.key(keymap.List)+" to list all.")
	case sc.ReadOnly:
		add("", "No sessions.")
	default:
		add("", "No sessions yet.")
		add("", "Press "+sc.key(keymap.New)+" to start one, "+sc.key(keymap.Prompt)+" to type a task for a new one,")
		add("", sc.key(keymap.Help)+" for all keys, "+sc.key(keymap.Detach)+" to leave.")
		if missing := missingAgents(sc.Agents); missing != "" {
			gap()
			add("!", missing)
			add("", "The demo agent shows what ccdir does: it is offered under "+sc.key(keymap.New)+".")
			if len(out) > h {
				out = nil
				add("", "Press "+sc.key(keymap.New)+" to start a session, "+sc.key(keymap.Help)+" for all keys.")
				add("!", missing)
				add("", sc.key(keymap.New)+" offers a demo agent, too.")
			}
		}
	}
	return out
}

// key is the key of an action on the empty screen, where no prefix is needed.
func (sc *scene) key(a keymap.Action) string {
	if keys := sc.Keys.Of(a).Keys; len(keys) > 0 {
		return keys[0]
	}
	return string(a)
}

// missingAgents says that the default agent is not installed, "" if it is.
func missingAgents(agents []api.AgentInfo) string {
	for _, a := range agents {
		if a.Default && a.Path == "" {
			text := textsafe.Line(a.Name) + " is not installed"
			if a.Hint != "" {
				text += ": " + textsafe.Line(a.Hint)
			}
			return text
		}
	}
	return ""
}
