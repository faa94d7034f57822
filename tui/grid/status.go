package grid

import (
	"fmt"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/paint"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// DrawStatus draws the last line: the chip that says where keys go, a notice or the most
// needed keys, and what the sessions do.
func (p Picture) DrawStatus(s *paint.Surface, st Status) {
	r := p.Layout.Status
	if r.Empty() {
		return
	}
	s.Text(r.X, r.Y, r.W, paint.Cut(st.Chip, r.W), p.Theme.Chip(st.Color))
	x, end, need := p.statusParts(st.Chip)
	if need != "" {
		s.Text(end, r.Y, paint.Width(need), need, p.Theme.Chip(p.Theme.Input))
		end--
	}
	right := p.counts()
	if w := paint.Width(right); x+w+1 < end && st.Notice == "" {
		s.Text(end-w, r.Y, w, right, theme.FG(p.Theme.Dim))
		end -= w + 1
	}
	if st.Notice == "" {
		end = p.drawLimits(s, r, x, end)
	}
	if st.Progress != nil {
		x += st.Progress.Draw(p.Env, s, x, r.Y, end-x) + 1
	}
	if st.Notice != "" {
		style := cells.Style{Attrs: cells.Bold}
		if st.Alert {
			style = theme.Bold(p.Theme.Alert)
		}
		text := p.spill(s, st, end-x, style)
		s.Text(x, r.Y, end-x, paint.Cut(text, end-x), style)
		return
	}
	if problem := p.problem(); problem != "" {
		s.Text(x, r.Y, end-x, paint.Cut(problem, end-x), theme.Bold(p.Theme.Alert))
		return
	}
	for _, h := range st.Hints {
		if x+paint.Width(h) > end-1 {
			return
		}
		x += s.Text(x, r.Y, end-x, h, theme.FG(p.Theme.Dim)) + 2
	}
}

// drawLimits writes what is used of the limits of the focused session's account, left of end where
// there is room beside the hints, and returns the new end: in amber what will not last at this pace,
// in red what is used up.
func (p Picture) drawLimits(s *paint.Surface, r paint.Rect, x, end int) int {
	v := p.Session(p.Focus)
	if v == nil {
		return end
	}
	for _, w := range slices.Backward(p.Limits.Of(*v)) {
		text := w.Short(p.Now)
		width := paint.Width(text)
		if text == "" || x+width+leastHints > end {
			continue
		}
		style := theme.FG(p.Theme.Dim)
		switch w.Pace {
		case api.PaceQuick:
			style = theme.FG(p.Theme.Input)
		case api.PaceSpent:
			style = theme.Bold(p.Theme.Alert)
		}
		s.Text(end-width, r.Y, width, text, style)
		end -= width + 3
	}
	return end
}

// leastHints is the room that limits leave to the hints of keys, in columns.
const leastHints = 24

// statusParts are where the status line goes on after the chip, and where it says at the
// right who needs a person.
func (p Picture) statusParts(chip string) (x, end int, need string) {
	r := p.Layout.Status
	x, end = r.X+min(paint.Width(chip), r.W)+1, r.X+r.W
	if need = p.needs((end - x) / 2); need == "" || x+paint.Width(need)+1 >= end {
		return x, end, ""
	}
	return x, end - paint.Width(need), need
}

// NeedsAt reports whether the status line says at a cell of the screen who needs a person.
func (p Picture) NeedsAt(chip string, x, y int) bool {
	r := p.Layout.Status
	_, from, need := p.statusParts(chip)
	return need != "" && r.Contains(x, y) && x >= from
}

// spill writes the beginning of a notice that is wider than w columns into the row above,
// if that says nothing that matters now, and returns the rest of it.
func (p Picture) spill(s *paint.Surface, st Status, w int, style cells.Style) (rest string) {
	r := p.Layout.Prompt
	if paint.Width(st.Notice) <= w || r.Empty() || !st.Spills {
		return st.Notice
	}
	lines := modal.Wrap(st.Notice, r.W-1)
	if len(lines) == 0 {
		return st.Notice
	}
	s.Fill(r, cells.Style{})
	s.Text(r.X, r.Y, r.W, lines[0], style)
	return strings.Join(lines[1:], " ")
}

// problem is a lasting problem that a person has to mend; "" for none.
func (p Picture) problem() string {
	if p.Server.Unsaved != "" {
		return "not saved: " + textsafe.Line(p.Server.Unsaved)
	}
	if problem := policyProblem(p.Events); problem != "" {
		return "policy: " + problem
	}
	return ""
}

// needs says which sessions need a person, in at most w columns: by name if there is
// room; "" if none does. Those that were put off don't count.
func (p Picture) needs(w int) string {
	var names []string
	for _, v := range p.Shown {
		if v.Standing(p.Now) == api.StandingAsks {
			names = append(names, textsafe.Line(v.Name))
		}
	}
	n := max(p.Facts.Waiting, len(names)) // hidden ones wait, too
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
func (p Picture) counts() string {
	var parts []string
	if name := sessionlist.ScopeName(p.List.Scope); name != "" {
		parts = append(parts, "only "+name+" ("+p.Keys.Hint(keymap.Scope)+" leaves)")
	}
	if p.Layout.Pages > 1 && !p.Zoomed {
		word := "page"
		if len(p.Layout.Panes) == 1 {
			word = "pane"
		}
		parts = append(parts, fmt.Sprintf("%s %d/%d", word, p.Layout.Page+1, p.Layout.Pages))
	}
	if p.Zoomed {
		parts = append(parts, "zoomed")
	}
	n := map[api.Standing]int{}
	for _, v := range p.Shown {
		if !p.Work.Has(v) {
			n[v.Standing(p.Now)]++
		}
	}
	for _, st := range []struct {
		standing api.Standing
		words    string
	}{{api.StandingFailed, "failed"}, {api.StandingDone, "done"}, {api.StandingSnoozed, "snoozed"}} {
		if k := n[st.standing]; k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, st.words))
		}
	}
	if hidden := p.Total - len(p.Shown); hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden", hidden))
	}
	if len(p.Outside) > 0 {
		text := fmt.Sprintf("%d outside", len(p.Outside))
		if slices.ContainsFunc(p.Outside, func(v api.Session) bool { return v.State.NeedsPerson() }) {
			text += " " + p.Theme.Sign(api.StandingAsks)
		}
		parts = append(parts, text)
	}
	if text := p.Work.Counts(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// policyProblem is the problem of the policy, as the newest event about it
// says; "" for nothing.
func policyProblem(events []api.Event) string {
	for i := len(events) - 1; i >= 0; i-- {
		switch events[i].Type {
		case api.EventPolicyError:
			return textsafe.Line(events[i].Message)
		case api.EventPolicyLoaded, api.EventDaemonStarted:
			return ""
		}
	}
	return ""
}
