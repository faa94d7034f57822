package worktree

import (
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

func newWorktreeMergeCmd(a *verb.App, dir *string) *cobra.Command {
	in := api.MergeWorktree{}
	modes := map[string]*bool{}
	yes := false
	cmd := &cobra.Command{
		Use:   "merge TREE [-C DIR] [--squash|--rebase|--ff|--no-ff] [--into BRANCH] [-m TEXT] [--plan] [--yes] [--json]",
		Short: "Merge a work tree's branch, after showing what that does",
		Long: `Merge the branch of a work tree (or of the session in it) into the branch that it was
made from, the default branch, or --into. First you see the plan: commits, files, what
is done. Nothing is merged while the work tree has changes that no commit has, or if it
conflicts: then ccdir offers to have the session resolve it. Where the target is checked out, its files
follow, and what is changed there stays. What the branch was before stays under
refs/ccdir/undo for 30 days. Without a terminal --yes answers.`,
		Example: `  ccdir worktree merge fix-login --squash
  ccdir worktree merge fix-login --plan
  ccdir worktree merge fix-login --yes --into release && ccdir worktree rm fix-login`,
		Args:              verb.Exactly(1, "TREE"),
		ValidArgsFunction: completeTrees(a, dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			for mode, on := range modes {
				switch {
				case !*on:
				case in.Mode != "":
					return verb.Usagef(cmd, "--%s and --%s exclude one another", in.Mode, mode)
				default:
					in.Mode = mode
				}
			}
			return inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, args []string) error {
				in.Dir, in.Tree, in.Env = dir, args[0], a.Env
				return merge(ctx, a, c, in, yes)
			})(cmd, args)
		},
	}
	f := cmd.Flags()
	for mode, what := range map[string]string{api.MergeSquash: "one commit with all changes", api.MergeRebase: "each commit again, on top of the target",
		api.MergeFF: "a fast-forward, or an error", api.MergeNoFF: "a merge commit in any case"} {
		modes[mode] = f.Bool(mode, false, what)
	}
	f.StringVar(&in.Into, "into", "", "`BRANCH` that gets the commits")
	f.StringVarP(&in.Message, "message", "m", "", "`TEXT` of the merge or squash commit (default: of the commits)")
	f.BoolVar(&in.Plan, "plan", false, "show the plan and do nothing")
	f.BoolVarP(&yes, "yes", "y", false, "do not ask")
	_ = cmd.RegisterFlagCompletionFunc("into", cobra.NoFileCompletions)
	a.JSONFlag(cmd, "print the plan, or what was done, as JSON")
	return cmd
}

// merge shows the plan, asks, and merges.
func merge(ctx context.Context, a *verb.App, c *client.Client, in api.MergeWorktree, yes bool) error {
	only := in.Plan
	in.Plan = true
	m, err := c.MergeWorktree(ctx, in)
	if err != nil {
		return err
	}
	if !a.JSON || !only {
		tellPlan(a, m)
	}
	switch {
	case only:
		return a.Output(m, func() error { return nil })
	case len(m.Conflicts) > 0:
		return offerConflict(ctx, a, c, m)
	case yes:
	case !verb.Terminal(a.Stdin):
		return errors.New("nobody can be asked, since the input is no terminal: nothing was merged; add --yes")
	default:
		if err := a.Confirm("merge?"); err != nil {
			return err
		}
	}
	if in.Plan = false; !yes { // what was looked at; without that, merges beside this one may come before
		in.Head, in.Target = m.Head, m.Target
	}
	if m, err = c.MergeWorktree(ctx, in); err != nil {
		return err
	}
	a.Tell("%s is at %.7s; to undo it: git reset --keep %s (on %[1]s)", m.Into, m.Commit, m.Undo)
	return a.Output(m, func() error {
		_, err := fmt.Fprintln(a.Out, m.Commit)
		return err
	})
}

// shownCommits bounds the commits and files of a plan that are printed.
const shownCommits = 10

// tellPlan prints a plan on standard error.
func tellPlan(a *verb.App, m api.MergedWorktree) {
	for _, note := range m.Notes {
		a.Tell("%s", note)
	}
	a.Tell("%s → %s", m.Branch, m.Into)
	for i, subject := range m.Commits {
		if i == shownCommits {
			a.Tell("  … %d more", len(m.Commits)-i)
			break
		}
		a.Tell("  * %s", subject)
	}
	a.Tell("%s: %s", format.Plural(len(m.Files), "changed file", "changed files"), shorten(m.Files))
	if len(m.Conflicts) > 0 {
		a.Tell("conflicts in %s", shorten(m.Conflicts))
		return
	}
	for i, step := range m.Steps {
		a.Tell("%d. %s", i+1, step)
	}
	for _, ask := range m.Asks {
		a.Tell("note: %s", ask)
	}
}

func shorten(names []string) string {
	if len(names) > shownCommits {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownCommits], ", "), len(names)-shownCommits)
	}
	return strings.Join(names, ", ")
}

// offerConflict offers a conflict as a prompt to the session in the tree.
func offerConflict(ctx context.Context, a *verb.App, c *client.Client, m api.MergedWorktree) error {
	failed := fmt.Errorf("%s conflicts with %s in %s: nothing was merged", m.Branch, m.Into, shorten(m.Conflicts))
	if len(m.Sessions) == 0 {
		return failed
	}
	prompt := m.ConflictPrompt()
	if !verb.Terminal(a.Stdin) {
		return fmt.Errorf("%w; have its session resolve it: ccdir send %s %q", failed, m.Sessions[0], prompt)
	}
	a.Tell("its session can resolve that. The prompt would be:")
	a.Tell("  %s", prompt)
	if a.Confirm("send it?") != nil {
		return failed
	}
	if _, err := c.SendPrompt(ctx, m.Sessions[0], api.SendPrompt{Text: prompt, Wait: true}); err != nil {
		return err
	}
	return fmt.Errorf("%w; the prompt was sent: merge again when the session is done", failed)
}
