package repositories

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/worktrees/forge"
)

// PullRequest pushes a tree's branch and makes its pull request, unless it has one, or only
// looks. The policy of a session in the tree can deny the push; what it would ask about, the
// person who calls has decided.
func (r *Repositories) PullRequest(ctx context.Context, n api.NewPullRequest) (out api.BranchPullRequest, err error) {
	b, err := r.Branch(ctx, n.Dir, n.Tree)
	if err != nil {
		return out, err
	}
	out = api.BranchPullRequest{Path: b.Path, Branch: b.Name, Sessions: b.Sessions}
	f, err := forge.Find(ctx, b.Path, n.Env)
	if err != nil {
		return out, api.Errorf(api.CodeUnavailable, "no pull requests: %v", err)
	}
	pr, known, err := f.View(ctx, b.Name)
	if err != nil {
		return out, api.Errorf(api.CodeUnavailable, "%v", err)
	}
	if known {
		out.Request = &pr
	}
	if n.SendFailing {
		return out, r.sendFailing(ctx, f, &out)
	}
	if n.Look {
		return out, nil
	}
	for _, session := range b.Sessions {
		if err := r.permitGit(ctx, session, b.Path, "git", "push", f.Remote, b.Name); err != nil {
			return out, err
		}
	}
	if err := r.Push(ctx, b, f.Remote, n.Env); err != nil {
		return out, err
	}
	r.pulls.note(b.Path, true)
	if known && pr.State == api.PullRequestOpen {
		return out, nil // the push has updated it
	}
	if pr, err = f.Create(ctx, newRequest(n, b.Name, b.Subjects)); err != nil {
		return out, api.Errorf(api.CodeUnavailable, "the branch was pushed, and no pull request made: %v", err)
	}
	out.Request, out.Made = &pr, true
	r.pulls.note(b.Path, true)
	r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s: pull request #%d was made (%s)", b.Name, pr.Number, pr.URL)))
	return out, nil
}

// newRequest is the pull request of a branch: its texts are the caller's, or of the commits.
func newRequest(n api.NewPullRequest, branch string, subjects []string) forge.New {
	title, body := branch, ""
	if len(subjects) > 0 {
		title = subjects[len(subjects)-1] // the oldest
	}
	if len(subjects) > 1 {
		body = "* " + strings.Join(subjects, "\n* ")
	}
	return forge.New{Branch: branch, Base: n.Base, Title: cmp.Or(n.Title, title), Body: cmp.Or(n.Text, body), Draft: n.Draft}
}

// sendFailing sends the log of a check that failed to the session in the tree.
func (r *Repositories) sendFailing(ctx context.Context, f *forge.Forge, out *api.BranchPullRequest) error {
	switch {
	case out.Request == nil:
		return api.Errorf(api.CodeConflict, "%s has no pull request: `ccdir pr` makes one", out.Branch)
	case len(out.Request.Failing) == 0:
		return api.Errorf(api.CodeConflict, "no check of #%d has failed", out.Request.Number)
	case len(out.Sessions) == 0:
		return api.Errorf(api.CodeConflict, "no session lives in %s: start one with `ccdir new -w %s`", out.Path, out.Branch)
	}
	name, log, err := f.FailedLog(ctx, *out.Request)
	if err != nil {
		return api.Errorf(api.CodeUnavailable, "%v", err)
	}
	text := fmt.Sprintf("The check %q of your pull request %s failed. Find the cause and mend it. The end of its log:\n\n%s", name, out.Request.URL, log)
	if _, err := r.o.Sessions.Send(ctx, out.Sessions[0], api.SendPrompt{Text: text, Wait: true}); err != nil {
		return err
	}
	out.Sent = name
	return nil
}
