package review

import (
	"context"
	"slices"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Changer is the part of a client that stages changes and puts them back, and keeps what was viewed.
type Changer interface {
	Change(ctx context.Context, ref string, c api.ReviewChange) (api.ReviewChanged, error)
	// UndoChange undoes the last change.
	UndoChange(ctx context.Context, ref string) (api.ReviewChanged, error)
	// Viewed notes that a person has seen a file as it is, or not.
	Viewed(ctx context.Context, ref string, v api.ReviewViewed) error
}

// changed is an answer: the index or the files have changed, or are not as they were shown.
type changed struct{}

// changesHere are the changes at the cursor or in the marked rows; problem says why there are none.
func (d dialog) changesHere() (c api.ReviewChange, problem string) {
	f := d.fileAt(d.cursor)
	if f == nil {
		return c, "there is no change here"
	}
	c = api.ReviewChange{Base: d.diff.Base, Head: d.diff.Head, Path: f.Path}
	from, to := d.marked()
	if r := d.rows[d.cursor]; from == to {
		switch r.kind {
		case rowFile, rowNote:
			return c, ""
		case rowHunk:
			for to+1 < len(d.rows) && d.rows[to+1].hunk == r.hunk && d.rows[to+1].file == r.file && d.rows[to+1].kind != rowGap {
				to++
			}
		}
	}
	for _, r := range d.rows[from : to+1] {
		switch {
		case d.diff.Files[r.file].Path != c.Path:
			return c, "these are lines of more than one file: mark fewer"
		case r.kind != rowLine || r.old == r.now: // a line that did not change
			continue
		}
		if r.old >= 0 {
			c.Old = with(c.Old, int(r.oldNo))
		}
		if r.now >= 0 {
			c.New = with(c.New, int(r.nowNo))
		}
	}
	if c.Old == nil && c.New == nil {
		return c, "nothing was changed here: on a changed line, or on the head of a hunk or a file"
	}
	return c, ""
}

// with is a range that has a line too.
func with(r *api.LineRange, n int) *api.LineRange {
	if r == nil {
		return &api.LineRange{From: n, End: n}
	}
	return &api.LineRange{From: min(r.From, n), End: max(r.End, n)}
}

// change stages what is chosen, or puts it back.
func (d dialog) change(env ui.Env, act api.ReviewAct) (ui.Component, []ui.Effect) {
	c, problem := d.changesHere()
	if problem != "" {
		return d, []ui.Effect{ui.Say{Text: problem}}
	}
	c.Do, d.mark = act, -1
	what := map[api.ReviewAct]string{api.ReviewStage: "staging", api.ReviewPutBack: "putting back"}[act]
	undo := env.Keys.Hint(keymap.ReviewUndo)
	return d, []ui.Effect{d.changing(what, func(ctx context.Context, client Changer, id string) (string, error) {
		done, err := client.Change(ctx, id, c)
		return textsafe.Line(done.Line()) + " · " + undo + " undoes it", err
	})}
}

// undo undoes the last change.
func (d dialog) undo() (ui.Component, []ui.Effect) {
	return d, []ui.Effect{d.changing("undoing it", func(ctx context.Context, client Changer, id string) (string, error) {
		done, err := client.UndoChange(ctx, id)
		return "undone: " + textsafe.Line(done.Line()), err
	})}
}

// changing calls the daemon for a change, says what was done, and compares again.
func (d dialog) changing(what string, call func(ctx context.Context, client Changer, id string) (said string, err error)) ui.Effect {
	id := d.id
	return ui.Call{What: what, Turn: "review " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Changer](c)
		if err != nil {
			return ui.Result{}, err
		}
		said, err := call(ctx, client, id)
		return ui.Result{Effects: []ui.Effect{ui.Say{Text: said}}, Value: changed{}}, err
	}}
}

// viewed marks the file at the cursor as viewed, folds it and goes to the next one; or takes the mark away.
func (d dialog) viewed(env ui.Env) (ui.Component, []ui.Effect) {
	f := d.fileAt(d.cursor)
	if f == nil {
		return d, nil
	}
	v := api.ReviewViewed{Path: f.Path, Content: f.Content, Viewed: !f.Viewed}
	i := slices.IndexFunc(d.diff.Files, func(o api.ReviewFile) bool { return o.Path == v.Path })
	files := slices.Clone(d.diff.Files)
	files[i].Viewed = v.Viewed
	seen := d.seen >= len(d.rows)
	d.diff.Files = files
	d = d.folded(map[string]bool{v.Path: v.Viewed}).laid(env)
	if seen {
		d.seen = len(d.rows)
	}
	if d = d.toFile(i); v.Viewed && i+1 < len(d.files) {
		d = d.to(d.files[i+1])
	}
	id := d.id
	return d, []ui.Effect{ui.Call{What: "marking the file as viewed", Turn: "review " + id, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		client, err := ui.As[Changer](c)
		if err == nil {
			err = client.Viewed(ctx, id, v)
		}
		return ui.Result{}, err
	}}}
}

// viewedFiles is how many files were viewed.
func (d dialog) viewedFiles() (n int) {
	for i := range d.diff.Files {
		n += btoi(d.diff.Files[i].Viewed)
	}
	return n
}
