// Package sessions lists the sessions: over the panes, or in a column beside them. It
// owns the marks; order, groups and what is hidden are the grid's, which it asks to change
// them. It opens questions and details about sessions.
package sessions

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/dialogs/confirm"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/dialogs/marks"
	"ccdir/tui/dialogs/rename"
	"ccdir/tui/lists"
	"ccdir/tui/lists/sessionlist"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
)

// rows are the sessions. Maps are replaced, never changed in place.
type rows struct {
	marked map[string]bool // by id
	// swept are those of marked that were marked with all others: a text goes to the
	// agents among them only.
	swept map[string]bool
	idle  bool // the keyboard is elsewhere
	// places are those that the sessions had when the list got the keyboard, in the order
	// sort: a row that one aims at does not move.
	places map[string]int
	sort   string
}

// source is the input of the list.
func (d rows) source(env ui.Env) sessionlist.Source {
	src := env.List
	if !d.idle && d.sort == src.Opt.Sort {
		src.Places = d.places
	}
	return src
}

// held keeps the places that the sessions have.
func (d rows) held(env ui.Env) rows {
	d.places, d.sort = env.List.Kept(), env.List.Opt.Sort
	return d
}

// cleared says that something was done with the marked ones.
type cleared struct{}

// New lists the sessions that match a filter; the one that needs a person most is chosen.
func New(env ui.Env, filter string) lists.Dialog {
	d := lists.Dialog{Rows: rows{}.held(env), View: listbox.View{Query: edit.NewLine(filter)}}
	d.View = d.View.Settled(d.Rows.Content(env, d.View))
	return d
}

// Column is the list in its column while the keyboard is elsewhere.
func Column(env ui.Env) lists.Dialog {
	return lists.Dialog{Rows: rows{idle: true}, View: listbox.View{ID: env.Under()}}
}

// Taken is that list when the keyboard comes to it and the choice moves by n rows.
func Taken(env ui.Env, n int) lists.Dialog {
	d := Column(env)
	d.View = d.View.Settled(d.Rows.Content(env, d.View))
	return d.Chosen(env, n).With(rows{}.held(env))
}

// At is the session at a cell of the column, "" if there is none.
func At(env ui.Env, x, y int) string {
	d := Column(env)
	c := d.Rows.Content(env, d.View)
	return d.View.RowAt(c, d.View.Plan(env.Screen(), c), x, y)
}

func (d rows) Mode() keymap.Mode { return keymap.ModeList }

// Menu is the menu of a session, for a click of the right button.
func (d rows) Menu() keymap.Action { return keymap.ListMenu }

// Chip is the component's name in the status line.
func (d rows) Chip() string { return "LIST" }

// moves are the actions of all lists for those of the session list.
var moves = map[keymap.Action]keymap.Action{
	keymap.ListUp: keymap.ViewUp, keymap.ListDown: keymap.ViewDown, keymap.ListPageUp: keymap.ViewPageUp, keymap.ListPageDown: keymap.ViewPageDown,
	keymap.ListFirst: keymap.ViewFirst, keymap.ListLast: keymap.ViewLast, keymap.ListFocus: keymap.ViewOpen, keymap.ListFilter: keymap.ViewFilter,
	keymap.ListClose: keymap.ViewClose,
}

// Translate makes the session list's actions those of a list.
func (d rows) Translate(a keymap.Action) keymap.Action { return cmp.Or(moves[a], a) }

// Refresh drops the marks of sessions that have gone, and keeps the places of another order.
func (d rows) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	if !d.idle && d.sort != env.List.Opt.Sort {
		d = d.held(env)
	}
	for id := range d.marked {
		if env.Session(id) == nil {
			d.marked = maps.Clone(d.marked)
			delete(d.marked, id)
		}
	}
	return d, nil
}

// NextWake is when the first age changes.
func (d rows) NextWake(env ui.Env) time.Time {
	all := make([]time.Time, 0, len(env.Sessions))
	for _, v := range env.Sessions {
		all = append(all, v.Since)
	}
	return format.NextAge(env.Now, all...)
}

// Receive drops the marks when something was done with the marked ones.
func (d rows) Receive(_ ui.Env, l lists.Dialog, value any, _ error) (lists.Dialog, []ui.Effect) {
	if _, ok := value.(cleared); ok {
		d.marked = nil
	}
	return l.With(d), nil
}

// Act runs one of the list's actions.
func (d rows) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	switch a {
	case keymap.ViewClose:
		if len(d.marked) == 0 || !l.View.Query.Empty() { // the filter goes first
			return l, nil, false
		}
		d.marked = nil
		return l.With(d), nil, true
	case keymap.ListSort, keymap.ListGroup, keymap.ListToColumn, keymap.ListWider, keymap.ListNarrower:
		return l, []ui.Effect{ui.Do{Action: a}}, true
	case keymap.ListScope:
		return l, scope(env, l.View.Query.String(), id), true
	case keymap.ListMarkAll:
		return l.With(d.markAll(d.source(env), l.View.Query.String())), nil, true
	}
	if a == keymap.ViewOpen && strings.HasPrefix(id, queueRow) {
		return l, Visit(env, id), true
	}
	v := env.Session(id)
	if _, move := listbox.Moves(a, 1); v == nil || move || a == keymap.ViewFilter {
		return l, nil, false
	}
	l, effects := d.on(env, l, a, *v)
	return l, effects, true
}

