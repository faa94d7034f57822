package worktrees

import (
	"cmp"
	"fmt"
	"path"
	"strings"

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

// Content lists the work trees under a heading for each repository.
func (d rows) Content(env ui.Env, view listbox.View) listbox.Content {
	c := listbox.Content{
		Title: "work trees", Hint: "filter by branch, repository, session, node or path", Problem: d.problem, Loading: !d.loaded && d.trees == nil,
		Empty:  "No git repository is known yet. Those in which sessions run are listed here, and those that the configuration names; `ccdir new -w BRANCH` makes a work tree.",
		Detail: func(id string, w int) []string { return d.detail(env, id, w) },
	}
	chosen := d.tree(view.ID)
	own := rowKeys(env, chosen)
	c.DetailKeys = append([]keymap.Named{keymap.ViewClose.As("back"), keymap.TreeNew.As("new session there")}, own...)
	if chosen != nil {
		open := "details"
		if len(inside(env, chosen)) > 0 {
			open = "its session"
		}
		c.Keys = append(c.Keys, keymap.ViewOpen.As(open))
		c.Keys = append(append(c.Keys, own...), keymap.TreeNew.As("new session"))
		if open != "details" {
			c.Keys = append(c.Keys, keymap.TreeDetail.As("details"))
		}
	}
	c.Keys = append(c.Keys, keymap.TreeTrash.As("trash"), keymap.ViewFilter.As("filter"), keymap.TreeLook.As("look again"), keymap.ViewClose.As("close"))
	if d.asking && d.loaded {
		c.Title += " · looking again"
	}
	if len(d.without) > 0 {
		c.Head = modal.Styled("without "+textsafe.Line(strings.Join(d.without, ", "))+", which did not answer in time", theme.FG(env.Theme.Dim))
	}
	last := ""
	for i := range d.trees {
		w := &d.trees[i]
		if place := w.Node + "/" + w.Repo; place != last {
			last = place
			c.Items = append(c.Items, listbox.Item{Line: func(width int) string { return heading(env, w, width) }})
		}
		c.Items = append(c.Items, listbox.Item{
			ID: rowID(*w),
			Match: func() string {
				return strings.Join([]string{w.Branch, w.Node, w.Path, w.Repo, names(env, w), string(w.Merged)}, " ")
			},
			Line: func(width int) string { return row(env, w, width) },
		})
	}
	return c
}

// heading is a repository, with its machine.
func heading(env ui.Env, w *api.Worktree, width int) string {
	name := strings.TrimSuffix(path.Base(w.Repo), ".git")
	if w.Node != "" {
		name = w.Node + "/" + name
	}
	return modal.Columns(width, modal.Column(textsafe.Line(name), 0, theme.Bold(env.Theme.Dim)))
}

// branch is what is checked out.
func branch(w api.Worktree) string {
	if w.Branch == "" && w.Head != "" {
		return "(" + w.Head[:min(len(w.Head), 7)] + ")"
	}
	return w.Branch
}

// changes are "±2 ?1 ↑3 ↓1": files that differ, untracked ones, commits ahead and behind.
func changes(w api.Worktree) string {
	var parts []string
	for _, n := range []struct {
		sign  string
		count int
	}{{"±", w.Dirty}, {"?", w.Untracked}, {"↑", w.Ahead}, {"↓", w.Behind}} {
		if n.count > 0 {
			parts = append(parts, fmt.Sprint(n.sign, n.count))
		}
	}
	return strings.Join(parts, " ")
}

// merged says whether the branch is in its target.
func merged(w api.Worktree) string {
	switch {
	case w.Main, w.Head == "":
		return ""
	case w.Merged != "":
		return "merged"
	case w.Target != "":
		return "not merged"
	}
	return ""
}

// row is a row: branch, changes, merged, sessions, path.
func row(env ui.Env, w *api.Worktree, width int) string {
	dim, state := theme.FG(env.Theme.Dim), theme.FG(env.Theme.Dim)
	if w.Merged != "" && !w.Main {
		state = theme.FG(env.Theme.Idle)
	}
	changed := dim
	if w.Dirty+w.Untracked > 0 {
		changed = theme.FG(env.Theme.Permission)
	}
	where, special := format.Home(w.Path, homeOf(env, w)), dim
	if n := w.Note(); n != "" {
		where, special = n+"  "+where, theme.FG(env.Theme.Alert)
	}
	st := cells.Style{}
	if w.Main {
		st = dim
	}
	return modal.Columns(width, modal.Column("", 1, dim), modal.Column(textsafe.Line(branch(*w)), 24, st), modal.Column(changes(*w), 14, changed),
		modal.Column(merged(*w), 10, state), modal.Column(textsafe.Line(names(env, w)), lists.NameWidth, cells.Style{Attrs: cells.Bold}), modal.Column(textsafe.Line(where), 0, special))
}

// homeOf is the person's home directory on the work tree's machine, "" if it is not known.
func homeOf(env ui.Env, w *api.Worktree) string {
	if w.Node == "" {
		return env.Home
	}
	return ""
}

// detail is what is known of a work tree.
func (d rows) detail(env ui.Env, id string, width int) (out []string) {
	w := d.tree(id)
	if w == nil {
		return []string{"it is gone"}
	}
	dim := theme.FG(env.Theme.Dim)
	add := func(label, text string, st cells.Style) {
		out = append(out, modal.Labelled(env.Theme, width, label, textsafe.Line(text), st)...)
	}
	target := ""
	switch {
	case w.Main || w.Target == "":
	case w.Merged != "":
		target = "merged into " + w.Target + " (" + string(w.Merged) + ")"
	default:
		target = "not merged into " + w.Target
	}
	add("branch", cmp.Or(branch(*w), "none"), cells.Style{Attrs: cells.Bold})
	add("node", w.Node, cells.Style{})
	add("path", w.Path, cells.Style{})
	add("repository", w.Repo, cells.Style{})
	add("sessions", names(env, w), cells.Style{})
	add("changes", fmt.Sprintf("%s, %s, %s", format.Plural(w.Dirty, "changed file", "changed files"), format.Plural(w.Untracked, "untracked", "untracked"), format.Plural(w.Ignored, "ignored", "ignored")), cells.Style{})
	add("apart", fmt.Sprintf("%s ahead, %d behind", format.Plural(w.Ahead, "commit", "commits"), w.Behind), cells.Style{})
	add("merged", target, cells.Style{})
	add("note", w.Note(), theme.FG(env.Theme.Alert))
	if w.Removable {
		add("remove", "nothing would be lost: it goes without a further question", dim)
	} else {
		add("remove", w.Why, dim)
	}
	return out
}
