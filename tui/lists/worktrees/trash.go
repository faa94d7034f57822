package worktrees

import (
	"context"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/listbox"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// trash are the work trees in the trash of a repository, or in all of this machine's.
type trash struct {
	dir, of string
	list    []api.RemovedWorktree
	problem string
	asking  bool
	loaded  bool
	mark    int64 // newest event that they are about
}

func (t trash) Mode() keymap.Mode { return keymap.ModeTrees }

// Content lists them, the one removed last first.
func (t trash) Content(env ui.Env, _ listbox.View) listbox.Content {
	c := listbox.Content{
		Title: "trash", Hint: "filter by branch or path", Problem: t.problem, Loading: !t.loaded, Direct: true,
		Empty: "The trash is empty: what x or `ccdir worktree rm` removes lies here for 7 days.",
		Keys:  []keymap.Named{keymap.ViewOpen.As("bring it back"), keymap.ViewFilter.As("filter"), keymap.ViewClose.As("back")},
	}
	if t.of != "" {
		c.Title += " of " + textsafe.Line(t.of)
	}
	dim := theme.FG(env.Theme.Dim)
	for _, w := range t.list {
		c.Items = append(c.Items, listbox.Item{
			ID: w.ID, Match: func() string { return w.Branch + " " + w.Path },
			Line: func(width int) string {
				return modal.Columns(width, modal.Column("", 1, dim), modal.Column(textsafe.Line(w.Branch), 24, cells.Style{}),
					modal.Column("removed "+w.At.Local().Format("Jan 2 15:04"), 21, dim), modal.Column("until "+w.Until.Local().Format(time.DateOnly), 17, dim),
					modal.Column(textsafe.Line(format.Home(w.Path, env.Home)), 0, dim))
			},
		})
	}
	return c
}

// Refresh asks for them, again when a work tree was removed or restored.
func (t trash) Refresh(env ui.Env) (lists.Rows, []ui.Effect) {
	mark := lastChange(env.Events)
	if t.asking || env.Offline != "" || t.loaded && t.mark == mark {
		return t, nil
	}
	t.asking, t.mark = true, mark
	dir := t.dir
	return t, []ui.Effect{ui.Call{Own: true, Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
		by, err := ui.As[Changer](c)
		var list []api.RemovedWorktree
		if err == nil {
			list, err = by.WorktreeTrash(ctx, dir)
		}
		return ui.Result{Value: list}, err
	}}}
}

// Receive takes them.
func (t trash) Receive(_ ui.Env, l lists.Dialog, value any, err error) (lists.Dialog, []ui.Effect) {
	t.asking, t.loaded, t.problem = false, true, ""
	if list, ok := value.([]api.RemovedWorktree); ok && err == nil {
		t.list = list
	} else if err != nil {
		t.problem = ui.Problem(err)
	}
	return l.With(t), nil
}

// Act brings one back.
func (t trash) Act(env ui.Env, l lists.Dialog, a keymap.Action, id string) (lists.Dialog, []ui.Effect, bool) {
	i := slices.IndexFunc(t.list, func(w api.RemovedWorktree) bool { return w.ID == id })
	switch {
	case a != keymap.ViewOpen || i < 0:
		return l, nil, changing(a) || a == keymap.TreeNew || a == keymap.TreeDetail || a == keymap.TreeTrash
	case env.ReadOnly:
		return l, []ui.Effect{ui.Warn{Text: "this grid only looks"}}, true
	}
	w := t.list[i]
	return l, []ui.Effect{ui.Open{Component: deed{what: "restoring " + branch(api.Worktree{Branch: w.Branch, Head: w.Head}), title: "restore " + w.Branch, kind: restoring{of: w}}}}, true
}
