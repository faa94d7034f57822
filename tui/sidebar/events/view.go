package events

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// Draw draws the list where the sidebar has its place, newest last.
func (l List) Draw(env ui.Env, s *paint.Surface) {
	r := env.EventsAt
	dim := theme.FG(env.Theme.Dim)
	s.Fill(r, cells.Style{})
	if r.Y > 0 {
		s.Line(r, paint.Light, dim)
	}
	in, st := inside(r), dim
	if env.InEvents {
		st = theme.Bold(env.Theme.Accent)
	}
	before, after := l.title(env)
	x := headingAt(r)
	s.Text(x, r.Y, r.X+r.W-x, paint.Cut(before+after, r.X+r.W-x), st)
	l.drawRows(env, s, in)
	if n := l.newer(env); n > 0 {
		text := l.newerText(n)
		w := min(paint.Width(text), r.W-2)
		s.Text(r.X+r.W-w, r.Y+r.H-1, w, text, env.Theme.Chip(env.Theme.Input))
	}
	if len(l.rows.all) == 0 {
		s.Text(in.X+1, in.Y, in.W-1, paint.Cut(l.nothing(env), in.W-1), dim)
	}
}

// headingAt is the column of the heading: in the rule above the events, or without one at
// the top of the screen.
func headingAt(r paint.Rect) int { return r.X + min(r.Y, 1) }

// inside is where the rows go: below the heading, a blank column at the left.
func inside(r paint.Rect) paint.Rect {
	return paint.Rect{X: r.X + 1, Y: r.Y + 1, W: max(0, r.W-1), H: max(0, r.H-1)}
}

func (l List) drawRows(env ui.Env, s *paint.Surface, in paint.Rect) {
	shown, at := l.shown(env), l.at()
	names := namesWidth(env, shown)
	for i, h := range shown {
		row := paint.Rect{X: in.X, Y: in.Y + i, W: in.W, H: 1}
		if l.words() {
			drawHappening(env, s, row, h, names)
		} else {
			drawEvent(env, s, row, h.Event, names)
		}
		if env.InEvents && h.Event.Seq == l.rows.all[at].Event.Seq {
			s.Restyle(row.X, row.Y, row.W, theme.Selected)
		}
	}
}

// nothing says why there are no rows.
func (l List) nothing(env ui.Env) string {
	switch {
	case l.past.looking:
		return "looking in the log…"
	case l.typing:
		return "nothing newer: Enter looks in the log"
	case len(env.Events) > 0 && l.after == 0 && l.news(env):
		return "no news; " + env.Keys.Hint(keymap.Events) + " shows all"
	case len(env.Events) > 0:
		return "nothing to show: cleared or filtered"
	}
	return "nothing has happened yet"
}

// title says what the list shows and leaves out, before and after the place where the
// filter is typed.
func (l List) title(env ui.Env) (text, after string) {
	text = " since " + l.since(env) + " "
	if !l.words() {
		text = " events "
	}
	if l.session != "" {
		text += "of " + env.SessionName(l.session) + " "
	}
	if l.kind != "" {
		text += textsafe.Line(l.kind) + " "
	}
	if l.typing || !l.find.Empty() {
		before, rest := l.find.Parts()
		text += "/" + textsafe.Line(before)
		after = textsafe.Line(rest) + " "
	}
	if l.paused {
		after += "· paused "
	}
	return text, after
}

// newer is how many rows are newer than those in view.
func (l List) newer(env ui.Env) int {
	_, end := l.view(env)
	return len(l.rows.all) - end + l.rows.held
}

// newerText says that the list does not follow.
func (l List) newerText(n int) string {
	more := ""
	if l.rows.more {
		more = "+"
	}
	return fmt.Sprintf(" %d%s newer ↓ ", n, more)
}

// since is when the oldest row that is kept happened.
func (l List) since(env ui.Env) string {
	if len(l.rows.all) == 0 {
		return "now"
	}
	at := l.rows.all[0].Event.At
	if env.Now.Sub(at) < 24*time.Hour {
		return at.Local().Format("15:04")
	}
	return format.Clock(env.Now, at)
}

// Cursor is the terminal's cursor while the events have the keyboard: in the filter,
// where that is typed.
func (l List) Cursor(env ui.Env) paint.Cursor {
	r := env.EventsAt
	if !l.typing || r.Empty() {
		return paint.Cursor{}
	}
	text, _ := l.title(env)
	return paint.Cursor{X: min(headingAt(r)+paint.Width(text), r.X+r.W-1), Y: r.Y, Visible: true}
}

// Hints are the keys worth knowing while the events have the keyboard.
func (l List) Hints(env ui.Env) (out []string) {
	if l.typing {
		return []string{"Enter keeps the filter", "Esc drops it"}
	}
	for _, h := range []struct {
		a    keymap.Action
		text string
	}{{keymap.EventsGo, "go"}, {keymap.EventsDetail, "detail"}, {keymap.EventsFilter, "filter"}, {keymap.EventsSession, "session"}, {keymap.EventsKind, "kind"},
		{keymap.EventsRaw, "raw"}, {keymap.EventsPause, "pause"}, {keymap.EventsClear, "clear"}, {keymap.EventsLeave, "back"}} {
		if keys := env.Keys.Of(h.a).Keys; len(keys) > 0 {
			out = append(out, modal.ShortKey(keys[0])+" "+h.text)
		}
	}
	return out
}

