package session

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/cli/worktree"
	"ccdir/client"
	"ccdir/tui/widget/format"
)

// treeFlags are the flags of `new` about work trees.
type treeFlags struct {
	branch, base string
	fetch, yes   bool
}

func (t *treeFlags) add(a *verb.App, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&t.branch, "worktree", "w", "", "in a work tree of its own with that `BRANCH`; . is a branch of the session's name, - is none")
	f.StringVar(&t.base, "base", "", "with -w: commit or branch that a new branch begins at, `REF` (default: what is checked out)")
	f.BoolVar(&t.fetch, "fetch", false, "with -w: fetch from the remote first")
	f.BoolVarP(&t.yes, "yes", "y", false, "with -w: agree to the project's setup command")
	_ = cmd.RegisterFlagCompletionFunc("worktree", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("base", cobra.NoFileCompletions)
}

func (t *treeFlags) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	switch {
	case f.Changed("worktree") && t.branch == "":
		return verb.Usagef(cmd, "-w needs a branch; . is one of the session's name")
	case (t.base != "" || t.fetch || t.yes) && (t.branch == "" || t.branch == "-"):
		return verb.Usagef(cmd, "--base, --fetch and --yes are for a work tree: add -w BRANCH")
	}
	return nil
}

// inTree makes the work tree of a new session, runs its setup command if the person agrees,
// and sets where the session starts.
func inTree(ctx context.Context, a *verb.App, c *client.Client, n *api.NewSession, t *treeFlags) error {
	if t.branch == "" || t.branch == "-" {
		n.Worktree = t.branch
		return nil
	}
	branch := t.branch
	if branch == "." {
		if err := nameSession(ctx, a, c, n); err != nil {
			return err
		}
		branch = n.Name
	}
	made, err := c.AddWorktree(ctx, api.NewWorktree{Dir: n.CWD, Branch: branch, Base: t.base, Fetch: t.fetch, Env: a.Env})
	if err != nil {
		return err
	}
	worktree.TellMade(a, made)
	n.CWD, n.Worktree = made.Dir, "-"
	if made.SetupCommand == "" || made.Existed {
		return nil
	}
	return setUp(ctx, a, c, n, made, t.yes)
}

// nameSession gives a session without a name the one that it would have, so that its branch
// can have the same.
func nameSession(ctx context.Context, a *verb.App, c *client.Client, n *api.NewSession) error {
	if n.Name != "" {
		return nil
	}
	list, err := c.Sessions(ctx)
	if err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, s := range list {
		taken[s.Name] = true
	}
	agent := cmp.Or(n.Agent, a.Config().DefaultAgent)
	if len(n.Argv) > 0 {
		agent = "command"
	}
	for i := 1; n.Name == "" || taken[n.Name]; i++ {
		n.Name = fmt.Sprintf("%s-%d", agent, i)
	}
	return nil
}

// setUp runs the setup command of a new tree in a session of its own. The person agrees to
// each text once; the ledger keeps that.
func setUp(ctx context.Context, a *verb.App, c *client.Client, n *api.NewSession, made api.WorktreeMade, yes bool) error {
	if !made.Consent {
		a.Tell("the project's .ccdir.toml wants to run this in the new work tree:")
		a.Tell("  %s", made.SetupCommand)
		switch {
		case yes:
		case !verb.Terminal(a.Stdin):
			a.Tell("it was not run: --yes agrees to it")
			return nil
		default:
			if err := a.Confirm("run it, now and in later work trees?"); err != nil {
				a.Tell("it was not run")
				return nil
			}
		}
		if err := c.ConsentToSetup(ctx, made.SetupCommand); err != nil {
			return err
		}
	}
	name := cmp.Or(n.Name, filepath.Base(made.Path)) + "-setup"
	s, err := c.CreateSession(ctx, api.NewSession{Name: name, CWD: made.Path, Argv: []string{"sh", "-c", made.SetupCommand}, Env: a.Env, Worktree: "-"})
	if err != nil {
		return err
	}
	if !made.Wait {
		a.Tell("it runs in session %s", s.Name)
		return nil
	}
	a.Tell("it runs in session %s; the agent starts when it is done", s.Name)
	for {
		end, err := c.Wait(ctx, s.ID, []api.State{api.StateExited}, time.Hour)
		switch {
		case api.CodeOf(err) == api.CodeTimeout:
			continue
		case err != nil:
			return err
		case end.ExitCode == nil || *end.ExitCode != 0:
			return fmt.Errorf("the setup command failed: `ccdir output %s` shows why; start the session with `ccdir new -C %s`", s.Name, made.Dir)
		}
		return nil
	}
}

// forkTree makes the work tree of a fork, with what the session's work tree has and no
// commit, runs its setup command if the person agrees, and returns the directory in it.
func forkTree(ctx context.Context, a *verb.App, c *client.Client, ref string, f *api.Fork, branch string, yes bool) (string, error) {
	s, err := c.Session(ctx, ref)
	if err != nil {
		return "", err
	}
	if branch == "." {
		f.Name = cmp.Or(f.Name, s.Name+"-fork")
		branch = f.Name
	}
	// Before a tree is made. A daemon of an earlier version does not know the question.
	if _, err := c.ForkSession(ctx, ref, api.Fork{Name: f.Name, Check: true}); err != nil && api.CodeOf(err) != api.CodeInvalid {
		return "", err
	}
	made, err := c.AddWorktree(ctx, api.NewWorktree{Dir: s.CWD, Branch: branch, Carry: true, Env: a.Env})
	if err != nil {
		return "", err
	}
	worktree.TellMade(a, made)
	if made.Carried > 0 {
		a.Tell("%s without a commit came along", format.Plural(made.Carried, "file", "files"))
	}
	if made.SetupCommand == "" || made.Existed {
		return made.Dir, nil
	}
	return made.Dir, setUp(ctx, a, c, &api.NewSession{Name: cmp.Or(f.Name, s.Name+"-fork")}, made, yes)
}
