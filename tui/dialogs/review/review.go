// Package review shows what a session changed: its files one below the other, as lines that were removed and added,
// with a list of the files beside them. It owns the difference as it was told, the scope, the cursor, what is folded and
// the search. It asks for differences, for colours of what is in view (both away from the grid's own goroutine), for
// the clipboard and the editor, tells the daemon what a person has looked at, and has it stage changes and put them back. Comments are the daemon's: it asks for
// them anew after each change.
//
// Text of a difference is foreign: it is drawn as cells, never as it is.
package review

import (
	"context"
	"maps"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
)

// Differ is the part of a client that compares a session's files.
type Differ interface {
	// Diff returns what differs.
	Diff(ctx context.Context, ref string, q api.DiffQuestion) (api.ReviewDiff, error)
	// Looked tells that a person has seen the changes up to a head.
	Looked(ctx context.Context, ref, head string) error
}

// dialog is the view.
type dialog struct {
	id, name string
	scope    api.DiffScope
	// asked: a difference was asked for; told: one is here. problem says why there is none, "" if there is no reason.
	asked, told bool
	problem     string
	// first: no scope was chosen yet, another one may be shown if there is nothing to show.
	first bool
	// instead is why another scope is shown than that of the last turn, until it is shown; "" for none.
	instead string
	// chosen: a person has chosen the scope. noted: the comments were told.
	chosen, noted bool
	diff          api.ReviewDiff // shared with pictures: replaced, never changed in place
	// turn is the session's last turn when it was asked for, heard the number of the newest event about comments.
	turn  int
	heard int64
	// all are the comments, comments those of the scope; replaced, never changed in place.
	all, comments []api.ReviewComment

	// folds are the files that a person has folded or unfolded, by path; replaced, never changed in place.
	folds map[string]bool
	// beside: the view leaves the session's pane free; split: old and new lines stand side by side where there is room.
	beside, split bool

	layout
	// cursor and top are rows: the chosen one, and the first in view. left is the first column of text in view,
	// height the number of rows.
	cursor, top, left, height int
	// mark is the row from which lines are marked, -1: none are.
	mark int
	// seen is the number of rows that were in view, from the first, as far as all were.
	seen  int
	find  find
	paint paints
}

// New shows what a session changed, or the plan that it asks approval for.
func New(env ui.Env, v api.Session) ui.Component {
	d := dialog{id: v.ID, name: v.Name, scope: api.DiffTurn, first: true, mark: -1, height: 1, split: true}
	if waitingPlan(env, v.ID) != nil {
		d.scope, d.first = api.DiffPlan, false
	}
	return d
}

// Refresh asks for the difference once, and for the colours of what is in view.
func (d dialog) Refresh(env ui.Env) (ui.Component, []ui.Effect) {
	d = d.laid(env)
	if !d.asked {
		return d.ask(env)
	}
	d, effects := d.coloured()
	if n := newestReview(env.Events, d.id); n > d.heard { // an agent comments, or replies
		d.heard = n
		effects = append(effects, d.askComments())
	}
	return d, effects
}

// newestReview is the number of the newest event about comments on a session's work, 0 if none is known.
func newestReview(events []api.Event, session string) int64 {
	for _, e := range slices.Backward(events) {
		if e.Type == api.EventReview && e.Session == session {
			return e.Seq
		}
	}
	return 0
}

// told is an answer: the difference of a scope.
type told struct {
	scope api.DiffScope
	diff  api.ReviewDiff
	err   error
	// path is the file that was asked for by itself, "": all.
	path string
}

// ask asks for the difference.
func (d dialog) ask(env ui.Env) (dialog, []ui.Effect) {
	d.asked, d.problem, d.heard = true, "", newestReview(env.Events, d.id)
	if v := env.Session(d.id); v != nil && v.LastTurn != nil {
		d.turn = v.LastTurn.Turn
	}
	return d, []ui.Effect{d.call("", api.DiffQuestion{Scope: d.scope}), d.askComments()}
}

// call asks for a difference; what names it if a person waits for it.
func (d dialog) call(what string, q api.DiffQuestion) ui.Effect {
	id := d.id
	return ui.Call{What: what, Turn: "review " + id, Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Differ](c)
		if err != nil {
			return ui.Result{Value: told{scope: q.Scope, err: err}}, nil
		}
		t := told{scope: q.Scope}
		if len(q.Paths) > 0 {
			t.path = q.Paths[0]
		}
		t.diff, t.err = client.Diff(ctx, id, q)
		return ui.Result{Value: t}, nil
	}}
}

// Receive takes answers in.
func (d dialog) Receive(env ui.Env, value any, err error) (ui.Component, []ui.Effect) {
	switch v := value.(type) {
	case told:
		switch {
		case v.scope != d.scope: // another one was chosen since
			return d, nil
		case v.path != "":
			return d.unfolded(env, v)
		}
		return d.compared(env, v)
	case commented:
		return d.withComments(env, v)
	case changed:
		return d.ask(env)
	case again:
		return d, []ui.Effect{d.askComments()}
	case answered:
		return d.close(false)
	case painted:
		d.paint = d.paint.with(v)
	case nil:
		if err != nil && !d.told {
			d.told, d.problem = true, ui.Problem(err)
		}
	}
	return d, nil
}

