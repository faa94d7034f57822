package worktrees

import (
	"strings"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/lists"
	"ccdir/tui/ui"
)

// viewMode has the keys that scroll a deed's text.
const viewMode = keymap.ModeViews

// refused says why a key does nothing for a work tree, "" if it does something.
func refused(w *api.Worktree, a keymap.Action) string {
	if w == nil {
		return "there is no work tree here"
	}
	broken := ""
	if w.Missing || w.Error != "" && w.Head == "" {
		broken = w.Note()
	}
	switch a {
	case keymap.TreeMerge:
		switch {
		case broken != "":
			return "it cannot be merged: " + broken
		case w.Branch == "":
			return "it has no branch to merge: `git switch -c NAME` there makes one"
		case w.Main && w.Target == "":
			return branch(*w) + " is what others are merged into"
		}
	case keymap.TreeCommit:
		switch {
		case broken != "":
			return "nothing can be committed there: " + broken
		case w.Dirty+w.Untracked+w.NotCompared == 0:
			return "there is nothing to commit in it"
		}
	case keymap.TreePush:
		switch {
		case broken != "":
			return "it cannot be pushed: " + broken
		case w.Branch == "":
			return "it has no branch to push: `git switch -c NAME` there makes one"
		}
	case keymap.TreeRemove:
		if why := unsafe(w); why != "" {
			return "it stays: " + why
		}
	}
	return ""
}

// changes reports whether a key changes a work tree.
func changing(a keymap.Action) bool {
	switch a {
	case keymap.TreeMerge, keymap.TreeCommit, keymap.TreePush, keymap.TreeRemove:
		return true
	}
	return false
}

// rowKeys are the keys that do something for a work tree.
func rowKeys(env ui.Env, w *api.Worktree) (keys []keymap.Named) {
	if env.ReadOnly || w == nil {
		return nil
	}
	for _, k := range []keymap.Named{keymap.TreeMerge.As("merge"), keymap.TreeCommit.As("commit"), keymap.TreePush.As("push"), keymap.TreeRemove.As("remove")} {
		if refused(w, k.Action) == "" && (k.Action != keymap.TreeMerge || w.Merged == "" && !w.Main) && (k.Action != keymap.TreePush || w.Ahead > 0) {
			keys = append(keys, k)
		}
	}
	return keys
}

// begin opens the dialog of what is done to a work tree.
func begin(env ui.Env, w *api.Worktree, a keymap.Action) []ui.Effect {
	dir, name := rowID(*w), branch(*w)
	var d deed
	switch a {
	case keymap.TreeMerge:
		d = deed{what: "merging " + name, title: "merge " + name, kind: merging{in: api.MergeWorktree{Dir: dir, Tree: w.Path, Env: env.Environ}, name: env.SessionName}}
	case keymap.TreeCommit:
		workers := ""
		if in := names(env, w); in != "" {
			workers = in
		}
		d = deed{what: "committing " + name, title: "commit " + name, writes: true,
			kind: committing{w: *w, workers: workers, in: api.CommitWorktree{Dir: dir, Tree: w.Path, Env: env.Environ}}}
	case keymap.TreePush:
		d = deed{what: "pushing " + name, title: "push " + name, kind: pushing{in: api.PushWorktree{Dir: dir, Tree: w.Path, Env: env.Environ}}}
	default:
		d = deed{what: "removing " + name, title: "remove " + name, kind: removing{w: *w, in: api.RemoveWorktree{Dir: dir, Tree: w.Path, Yes: !w.Removable}}}
	}
	return []ui.Effect{ui.Open{Component: d}}
}

// openTrash lists the trash of a repository.
func openTrash(w *api.Worktree) []ui.Effect {
	dir, of := "", ""
	if w != nil {
		if dir = w.Repo; w.Node != "" {
			dir = w.Node + "/" + dir
		}
		of = strings.TrimSuffix(w.Repo[strings.LastIndexByte(w.Repo, '/')+1:], ".git")
	}
	return []ui.Effect{ui.Open{Component: lists.New(trash{dir: dir, of: of})}}
}