// on runs an action on the chosen session, or on the marked ones.
func (d rows) on(env ui.Env, l lists.Dialog, a keymap.Action, v api.Session) (lists.Dialog, []ui.Effect) {
	if v.External && a != keymap.ListExplain && a != keymap.ListMark && a != keymap.ListKill && a != keymap.ListSnooze && a != keymap.ListMenu {
		return l, []ui.Effect{ui.Focus{Session: v.ID}} // says that it has no pane
	}
	switch a {
	case keymap.ViewOpen:
		return l, []ui.Effect{ui.Focus{Session: v.ID}}
	case keymap.ListSend:
		return l, d.send(env, v)
	case keymap.ListExplain:
		return l, []ui.Effect{ui.Close{}, ui.Open{Component: explain.New(v)}}
	case keymap.ListSnooze:
		return l, []ui.Effect{ui.Do{Action: keymap.Snooze, Arg: v.ID}}
	case keymap.ListMenu:
		return l, []ui.Effect{ui.Do{Action: keymap.Menu, Arg: v.ID}}
	case keymap.ListPolicy:
		return l, []ui.Effect{ui.Do{Action: keymap.Policy, Arg: v.ID}}
	case keymap.ListRename:
		return l, []ui.Effect{ui.Open{Component: rename.New(v)}}
	case keymap.ListMarks:
		return l, []ui.Effect{ui.Open{Component: marks.New(v)}}
	case keymap.ListMark:
		return l.With(d.mark(v.ID)).Chosen(env, 1), nil
	case keymap.ListHide:
		var ids []string
		for _, t := range d.targets(env, v) {
			ids = append(ids, t.ID)
		}
		return l, []ui.Effect{ui.Tell{To: ui.Grid, Value: ui.Hide{Sessions: ids, Hidden: !env.List.Hidden[v.ID]}}}
	case keymap.ListKill:
		return l, []ui.Effect{ui.Open{Component: confirm.Kill(d.targets(env, v), ui.Tell{Value: cleared{}})}}
	case keymap.ListRestart:
		return l, []ui.Effect{restart(d.targets(env, v))}
	}
	return l, nil
}

// mark marks a session by itself, or not any more.
func (d rows) mark(id string) rows {
	d.swept, d.marked = cloned(d.swept), cloned(d.marked)
	d.swept[id] = false
	if d.marked[id] {
		delete(d.marked, id)
	} else {
		d.marked[id] = true
	}
	return d
}

// cloned is a copy of a map that may be nil.
func cloned(m map[string]bool) map[string]bool {
	out := make(map[string]bool, len(m)+1)
	maps.Copy(out, m)
	return out
}

// targets are the marked sessions in the list's order, else the chosen one.
func (d rows) targets(env ui.Env, chosen api.Session) []api.Session {
	var out []api.Session
	for _, r := range d.source(env).Rows("") {
		if r.Heading == "" && d.marked[r.Session.ID] && !r.Session.External {
			out = append(out, r.Session)
		}
	}
	if len(out) == 0 {
		out = append(out, chosen)
	}
	return out
}

// send writes to the marked sessions, else to the chosen one. Of those that were marked
// with all others only agents get a text: who marks all does not name each shell.
func (d rows) send(env ui.Env, v api.Session) []ui.Effect {
	if len(d.marked) == 0 {
		return []ui.Effect{ui.Focus{Session: v.ID}, ui.Write{}}
	}
	var ids, left []string
	for _, v := range d.targets(env, v) {
		if ui.PlainOf(v) != "" && d.swept[v.ID] {
			left = append(left, textsafe.Line(v.Name))
			continue
		}
		ids = append(ids, v.ID)
	}
	var effects []ui.Effect
	if n := len(left); n > 0 {
		more := ""
		if n > 3 {
			left, more = left[:3], ", …"
		}
		effects = append(effects, ui.Say{Text: "no agents, left out: " + strings.Join(left, ", ") + more + "; Space in the list marks one for a text, too"})
	}
	if len(ids) == 0 {
		return effects
	}
	return append(effects, ui.Close{}, ui.Write{To: ids})
}

// restart starts those sessions again that have ended.
func restart(all []api.Session) ui.Effect {
	var steps []ui.Step
	for _, v := range all {
		if !v.State.Ended() {
			continue
		}
		steps = append(steps, ui.Step{Name: textsafe.Line(v.Name), Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			v, err := c.RestartSession(ctx, v.ID)
			return ui.Result{Effects: []ui.Effect{ui.Learn{Session: v}}}, err
		}})
	}
	if len(steps) == 0 {
		return ui.Say{Text: "none of them has ended"}
	}
	return ui.Batch{What: "restarting", Noun: "session", Steps: steps}
}

// markAll marks all sessions that are listed; none if they are marked already.
func (d rows) markAll(src sessionlist.Source, query string) rows {
	next := map[string]bool{}
	for _, r := range src.Rows(query) {
		if r.Heading == "" && !r.Session.External && !d.marked[r.Session.ID] {
			next[r.Session.ID] = true
		}
	}
	if len(next) == 0 {
		d.marked, d.swept = nil, nil
		return d
	}
	swept := maps.Clone(next)
	for id := range d.swept {
		swept[id] = swept[id] || d.swept[id]
	}
	d.swept = swept
	for id := range d.marked {
		next[id] = true
	}
	d.marked = next
	return d
}
