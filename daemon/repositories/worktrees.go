package repositories

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// setupTool is the ledger's name for the setup command of a work tree.
const setupTool = "worktree_setup"

// List lists the work trees of one repository, or of all that are known.
func (r *Repositories) List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	if dir != "" {
		return r.Keeper.List(ctx, dir, sizes)
	}
	repos, err := r.Repos(ctx, false)
	if err != nil {
		return nil, err
	}
	var tops []string
	for _, repo := range repos {
		if repoTop(repo.Path) != "" { // a configured directory may be no repository
			tops = append(tops, repo.Path)
		}
	}
	made, _ := filepath.Glob(filepath.Join(r.o.Trees, "*", "*", ".git")) // fails for bad patterns only
	for _, git := range made {
		tops = append(tops, filepath.Dir(git))
	}
	all, listed := []api.Worktree{}, map[string]bool{}
	for _, top := range tops {
		if listed[top] {
			continue
		}
		list, err := r.Keeper.List(ctx, top, sizes)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // it is listed all the same, with the reason
			list = []api.Worktree{{Path: top, Repo: top, Sessions: []string{}, Error: textsafe.Line(err.Error())}}
		}
		for _, t := range list {
			if !listed[t.Path] {
				all = append(all, t)
			}
			listed[t.Path] = true
		}
	}
	return all, nil
}

// Add makes a tree and says whether its setup command may be run.
func (r *Repositories) Add(ctx context.Context, n api.NewWorktree) (api.WorktreeMade, error) {
	made, err := r.Keeper.Add(ctx, n)
	if err != nil || made.Existed {
		return made, err
	}
	r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s has a work tree, from %s (%s)", made.Branch, made.From, made.Path)))
	if made.SetupCommand != "" {
		made.Consent, err = r.o.Policy.Consented(ctx, setupTool, made.SetupCommand)
	}
	return made, err
}

// Remove moves a tree into the trash.
func (r *Repositories) Remove(ctx context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error) {
	gone, err := r.Keeper.Remove(ctx, in)
	if err == nil {
		r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("work tree %s is in the trash (%s)", gone.Path, gone.ID)))
	}
	return gone, err
}

// Restore brings a tree back.
func (r *Repositories) Restore(ctx context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error) {
	back, err := r.Keeper.Restore(ctx, in)
	if err == nil {
		r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("work tree %s was restored", back.Path)))
	}
	return back, err
}

// maxPlans bounds the plans of one merge that others come before.
const maxPlans = 20

// Merge merges a branch, unless the policy of a session that lives in its tree denies that.
// What the policy would ask about, the person who calls has decided.
func (r *Repositories) Merge(ctx context.Context, in api.MergeWorktree) (m api.MergedWorktree, err error) {
	if in.Plan {
		return r.Keeper.Merge(ctx, in)
	}
	for range maxPlans {
		m, err = r.mergeOnce(ctx, in)
		if api.CodeOf(err) != api.CodePrecondition || in.Target != "" || in.Head != "" {
			return m, err
		}
	}
	return m, err
}

// mergeOnce plans a merge, asks the policy, and carries the plan out if it still holds.
func (r *Repositories) mergeOnce(ctx context.Context, in api.MergeWorktree) (api.MergedWorktree, error) {
	planned := in
	planned.Plan = true
	m, err := r.Keeper.Merge(ctx, planned)
	if err != nil {
		return m, err
	}
	for _, session := range m.Sessions {
		if err := r.permitGit(ctx, session, in.Dir, "git", "merge", "--"+cmp.Or(m.Mode, "ff"), m.Branch); err != nil {
			return m, err
		}
	}
	in.Head, in.Target = cmp.Or(in.Head, m.Head), cmp.Or(in.Target, m.Target)
	if m, err = r.Keeper.Merge(ctx, in); err == nil {
		r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s was merged into %s (%.7s); %s has what it was", m.Branch, m.Into, m.Commit, m.Undo)))
	}
	return m, err
}

// Commit commits what is in a tree, unless the policy of a session that lives there denies that.
func (r *Repositories) Commit(ctx context.Context, in api.CommitWorktree) (out api.CommittedWorktree, err error) {
	path, sessions, err := r.Residents(ctx, in.Dir, in.Tree)
	if err != nil {
		return out, err
	}
	for _, session := range sessions {
		if err := r.permitGit(ctx, session, path, "git", "commit", "-a"); err != nil {
			return out, err
		}
	}
	if out, err = r.Keeper.Commit(ctx, in); err == nil {
		r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%d files of %s were committed (%.7s)", out.Files, cmp.Or(out.Branch, out.Path), out.Commit)))
	}
	return out, err
}

// PushBranch pushes the branch of a tree, unless the policy of a session that lives there denies
// that.
func (r *Repositories) PushBranch(ctx context.Context, in api.PushWorktree) (api.PushedWorktree, error) {
	out, b, err := r.PushPlan(ctx, in)
	if err != nil || in.Plan {
		return out, err
	}
	for _, session := range b.Sessions {
		if err := r.permitGit(ctx, session, b.Path, "git", "push", out.Remote, b.Name); err != nil {
			return out, err
		}
	}
	if err := r.Push(ctx, b, out.Remote, in.Env); err != nil {
		return out, err
	}
	r.pulls.note(b.Path, true)
	r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s was pushed to %s", b.Name, out.Remote)))
	out.Done = true
	return out, nil
}

// permitGit fails if the policy denies a session a git command in a directory.
func (r *Repositories) permitGit(ctx context.Context, session, dir string, argv ...string) error {
	c, err := r.o.Sessions.Caller(ctx, session)
	if err != nil {
		return err
	}
	c.Root, c.CWD = dir, dir
	return r.permits(c, argv...)
}

// permits fails if the policy denies a caller a git command.
func (r *Repositories) permits(c api.Caller, argv ...string) error {
	input, err := json.Marshal(map[string]string{"command": shellWords(argv)})
	if err != nil {
		return err
	}
	verdict := r.o.Policy.Use(c, api.ToolUse{Tool: api.ToolBash, Input: input, Hook: "worktree"})
	if verdict.Effect == api.EffectDeny {
		return api.Errorf(api.CodeForbidden, "the policy of the session %s denies %s: %s", c.Name, argv[1], cmp.Or(verdict.Reason, verdict.Rule))
	}
	return nil
}

// shellWords quotes words for a shell.
func shellWords(argv []string) string {
	quoted := make([]string, len(argv))
	for i, word := range argv {
		quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// Setup returns the setup command of the work tree that a session would get, and whether the
// person has agreed to it.
func (r *Repositories) Setup(ctx context.Context, n api.NewSession) (s api.WorktreeSetup, err error) {
	branch, err := r.branchFor(&n)
	if err != nil || branch == "" {
		return s, err
	}
	if s.Command, err = r.SetupOf(ctx, api.NewWorktree{Dir: n.CWD, Branch: branch, Base: n.Base}); err == nil && s.Command != "" {
		s.Consent, err = r.o.Policy.Consented(ctx, setupTool, s.Command)
	}
	return s, err
}

// Consent records that the person agrees to a setup command, or to a check.
func (r *Repositories) Consent(_ context.Context, c api.SetupConsent, client string, call api.Call) error {
	if strings.TrimSpace(c.Command) == "" {
		return api.Errorf(api.CodeInvalid, "there is no command to agree to")
	}
	if c.Check {
		return r.o.Policy.Consent(checkTool, c.Command, client, call)
	}
	return r.o.Policy.Consent(setupTool, c.Command, client, call)
}