// NextWake is when the first age in view changes.
func (l List) NextWake(env ui.Env) time.Time {
	if l.words() { // they have clocks
		return time.Time{}
	}
	var all []time.Time
	for _, r := range l.shown(env) {
		all = append(all, r.Event.At)
	}
	return format.NextAge(env.Now, all...)
}

// shown are the rows that there is room for, oldest first: the newest ones, or those
// around the selected one.
func (l List) shown(env ui.Env) []happenings.Row {
	begin, end := l.view(env)
	return l.rows.all[begin:end]
}

// view are the indexes of the first row in view and of the one behind the last.
func (l List) view(env ui.Env) (begin, end int) {
	n := min(max(0, env.EventsAt.H-1), len(l.rows.all))
	end = len(l.rows.all)
	if at := l.at(); l.sel != 0 && at >= 0 {
		end = min(max(at+n/2+1, n), end)
	}
	return end - n, end
}

const (
	// nameWidth is the most that the column of session names takes.
	nameWidth = 8
	// wideFrom is the width from which the state that came of an event has its sign at
	// the end of the row, as elsewhere. In a narrower list that would be the room of the
	// message: there it is a glyph behind the time.
	wideFrom = 56
	// leastKind is what a row leaves of an event's type at least, leastMessage what it
	// leaves of the message before the type is cut.
	leastKind, leastMessage = 8, 4
)

// namesWidth is the width of the column of session names.
func namesWidth(env ui.Env, shown []happenings.Row) (w int) {
	for i := range shown {
		w = max(w, min(nameWidth, paint.Width(nameOf(env, &shown[i].Event))))
	}
	return w
}

// nameOf is whose event it is: a session's, or a node's; "" if it is this machine's.
func nameOf(env ui.Env, e *api.Event) string {
	return textsafe.Line(cmp.Or(env.Names[e.Session], e.Session, e.Node))
}

// drawHappening draws a row: clock, session, and what happened.
func drawHappening(env ui.Env, s *paint.Surface, r paint.Rect, row happenings.Row, names int) {
	x, end := r.X, r.X+r.W
	x += s.Text(x, r.Y, end-x, row.Event.At.Local().Format("15:04")+" ", theme.FG(env.Theme.Dim))
	if x < end && names > 0 {
		s.Text(x, r.Y, end-x, paint.Cut(nameOf(env, &row.Event), min(names, end-x)), cells.Style{Attrs: cells.Bold})
		x += names + 1
	}
	if x >= end {
		return
	}
	s.Text(x, r.Y, end-x, paint.Cut(textsafe.Line(row.Text), end-x), rowStyle(env, &row))
}

// rowStyle is how what happened looks.
func rowStyle(env ui.Env, row *happenings.Row) cells.Style {
	if row.Standing != "" && row.Standing != api.StandingEnded {
		return theme.FG(env.Theme.Standing(row.Standing))
	}
	return theme.FG(env.Theme.Dim)
}

// drawEvent draws a row: age, state that came of it, session, type and message. names is
// the width of the sessions' column.
func drawEvent(env ui.Env, s *paint.Surface, r paint.Rect, e api.Event, names int) {
	st := theme.FG(env.Theme.Event(e))
	strong := st
	strong.Attrs |= cells.Bold
	change := ""
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = env.Theme.Sign(e.StateTo.Standing())
	}
	x, end := r.X, r.X+r.W
	if r.W < wideFrom {
		x += s.Text(x, r.Y, end-x, fmt.Sprintf("%3s ", format.ShortAge(env.Now, e.At)), theme.FG(env.Theme.Dim))
		s.Text(x, r.Y, end-x, strings.Trim(change, "[]"), strong)
		x, change = x+3, ""
	} else {
		x += s.Text(x, r.Y, end-x, fmt.Sprintf("%5s ", format.Age(env.Now, e.At)), theme.FG(env.Theme.Dim))
	}
	if narrow := r.W < wideFrom; x < end && names > 0 && (e.Session != "" || e.Node != "" || !narrow) {
		s.Text(x, r.Y, end-x, paint.Cut(nameOf(env, &e), min(names, end-x)), cells.Style{})
		x += names + 1
	}
	if x >= end {
		return
	}
	room := end - x
	if w := paint.Width(change); w > 0 {
		s.Text(end-w, r.Y, w, change, strong)
		room -= w + 1
	}
	s.Text(x, r.Y, room, paint.Cut(kindAndText(e, room), room), st)
}

// kindAndText is an event's type and message for w columns. Where there is no room for
// both, the type is cut before the message is.
func kindAndText(e api.Event, w int) string {
	kind, message := textsafe.Line(e.Type), textsafe.Line(e.Message)
	if message == "" {
		return kind
	}
	if least := min(paint.Width(message), leastMessage); paint.Width(kind)+1+least > w {
		kind = paint.Cut(kind, min(leastKind, w/2))
	}
	return kind + " " + message
}