// compared shows a difference. The place stays where it was if the file is still in it.
func (d dialog) compared(env ui.Env, t told) (ui.Component, []ui.Effect) {
	if t.err != nil {
		reason := ui.Problem(t.err)
		if d.first { // there is no turn yet: something else may be there
			d.first, d.scope, d.instead = false, api.DiffUncommitted, reason
			return d.ask(env)
		}
		d.told, d.problem, d.diff, d.layout = true, reason, api.ReviewDiff{}, layout{}
		return d.reset(), nil
	}
	at, was := d.here(), d.told && d.problem == ""
	d.told, d.first, d.problem, d.diff, d.paint, d.mark, d.seen = true, false, "", t.diff, paints{round: d.paint.round + 1}, -1, 0
	d.layout, d.comments = layout{}, d.ofScope(env)
	var effects []ui.Effect
	if d.instead != "" {
		effects, d.instead = []ui.Effect{ui.Say{Text: d.instead}}, ""
	}
	d = d.laid(env)
	if was {
		d = d.to(d.rowOf(at))
		d.top = max(0, d.cursor-at.below)
		return d.clamped(), effects
	}
	return d.reset(), effects
}

// reset goes to the beginning.
func (d dialog) reset() dialog {
	d.cursor, d.top, d.left, d.mark, d.seen = 0, 0, 0, -1, 0
	return d.clamped()
}

// unfolded shows a file that had been left out.
func (d dialog) unfolded(env ui.Env, t told) (ui.Component, []ui.Effect) {
	if t.err != nil {
		return d, []ui.Effect{ui.Warn{Text: ui.Failure("reading the file", t.err)}}
	}
	for i, f := range d.diff.Files {
		if f.Path != t.path {
			continue
		}
		for _, whole := range t.diff.Files {
			if whole.Path != t.path {
				continue
			}
			if whole.LeftOut != "" {
				return d, []ui.Effect{ui.Say{Text: textsafe.Line(f.Path) + " " + leftOut(whole.LeftOut) + ", also by itself"}}
			}
			files := append([]api.ReviewFile{}, d.diff.Files...)
			files[i] = whole
			d.diff.Files = files
			d.paint = paints{round: d.paint.round + 1}
			at := d.here()
			d = d.folded(map[string]bool{t.path: false}).laid(env)
			return d.opened(d.rowOf(at)), nil
		}
	}
	return d, []ui.Effect{ui.Say{Text: "the file is not changed any more: " + env.Keys.Hint(keymap.ReviewFresh) + " compares again"}}
}

// folded folds and unfolds files.
func (d dialog) folded(files map[string]bool) dialog {
	d.folds = maps.Clone(d.folds)
	if d.folds == nil {
		d.folds = map[string]bool{}
	}
	maps.Copy(d.folds, files)
	d.layout = layout{}
	d.seen = 0
	return d
}

// scoped shows another scope.
func (d dialog) scoped(env ui.Env, by int) (ui.Component, []ui.Effect) {
	all := d.scopes(env)
	for i, s := range all {
		if s != d.scope {
			continue
		}
		leaving := d.looked()
		d.chosen = true
		next, effects := d.show(env, all[(i+by+len(all))%len(all)])
		return next, append(leaving, effects...)
	}
	return d, nil
}

// show shows a scope from its beginning.
func (d dialog) show(env ui.Env, scope api.DiffScope) (dialog, []ui.Effect) {
	d.scope, d.told, d.first, d.diff, d.layout = scope, false, false, api.ReviewDiff{}, layout{}
	d.find.query = ""
	d.comments = d.ofScope(env)
	return d.reset().ask(env)
}

// looked tells that all of the difference was in view: the scope "since you last looked" begins there from now on.
func (d dialog) looked() []ui.Effect {
	if !d.told || d.problem != "" || d.seen < len(d.rows) || d.diff.Head == "" || d.scope == api.DiffTurn || d.scope == api.DiffUncommitted || d.scope == api.DiffPlan {
		return nil
	}
	id, head := d.id, d.diff.Head
	return []ui.Effect{ui.Call{Turn: "review " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Differ](c)
		if err != nil {
			return ui.Result{}, err
		}
		return ui.Result{}, client.Looked(ctx, id, head)
	}}}
}

// close leaves the view.
func (d dialog) close(all bool) (ui.Component, []ui.Effect) {
	return d, append(d.looked(), ui.Close{All: all})
}

// NextWake is when the sign that something is under way turns.
func (d dialog) NextWake(env ui.Env) time.Time {
	if d.told {
		return time.Time{}
	}
	_, step := modal.Spin(env.Now)
	return env.Now.Add(step)
}

// YieldsPrefix: nothing is lost.
func (d dialog) YieldsPrefix() bool { return !d.find.typing }

// Chip is the component's name in the status line.
func (d dialog) Chip() string {
	if d.find.typing {
		return "FIND"
	}
	return "REVIEW"
}
