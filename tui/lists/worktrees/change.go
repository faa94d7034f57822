package worktrees

import (
	"context"
	"fmt"
	"time"

	"ccdir/api"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// keyless is a deed without keys of its own.
type keyless struct{}

func (keyless) foot(stage) string                     { return "" }
func (keyless) key(stage, string) (kind, []ui.Effect) { return nil, nil }

// removing moves a work tree into the trash.
type removing struct {
	keyless
	w  api.Worktree
	in api.RemoveWorktree
}

// unsafe is why a tree is never removed as it is, "" if nothing speaks against it.
func unsafe(w *api.Worktree) string {
	switch {
	case w.Main:
		return "it is the main work tree"
	case w.Missing:
		return w.Note()
	case len(w.Sessions) > 0, w.Locked != "", w.Error != "":
		return w.Why
	}
	return ""
}

// plan implements kind: what is told are the facts of the list, and the daemon looks again.
func (r removing) plan(context.Context, Changer) (kind, []line, bool, error) {
	w := r.w
	said := []line{{text: w.Path + " goes into the trash for 7 days, whole; u brings it back", bold: true}}
	if n := w.Dirty + w.Untracked; n > 0 {
		said = append(said, line{text: fmt.Sprintf("! It has %s and %s that no commit has: they go into the trash and into a snapshot commit, and come back with it.",
			format.Plural(w.Dirty, "changed file", "changed files"), format.Plural(w.Untracked, "untracked file", "untracked files")), bold: true})
	}
	if w.Ignored > 0 {
		said = append(said, plain(format.Plural(w.Ignored, "ignored file or folder goes", "ignored files and folders go")+" with it."))
	}
	switch {
	case w.Branch == "":
	case w.Merged != "":
		said = append(said, plain(fmt.Sprintf("The branch %s is in %s (%s): it is deleted, too, and restored with the work tree.", w.Branch, w.Target, w.Merged)))
	case w.Target != "":
		said = append(said, line{text: fmt.Sprintf("! The branch %s is not merged into %s: it stays.", w.Branch, w.Target), bold: true})
	default:
		said = append(said, plain("The branch "+w.Branch+" stays."))
	}
	return r, said, true, nil
}

// do implements kind.
func (r removing) do(ctx context.Context, c Changer, _ string) ([]line, error) {
	gone, err := c.RemoveWorktree(ctx, r.in)
	if api.CodeOf(err) == api.CodeAsks { // it has changed since the list was made
		return nil, fmt.Errorf("it is not as it was when it was listed, and stays: %w", err)
	}
	if err != nil {
		return nil, err
	}
	branch := ""
	switch {
	case gone.BranchDeleted:
		branch = "; branch " + gone.Branch + " is deleted"
	case gone.Branch != "":
		branch = "; branch " + gone.Branch + " stays"
	}
	said := []line{{text: gone.Path + " is in the trash until " + gone.Until.Local().Format(time.DateOnly) + branch, bold: true},
		plain("To undo it: u in the list, or ccdir worktree restore " + gone.ID)}
	for _, note := range gone.Notes {
		said = append(said, plain(note))
	}
	if len(gone.Left) > 0 {
		said = append(said, plain("Only the trash has "+some(gone.Left)+": too large for the snapshot."))
	}
	return said, nil
}

func (removing) yes() string { return "move it into the trash" }

// restoring brings a work tree back.
type restoring struct {
	keyless
	of api.RemovedWorktree
}

func (r restoring) plan(context.Context, Changer) (kind, []line, bool, error) {
	said := []line{{text: r.of.Path + " comes back as it was when it was removed: files, what was staged, branch " + r.of.Branch, bold: true}}
	if r.of.BranchDeleted {
		said = append(said, plain("The branch is made again."))
	}
	return r, said, true, nil
}

func (r restoring) do(ctx context.Context, c Changer, _ string) ([]line, error) {
	back, err := c.RestoreWorktree(ctx, api.RestoreWorktree{ID: r.of.ID})
	if err != nil {
		return nil, err
	}
	said := []line{{text: back.Path + " is back", bold: true}}
	for _, note := range back.Notes {
		said = append(said, plain(note))
	}
	return said, nil
}

func (restoring) yes() string { return "bring it back" }

// committing commits everything in a work tree.
type committing struct {
	keyless
	w       api.Worktree
	in      api.CommitWorktree
	workers string // the sessions that live there
}

func (d committing) plan(context.Context, Changer) (kind, []line, bool, error) {
	said := []line{{text: fmt.Sprintf("Everything in %s becomes one commit on %s: %s, %s.", d.w.Path, branch(d.w),
		format.Plural(d.w.Dirty, "changed file", "changed files"), format.Plural(d.w.Untracked, "untracked file", "untracked files")), bold: true},
		plain("As you; hooks of the repository are not run.")}
	if d.workers != "" {
		said = append(said, line{text: "! " + d.workers + " may be in the middle of something there.", bold: true})
	}
	return d, said, true, nil
}

func (d committing) do(ctx context.Context, c Changer, message string) ([]line, error) {
	in := d.in
	in.Message = message
	out, err := c.CommitWorktree(ctx, in)
	if err != nil {
		return nil, err
	}
	return []line{{text: fmt.Sprintf("%s is at %.7s (%s)", branch(d.w), out.Commit, format.Plural(out.Files, "file", "files")), bold: true},
		plain("To undo it: git reset --mixed HEAD^ (in " + d.w.Path + ")")}, nil
}

func (committing) yes() string { return "commit" }

// pushing pushes the branch of a work tree.
type pushing struct {
	keyless
	in api.PushWorktree
}

func (d pushing) plan(ctx context.Context, c Changer) (kind, []line, bool, error) {
	in := d.in
	in.Plan = true
	p, err := c.PushWorktree(ctx, in)
	if err != nil {
		return d, nil, false, err
	}
	what := format.Plural(p.Commits, "commit goes", "commits go") + " to " + p.Remote
	if p.New {
		what = "it is new there, and is followed from then on"
	}
	return d, []line{{text: fmt.Sprintf("%s (%.7s) → %s: %s", p.Branch, p.Head, p.Remote, what), bold: true},
		plain("As you, and never over commits that are there; hooks of the repository are not run.")}, true, nil
}

func (d pushing) do(ctx context.Context, c Changer, _ string) ([]line, error) {
	p, err := c.PushWorktree(ctx, d.in)
	if err != nil {
		return nil, err
	}
	return []line{{text: fmt.Sprintf("%s is pushed to %s (%.7s)", p.Branch, p.Remote, p.Head), bold: true}}, nil
}

func (pushing) yes() string { return "push" }
