package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/tui/widget/format"
)

func newWorktreeCommitCmd(a *verb.App, dir *string) *cobra.Command {
	in := api.CommitWorktree{}
	cmd := &cobra.Command{
		Use:   "commit TREE -m TEXT [-C DIR] [--json]",
		Short: "Commit everything in a work tree",
		Long: `Commit everything in a work tree (or that of the session in it): changed, deleted and
untracked files, what was staged or not. The commit is yours, and hooks of the repository
are not run. Prints the new commit, and says how to undo it. A rule of the policy of a
session there that denies git commit holds.`,
		Example: `  ccdir worktree commit fix-login -m "fix the redirect"
  ccdir worktree commit fix-login -m "fix the redirect" && ccdir worktree push fix-login --yes`,
		Args:              verb.Exactly(1, "TREE"),
		ValidArgsFunction: completeTrees(a, dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(in.Message) == "" {
				return verb.Usagef(cmd, "a commit needs a message: -m TEXT")
			}
			return inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
				in.Dir, in.Tree, in.Env = dir, args[0], a.Env
				out, err := c.CommitWorktree(ctx, in)
				if err != nil {
					return err
				}
				a.Tell("%s is at %.7s (%s); to undo it: git reset --mixed HEAD^ (in %s)", cmp.Or(out.Branch, "the work tree"), out.Commit, format.Plural(out.Files, "file", "files"), a.ShortPath(out.Path))
				return a.Output(out, func() error {
					_, err := fmt.Fprintln(a.Out, out.Commit)
					return err
				})
			})(cmd, args)
		},
	}
	cmd.Flags().StringVarP(&in.Message, "message", "m", "", "`TEXT` of the commit")
	a.JSONFlag(cmd, "print the commit as JSON")
	return cmd
}

func newWorktreePushCmd(a *verb.App, dir *string) *cobra.Command {
	in := api.PushWorktree{}
	yes := false
	cmd := &cobra.Command{
		Use:   "push TREE [-C DIR] [--plan] [--yes] [--json]",
		Short: "Push a work tree's branch, after showing where",
		Long: `Push the branch of a work tree (or of the session in it) under its own name, to the
remote that it follows, or to the only one or origin if it is new there; from then on it follows that.
Never over commits that are there, and without the hooks of the repository. First you see
where it goes, and are asked; without a terminal --yes answers. A rule of the policy of a
session there that denies git push holds. ccdir pr pushes, too.`,
		Example: `  ccdir worktree push fix-login
  ccdir worktree push fix-login --plan --json | jq .commits`,
		Args:              verb.Exactly(1, "TREE"),
		ValidArgsFunction: completeTrees(a, dir),
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
			in.Dir, in.Tree, in.Env = dir, args[0], a.Env
			return push(ctx, a, c, in, yes)
		}),
	}
	cmd.Flags().BoolVar(&in.Plan, "plan", false, "say where it would go and do nothing")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	a.JSONFlag(cmd, "print where it goes, or went, as JSON")
	return cmd
}

// push says where the branch goes, asks, and pushes.
func push(ctx context.Context, a *verb.App, c *client.Client, in api.PushWorktree, yes bool) error {
	only := in.Plan
	in.Plan = true
	p, err := c.PushWorktree(ctx, in)
	if err != nil {
		return err
	}
	if !a.JSON || !only {
		what := format.Plural(p.Commits, "commit", "commits")
		if p.New {
			what = "new there"
		}
		a.Tell("%s (%.7s) → %s: %s", p.Branch, p.Head, p.Remote, what)
	}
	switch {
	case only:
		return a.Output(p, func() error { return nil })
	case yes:
	case !verb.Terminal(a.Stdin):
		return errors.New("nobody can be asked, since the input is no terminal: nothing was pushed; add --yes")
	default:
		if err := a.Confirm("push?"); err != nil {
			return err
		}
	}
	in.Plan = false
	if p, err = c.PushWorktree(ctx, in); err != nil {
		return err
	}
	a.Tell("%s is pushed to %s", p.Branch, p.Remote)
	return a.Output(p, func() error {
		_, err := fmt.Fprintln(a.Out, p.Head)
		return err
	})
}
