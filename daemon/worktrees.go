package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/internal/text/textsafe"
	"ccdir/worktrees"
)

// setupTool is the ledger's name for the setup command of a work tree.
const setupTool = "worktree_setup"

// newWorktrees joins the work trees with paths, configuration and sessions.
func (d *daemon) newWorktrees() *worktrees.Keeper {
	return worktrees.New(worktrees.Options{
		Trees: d.o.Paths.Worktrees(), Trash: d.o.Paths.Trash(), Home: d.o.Home, Place: func() string { return d.config.Load().WorktreePlace },
		Sessions: d.worktreeSessions, Pause: d.o.Pause, Logger: d.log,
		Finished: func(did string) { d.note(api.EventWorktree, textsafe.Line(did)) },
	})
}

// recoverWorktrees finishes what an earlier daemon's end interrupted where sessions are or were.
func (d *daemon) recoverWorktrees(ctx context.Context) {
	var tops []string
	for _, s := range d.events.Sessions() {
		if top := repoTop(s.CWD); top != "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	d.worktrees.Recover(ctx, tops)
}

// worktreeSessions are all sessions with the directories that they are in. A session that
// restarts counts as running.
func (d *daemon) worktreeSessions(ctx context.Context, deep bool) (list []worktrees.Session) {
	for _, s := range d.events.Sessions() {
		one := worktrees.Session{ID: s.ID, Name: s.Name, Live: !s.State.Ended() || s.Restarting}
		if s.CWD != "" {
			one.Dirs = append(one.Dirs, s.CWD)
		}
		if one.Live {
			one.Dirs = append(one.Dirs, processDirs(ctx, s, deep)...)
		}
		list = append(list, one)
	}
	return list
}

// processDirs are the working directories of a session's process, with deep of all below
// it. An agent may have moved on from where it was started.
func processDirs(ctx context.Context, s api.Session, deep bool) (dirs []string) {
	if s.PID == 0 {
		return nil
	}
	pids := []int{s.PID}
	if deep {
		tree, _ := proc.Tree(ctx, s.PID) // it has just ended if this fails
		for _, p := range tree {
			pids = append(pids, p.PID)
		}
	}
	for _, pid := range pids {
		if dir, err := proc.CWD(pid); err == nil {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// worktreeView is the API's view of the keeper: what it does is an event, and consents are
// in the ledger.
type worktreeView struct {
	*worktrees.Keeper
	d *daemon
}

// List lists the work trees of one repository, or of all that are known.
func (v worktreeView) List(ctx context.Context, dir string, sizes bool) ([]api.Worktree, error) {
	if dir != "" {
		return v.Keeper.List(ctx, dir, sizes)
	}
	repos, err := v.d.repos(ctx, false)
	if err != nil {
		return nil, err
	}
	var tops []string
	for _, r := range repos {
		if repoTop(r.Path) != "" { // a configured directory may be no repository
			tops = append(tops, r.Path)
		}
	}
	made, _ := filepath.Glob(filepath.Join(v.d.o.Paths.Worktrees(), "*", "*", ".git")) // fails for bad patterns only
	for _, git := range made {
		tops = append(tops, filepath.Dir(git))
	}
	all, listed := []api.Worktree{}, map[string]bool{}
	for _, top := range tops {
		if listed[top] {
			continue
		}
		list, err := v.Keeper.List(ctx, top, sizes)
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
func (v worktreeView) Add(ctx context.Context, n api.NewWorktree) (api.WorktreeMade, error) {
	made, err := v.Keeper.Add(ctx, n)
	if err != nil || made.Existed {
		return made, err
	}
	v.d.note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s has a work tree, from %s (%s)", made.Branch, made.From, made.Path)))
	if made.SetupCommand != "" {
		made.Consent, err = v.d.enforcer.Consented(ctx, setupTool, made.SetupCommand)
	}
	return made, err
}

// Remove moves a tree into the trash.
func (v worktreeView) Remove(ctx context.Context, in api.RemoveWorktree) (api.RemovedWorktree, error) {
	gone, err := v.Keeper.Remove(ctx, in)
	if err == nil {
		v.d.note(api.EventWorktree, textsafe.Line(fmt.Sprintf("work tree %s is in the trash (%s)", gone.Path, gone.ID)))
	}
	return gone, err
}

// Restore brings a tree back.
func (v worktreeView) Restore(ctx context.Context, in api.RestoreWorktree) (api.RestoredWorktree, error) {
	back, err := v.Keeper.Restore(ctx, in)
	if err == nil {
		v.d.note(api.EventWorktree, textsafe.Line(fmt.Sprintf("work tree %s was restored", back.Path)))
	}
	return back, err
}

// maxPlans bounds the plans of one merge that others come before.
const maxPlans = 20

// Merge merges a branch, unless the policy of a session that lives in its tree denies that.
// What the policy would ask about, the person who calls has decided.
func (v worktreeView) Merge(ctx context.Context, in api.MergeWorktree) (m api.MergedWorktree, err error) {
	if in.Plan {
		return v.Keeper.Merge(ctx, in)
	}
	for range maxPlans {
		m, err = v.mergeOnce(ctx, in)
		if api.CodeOf(err) != api.CodePrecondition || in.Target != "" || in.Head != "" {
			return m, err
		}
	}
	return m, err
}

// mergeOnce plans a merge, asks the policy, and carries the plan out if it still holds.
func (v worktreeView) mergeOnce(ctx context.Context, in api.MergeWorktree) (api.MergedWorktree, error) {
	planned := in
	planned.Plan = true
	m, err := v.Keeper.Merge(ctx, planned)
	if err != nil {
		return m, err
	}
	for _, session := range m.Sessions {
		if err := v.d.permitGit(ctx, session, in.Dir, "git", "merge", "--"+cmp.Or(m.Mode, "ff"), m.Branch); err != nil {
			return m, err
		}
	}
	in.Head, in.Target = cmp.Or(in.Head, m.Head), cmp.Or(in.Target, m.Target)
	if m, err = v.Keeper.Merge(ctx, in); err == nil {
		v.d.note(api.EventWorktree, textsafe.Line(fmt.Sprintf("%s was merged into %s (%.7s); %s has what it was", m.Branch, m.Into, m.Commit, m.Undo)))
	}
	return m, err
}

// permitGit fails if the policy denies a session a git command in a directory.
func (d *daemon) permitGit(ctx context.Context, session, dir string, argv ...string) error {
	c, err := d.registry.Caller(ctx, session)
	if err != nil {
		return err
	}
	c.Root, c.CWD = dir, dir
	input, err := json.Marshal(map[string]string{"command": shellWords(argv)})
	if err != nil {
		return err
	}
	verdict := d.enforcer.Use(c, api.ToolUse{Tool: api.ToolBash, Input: input, Hook: "worktree"})
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

// Setup implements httpapi.Worktrees.
func (v worktreeView) Setup(ctx context.Context, n api.NewSession) (s api.WorktreeSetup, err error) {
	branch, err := v.d.branchFor(&n)
	if err != nil || branch == "" {
		return s, err
	}
	if s.Command, err = v.SetupOf(ctx, api.NewWorktree{Dir: n.CWD, Branch: branch, Base: n.Base}); err == nil && s.Command != "" {
		s.Consent, err = v.d.enforcer.Consented(ctx, setupTool, s.Command)
	}
	return s, err
}

// Consent implements httpapi.Worktrees.
func (v worktreeView) Consent(_ context.Context, c api.SetupConsent, client string, call api.Call) error {
	if strings.TrimSpace(c.Command) == "" {
		return api.Errorf(api.CodeInvalid, "there is no command to agree to")
	}
	return v.d.enforcer.Consent(setupTool, c.Command, client, call)
}

// prepareSession completes a request for a session: its work tree, and that tree's
// variables.
func (d *daemon) prepareSession(ctx context.Context, n *api.NewSession) error {
	branch, err := d.branchFor(n)
	if err != nil {
		return err
	}
	if branch != "" && n.AskSetup {
		s, err := worktreeView{d.worktrees, d}.Setup(ctx, *n)
		if err != nil {
			return err
		}
		if s.Command != "" && !s.Consent {
			return api.Errorf(api.CodeAsks, "the project has a setup command that nobody has agreed to: `ccdir new -w` shows it")
		}
	}
	if branch != "" {
		made, err := worktreeView{d.worktrees, d}.Add(ctx, api.NewWorktree{Dir: n.CWD, Branch: branch, Base: n.Base, Env: n.Env})
		if err != nil {
			return err
		}
		n.CWD = made.Dir
		if made.SetupCommand != "" && !made.Existed {
			d.setUp(ctx, n, made)
		}
	}
	n.ExtraEnv = append(worktrees.Env(n.CWD), n.ExtraEnv...) // the caller's own win
	return nil
}

// branchFor is the branch whose work tree a session gets, "" for none.
func (d *daemon) branchFor(n *api.NewSession) (string, error) {
	switch n.Worktree {
	case "-":
		return "", nil
	case ".":
		d.nameFor(n)
		return n.Name, nil
	case "":
	default:
		return n.Worktree, nil
	}
	top := repoTop(n.CWD)
	if top == "" || len(n.Argv) > 0 || n.Resume != "" || readRepo(api.Repo{Path: top}).Linked {
		return "", nil
	}
	settings, err := worktrees.ReadSettings(top)
	if err != nil || settings.Isolate == worktrees.IsolateNever || settings.Isolate == worktrees.IsolateIfBusy && !d.busy(top) {
		return "", err
	}
	d.nameFor(n)
	return n.Name, nil
}

// busy reports whether an agent runs in a work tree.
func (d *daemon) busy(top string) bool {
	for _, s := range d.events.Sessions() {
		if !s.State.Ended() && s.Plain == "" && s.CWD != "" && repoTop(s.CWD) == top {
			return true
		}
	}
	return false
}

// nameFor gives a session without a name one, as the registry would, that no session has had
// in the list; its branch is called so.
func (d *daemon) nameFor(n *api.NewSession) {
	if n.Name != "" {
		return
	}
	taken := map[string]bool{}
	for _, s := range d.events.Sessions() {
		taken[s.Name] = true
	}
	agent := cmp.Or(n.Agent, d.config.Load().DefaultAgent)
	for i := 1; n.Name == "" || taken[n.Name]; i++ {
		n.Name = fmt.Sprintf("%s-%d", agent, i)
	}
}

// setUp runs the setup command of a tree in a session of its own, beside the session that the tree
// is for, if the person has agreed to it before: who does not ask before (AskSetup) goes without.
func (d *daemon) setUp(ctx context.Context, n *api.NewSession, made api.WorktreeMade) {
	why := "nobody has agreed to it (`ccdir new -w` asks)"
	if made.Consent {
		name := cmp.Or(n.Name, filepath.Base(made.Path)) + "-setup"
		s, err := d.registry.Create(ctx, api.NewSession{Name: name, CWD: made.Path, Argv: []string{"sh", "-c", made.SetupCommand}, Env: n.Env, Worktree: "-"})
		if err == nil {
			n.Setup = "in session " + s.Name
			return
		}
		why = err.Error()
		d.log.Warn("a setup command was not run", "work tree", made.Path, "session", s.ID, "error", err)
	}
	n.Setup = textsafe.Line("not run: " + why)
	d.note(api.EventWorktree, textsafe.Line(fmt.Sprintf("the setup command of %s was not run: %s", made.Path, why)))
}
