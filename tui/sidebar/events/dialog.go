package events

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/event"
	"ccdir/tui/lists"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// over is the list where the terminal has no room for the sidebar: the same events,
// filters and keys. The sidebar gets what a person does with it.
type over struct{ list List }

// Over lists the events over the panes, the newest one chosen.
func (l List) Over(env ui.Env) ui.Component {
	l.over = true
	l = l.Fresh(env)
	d := lists.Dialog{Rows: over{l}}
	if n := len(l.rows.all); n > 0 {
		d.View.ID = idOf(&l.rows.all[n-1])
	}
	return d
}

func idOf(r *happenings.Row) string { return strconv.FormatInt(r.Event.Seq, 10) }

func (d over) Mode() keymap.Mode { return keymap.ModeEvents }

// row finds one by its id.
func (d over) row(id string) (e api.Event, ok bool) {
	i := slices.IndexFunc(d.list.rows.all, func(r happenings.Row) bool { return idOf(&r) == id })
	if i < 0 {
		return e, false
	}
	return d.list.rows.all[i].Event, true
}

// Move: where the newest row was chosen, the newest is.
func (d over) Move(before lists.Rows, v listbox.View) listbox.View {
	was, ok := before.(over)
	if was, now := was.list.rows.all, d.list.rows.all; ok && len(now) > 0 && (len(was) == 0 || v.ID == idOf(&was[len(was)-1])) {
		v.ID = idOf(&now[len(now)-1])
	}
	return v
}

// newer says how many rows are newer than those in view, "" if there are none.
func (d over) newer(env ui.Env, v listbox.View, c listbox.Content) string {
	n, all := d.list.rows.held, len(d.list.rows.all)
	if v.Query.Empty() {
		c.Note = " " // it takes a row
		page := v.Plan(env.Screen(), c).Page()
		_, at := v.Rows(c)
		n += max(0, all-page-max(0, min(at-page/2, all-page)))
	}
	if n == 0 {
		return ""
	}
	return modal.Styled(d.list.newerText(n), env.Theme.Chip(env.Theme.Input))
}

// Content lists what the filters let through.
func (d over) Content(env ui.Env, v listbox.View) listbox.Content {
	d.list = d.list.Fresh(env)
	before, after := d.list.title(env)
	c := listbox.Content{
		Title: strings.TrimSpace(before + after), Hint: "filter by session, kind or text", Empty: "Nothing has happened yet, or it was cleared or filtered away.",
		Keys: []keymap.Named{keymap.EventsLeave.As("close"), keymap.EventsDetail.As("whole"), keymap.EventsGo.As("pane"), keymap.EventsFilter.As("filter"), keymap.EventsPick.As("of whom"),
			keymap.EventsSession.As("its session"), keymap.EventsKind.As("its kind"), keymap.EventsRaw.As("raw"), keymap.EventsPause.As("pause"), keymap.EventsClear.As("clear")},
		DetailKeys: []keymap.Named{keymap.EventsLeave.As("back"), keymap.EventsGo.As("pane")},
	}
	all := d.list.rows.all
	names := namesWidth(env, all)
	c.Items = make([]listbox.Item, 0, len(all))
	for i := range all {
		row, e := &all[i], &all[i].Event
		item := listbox.Item{ID: idOf(row), Match: func() string {
			return env.Names[e.Session] + " " + e.Node + " " + e.Type + " " + e.Message + " " + row.Text
		}}
		if item.Line = func(w int) string { return line(env, e, w, names) }; d.list.words() {
			item.Line = func(w int) string { return told(env, row, w, names) }
		}
		c.Items = append(c.Items, item)
	}
	c.Note = d.newer(env, v, c)
	c.Detail = func(id string, w int) []string {
		if e, ok := d.row(id); ok {
			return event.Lines(env.Theme, e, w)
		}
		return nil
	}
	return c
}

// told is a row in words: clock, session, and what happened.
func told(env ui.Env, row *happenings.Row, w, names int) string {
	return modal.Columns(w, modal.Column(row.Event.At.Local().Format("15:04"), 5, theme.FG(env.Theme.Dim)), modal.Column(nameOf(env, &row.Event), max(1, names), cells.Style{Attrs: cells.Bold}),
		modal.Column(textsafe.Line(row.Text), 0, rowStyle(env, row)))
}

// line is a row: how long ago, session, state that came of it, kind and text. In a
// narrow list the state is a glyph behind the time, as in the sidebar, and the sessions
// have names columns.
func line(env ui.Env, e *api.Event, w, names int) string {
	name, change := nameOf(env, e), ""
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = env.Theme.Sign(e.StateTo.Standing())
	}
	st, dim := theme.FG(env.Theme.Event(*e)), theme.FG(env.Theme.Dim)
	if w < wideFrom {
		names = max(1, names)
		return modal.Columns(w, modal.Column(fmt.Sprintf("%3s", format.ShortAge(env.Now, e.At)), 3, dim), modal.Column(strings.Trim(change, "[]"), 2, st),
			modal.Column(name, names, cells.Style{}), modal.Column(kindAndText(*e, w-names-8), 0, st))
	}
	return modal.Columns(w, modal.Column(format.Age(env.Now, e.At), 5, dim), modal.Column(name, lists.NameWidth, cells.Style{}), modal.Column(change, 4, st),
		modal.Column(textsafe.Line(strings.TrimSpace(e.Type+" "+e.Message)), 0, st))
}

// moves are the actions of lists for those of the sidebar.
var moves = map[keymap.Action]keymap.Action{
	keymap.EventsUp: keymap.ViewUp, keymap.EventsDown: keymap.ViewDown, keymap.EventsPageUp: keymap.ViewPageUp, keymap.EventsPageDn: keymap.ViewPageDown,
	keymap.EventsFirst: keymap.ViewFirst, keymap.EventsLast: keymap.ViewLast, keymap.EventsFilter: keymap.ViewFilter, keymap.EventsDetail: keymap.ViewOpen,
	keymap.EventsLeave: keymap.ViewClose,
}

// Translate makes the sidebar's actions those of a list.
func (d over) Translate(a keymap.Action) keymap.Action {
	if move, ok := moves[a]; ok {
		return move
	}
	return a
}

// Act runs the actions of the sidebar's list.
func (d over) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	d.list = d.list.Fresh(env)
	if a == keymap.ViewClose && d.list.narrow() && !l.View.Open && l.View.Query.Empty() {
		return d.became(l, d.list.wide(), nil)
	}
	e, _ := d.row(id)
	next, effects, taken := d.list.act(env, a, e)
	if !taken {
		return l, nil, false
	}
	if a == keymap.EventsGo { // the focus closes it
		effects = goTo(env, e)
	}
	return d.became(l, next, effects)
}

// became is the dialog with another list, which the sidebar gets too.
func (d over) became(l lists.Dialog, next List, effects []ui.Effect) (lists.Dialog, []ui.Effect, bool) {
	return l.With(over{next}), append(effects, ui.Tell{To: ui.Sidebar, Value: next}), true
}

// Refresh follows the events.
func (d over) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	next, effects := d.list.Refresh(env)
	return over{next}, effects
}

// Receive takes an answer, of the log or of the menu of sessions.
func (d over) Receive(env ui.Env, l lists.Dialog, value any, _ error) (lists.Dialog, []ui.Effect) {
	return l.With(over{d.list.Receive(env, value)}), nil
}

// NextWake is when the newest row's age changes.
func (d over) NextWake(env ui.Env) time.Time {
	if n := len(d.list.rows.all); n > 0 {
		return format.NextAge(env.Now, d.list.rows.all[n-1].Event.At)
	}
	return time.Time{}
}
