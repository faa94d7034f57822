package answer

import (
	"slices"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/answer/request"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// footLine is a line below the input; pick is the number of the choice that it is,
// 0 if it is none. keys: it names keys, which a click presses; other lines may have
// words of the session's.
type footLine struct {
	text              string
	mark, faint, keys bool
	pick              int
}

// flowed are items in lines of at most w columns.
func flowed(w int, items ...string) (out []footLine) {
	for _, l := range modal.Flow(items, w) {
		out = append(out, footLine{text: paint.Cut(l, w), keys: true})
	}
	return out
}

// brief are the long items if they fit into one line, else the short ones.
func brief(w int, long, short []string) []footLine {
	if out := flowed(w, long...); len(out) == 1 {
		return out
	}
	return flowed(w, short...)
}

// said is text in lines of at most w columns.
func said(text string, w int) (out []footLine) {
	for _, l := range modal.Wrap(text, w) {
		out = append(out, footLine{text: l})
	}
	return out
}

// foot are the lines below the choices, of at most w columns: the keys that work, or a problem.
func (d bar) foot(env ui.Env, w int) []footLine {
	out := said(d.problem, w)
	switch d.step {
	case stepOver:
		return said(d.over, w)
	case stepSending:
		return flowed(w, "answering…", "Esc closes, and the answer goes on")
	case stepMessage:
		return append(out, brief(w, []string{"Enter refuses, with that message if there is one", "C-j new line", "Esc back"}, []string{"Enter refuses", "C-j line", "Esc back"})...)
	case stepEdit:
		return append(out, brief(w, []string{"Enter allows this command instead, once", "C-j new line", "Esc back"}, []string{"Enter allows", "C-j line", "Esc back"})...)
	case stepText:
		return append(out, brief(w, []string{"Enter answers", "C-j new line", "Esc back"}, []string{"Enter answers", "C-j line", "Esc back"})...)
	case stepAlways:
		return append(out, d.footAlways(env, w)...)
	}
	out = append(out, d.footKeys(env, w)...)
	if d.req.Kind == api.RequestPlan && env.Rows >= smallBar {
		out = append(out, flowed(w, planModes(d.req)...)...)
	}
	if d.req.AlwaysRule == "" || d.question() || d.problem != "" && env.Rows < smallBar {
		return out
	}
	text := "always means: " + textsafe.Line(d.req.AlwaysRule)
	if n := len(rulesOf(d.req)) * len(scopesOf(d.req)); n > 1 {
		text += " (or more: choose among " + strconv.Itoa(n) + ")"
	}
	for _, l := range alwaysLines(text, w) {
		out = append(out, footLine{text: l, faint: true})
	}
	return out
}

// planModes say what can follow a yes that is given here. A yes without a number is the first.
func planModes(r api.Request) []string {
	if len(r.Modes) == 0 {
		return []string{"yes begins in the agent's usual mode; the pane offers others"}
	}
	out := make([]string, len(r.Modes))
	for i, mode := range r.Modes {
		out[i] = modal.KeyIn(strconv.Itoa(i+1), "yes, in "+request.ModeWords(mode))
	}
	return out
}

// picks are the choices, in at most room lines of at most w columns: all of them whole if
// there is room, else the marked one whole and as many others as there is room for; some
// reports that not all are in view.
func (d bar) picks(env ui.Env, w, room int) (out []footLine, some bool) {
	all := d.offered(env)
	for _, whole := range []bool{true, false} {
		out = nil
		for i, o := range all {
			out = append(out, o.lines(i, w, whole || i == d.sel)...)
		}
		if len(out) <= room {
			return out, false
		}
	}
	first := max(0, slices.IndexFunc(out, func(l footLine) bool { return l.pick == d.sel+1 }))
	last := first
	for last+1 < len(out) && out[last+1].pick == d.sel+1 {
		last++
	}
	top := max(0, min(first, last+1-room))
	return out[top:min(len(out), top+max(0, room))], true
}

// offer is one of the choices: what stands before it, its words, and what is said of it.
type offer struct {
	mark, text, about string
	here              bool
}

// lines are those of the choice of number i, at most w columns wide: whole, or one line.
func (o offer) lines(i, w int, whole bool) (out []footLine) {
	before := pointer(o.here) + strconv.Itoa(i+1) + " " + o.mark
	indent := paint.Width(before)
	text := modal.Wrap(o.text, max(1, w-indent))
	if !whole && len(text) > 1 {
		text = []string{paint.Cut(o.text, max(1, w-indent))}
	}
	for j, l := range text {
		if j > 0 {
			before = strings.Repeat(" ", indent)
		}
		out = append(out, footLine{text: paint.Cut(before+l, w), mark: o.here, pick: i + 1})
	}
	if whole {
		for _, l := range modal.Wrap(o.about, max(1, w-indent)) {
			out = append(out, footLine{text: paint.Cut(strings.Repeat(" ", indent)+l, w), faint: true, pick: i + 1})
		}
	}
	return out
}

// offered are the choices that the step has: those of a question, or the rules of an approval
// that lasts.
func (d bar) offered(env ui.Env) (out []offer) {
	switch {
	case d.step == stepAlways:
		for i, rule := range rulesOf(d.req) {
			out = append(out, offer{text: textsafe.Line(rule), here: i == d.sel})
		}
	case d.step == stepChoose && d.paged():
		return d.pageOffers(env)
	case d.step == stepChoose && d.answerable():
		about := request.Described(d.req)
		for i, c := range d.req.Choices {
			o := offer{text: textsafe.Line(c), here: i == d.sel}
			if d.req.Multiple {
				o.mark = env.Theme.Choice(slices.Contains(d.picked, i)) + " "
			}
			if about != nil {
				o.about = about[i]
			}
			out = append(out, o)
		}
	}
	return out
}

func pointer(here bool) string {
	if here {
		return "▸ "
	}
	return "  "
}

// footKeys are the keys that decide: in few words where many would take three lines.
func (d bar) footKeys(env ui.Env, w int) []footLine {
	if d.paged() {
		long, short := d.pageKeys(env)
		if out := flowed(w, long...); len(out) < 3 {
			return out
		}
		return flowed(w, short...)
	}
	var long, short []string
	add := func(a keymap.Action, text, few string) {
		if keys := env.Keys.Of(a).Keys; len(keys) > 0 {
			long, short = append(long, modal.KeyIn(keys[0], text)), append(short, modal.KeyIn(keys[0], few))
		}
	}
	switch {
	case d.answerable() && len(d.req.Choices) > 0:
		long, short = append(long, "↑ ↓ choose", "Enter answers"), append(short, "↑ ↓", "Enter")
	case !d.question():
		add(keymap.AnswerYes, "yes", "yes")
	}
	add(keymap.AnswerNo, "no", "no")
	if d.req.AlwaysRule != "" && !d.question() {
		add(keymap.AnswerAlways, "always", "always")
	}
	switch {
	case d.inWords() && len(d.req.Choices) > 0:
		add(keymap.AnswerEdit, "else, in words", "else")
	case d.inWords():
		add(keymap.AnswerEdit, "edit an answer", "edit")
	case d.req.Editable && !d.question():
		add(keymap.AnswerEdit, "edit", "edit")
	}
	if d.req.Kind == api.RequestPlan {
		add(keymap.AnswerReview, "view: comment on its lines", "view")
	}
	if n := len(alike(env.Requests, d.req)); n > 1 && !d.question() {
		add(keymap.AnswerAll, "All "+strconv.Itoa(n)+" like this", "All "+strconv.Itoa(n))
	}
	if d.req.Origin != api.OriginMCP {
		add(keymap.AnswerPane, "open the pane", "open")
	}
	if n := d.beside(env); n > 0 {
		add(keymap.AnswerNext, "next of "+strconv.Itoa(n)+" more", "next")
	}
	if d.snoozed(env) {
		add(keymap.AnswerSnooze, "snooze no longer", "snooze off")
	} else {
		add(keymap.AnswerSnooze, "snooze", "snooze")
	}
	if out := flowed(w, append(long, "Esc later")...); len(out) < 3 {
		return out
	}
	return flowed(w, append(short, "Esc")...)
}
