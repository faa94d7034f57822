package repositories

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/worktrees"
)

// Prepare completes a request for a session: its work tree, and that tree's
// variables.
func (r *Repositories) Prepare(ctx context.Context, n *api.NewSession) error {
	branch, err := r.branchFor(n)
	if err != nil {
		return err
	}
	if branch != "" && n.AskSetup {
		s, err := r.Setup(ctx, *n)
		if err != nil {
			return err
		}
		if s.Command != "" && !s.Consent {
			return api.Errorf(api.CodeAsks, "the project has a setup command that nobody has agreed to: `ccdir new -w` shows it")
		}
	}
	if branch != "" {
		made, err := r.Add(ctx, api.NewWorktree{Dir: n.CWD, Branch: branch, Base: n.Base, Env: n.Env})
		if err != nil {
			return err
		}
		n.CWD = made.Dir
		if made.SetupCommand != "" && !made.Existed {
			r.setUp(ctx, n, made)
		}
	}
	n.ExtraEnv = append(worktrees.Env(n.CWD), n.ExtraEnv...) // the caller's own win
	return asksWalls(n)
}

// asksWalls notes which walls the project asks for around an agent of whose walls the person says
// nothing.
func asksWalls(n *api.NewSession) error {
	top := repoTop(n.CWD)
	if n.Sandbox != "" || len(n.Argv) > 0 || top == "" {
		return nil
	}
	settings, err := worktrees.ReadSettings(top)
	if err != nil && n.Resume == "" { // a conversation that is there goes on
		return fmt.Errorf("%w: correct it, or name the walls yourself (--sandbox)", err)
	}
	n.Project = settings.Sandbox
	return nil
}

// branchFor is the branch whose work tree a session gets, "" for none.
func (r *Repositories) branchFor(n *api.NewSession) (string, error) {
	switch n.Worktree {
	case "-":
		return "", nil
	case ".":
		r.nameFor(n)
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
	if err != nil || settings.Isolate == worktrees.IsolateNever || settings.Isolate == worktrees.IsolateIfBusy && !r.busy(top) {
		return "", err
	}
	r.nameFor(n)
	return n.Name, nil
}

// busy reports whether an agent runs in a work tree.
func (r *Repositories) busy(top string) bool {
	for _, s := range r.o.Journal.Sessions() {
		if !s.State.Ended() && s.Plain == "" && s.CWD != "" && repoTop(s.CWD) == top {
			return true
		}
	}
	return false
}

// nameFor gives a session without a name one, as the registry would, that no session has had
// in the list; its branch is called so.
func (r *Repositories) nameFor(n *api.NewSession) {
	if n.Name != "" {
		return
	}
	taken := map[string]bool{}
	for _, s := range r.o.Journal.Sessions() {
		taken[s.Name] = true
	}
	agent := cmp.Or(n.Agent, r.o.Config().DefaultAgent)
	for i := 1; n.Name == "" || taken[n.Name]; i++ {
		n.Name = fmt.Sprintf("%s-%d", agent, i)
	}
}

// setUp runs the setup command of a tree in a session of its own, beside the session that the tree
// is for, if the person has agreed to it before: who does not ask before (AskSetup) goes without.
func (r *Repositories) setUp(ctx context.Context, n *api.NewSession, made api.WorktreeMade) {
	why := "nobody has agreed to it (`ccdir new -w` asks)"
	if made.Consent {
		name := cmp.Or(n.Name, filepath.Base(made.Path)) + "-setup"
		s, err := r.o.Sessions.Create(ctx, api.NewSession{Name: name, CWD: made.Path, Argv: []string{"sh", "-c", made.SetupCommand}, Env: n.Env, Worktree: "-"})
		if err == nil {
			n.Setup = "in session " + s.Name
			return
		}
		why = err.Error()
		r.o.Logger.Warn("a setup command was not run", "work tree", made.Path, "session", s.ID, "error", err)
	}
	n.Setup = textsafe.Line("not run: " + why)
	r.o.Note(api.EventWorktree, textsafe.Line(fmt.Sprintf("the setup command of %s was not run: %s", made.Path, why)))
}
