package session

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Reset makes the verb `reset`.
func Reset(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "reset SESSION… [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Start agents again with a new conversation",
		Long: `End the process of each SESSION if it runs, and start it again with a new
conversation: same name, place, settings. What was said before stays in
ccdir transcript. One that cannot be started does not keep the others from it.`,
		Example:           "  ccdir reset api\n  ccdir reset api && ccdir send api \"now the next one\"",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return again(ctx, a, c, args, c.ResetSession)
		}),
	}
	a.JSONFlag(cmd, "print the session as JSON, or of several an array")
	return cmd
}

// Fork makes the verb `fork`.
func Fork(a *verb.App) *cobra.Command {
	var f api.Fork
	branch, yes := "", false
	cmd := &cobra.Command{
		Use:         "fork SESSION [-n NAME] [-w BRANCH [--yes]] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Start a second session that goes on from the same conversation",
		Long: `Start a second session with the settings of SESSION, in its directory, that goes on
from the same conversation, and print its id. The first one is left as it is; it
may have ended.

With -w BRANCH the second one works in a git work tree of its own, with everything that
the first one's work tree has and no commit: staged, changed and new files. -w . is a
branch of its name. A setup command of the project is run first, as by ccdir new -w.`,
		Example:           "  ccdir fork api\n  ccdir fork api -n api-other-way && ccdir send api-other-way \"now without a cache\"",
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("name") && f.Name == "" {
				return verb.Usagef(cmd, "the name is empty")
			}
			if yes && branch == "" {
				return verb.Usagef(cmd, "--yes is for a work tree: add -w BRANCH")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("worktree") {
				if f.CWD, err = forkTree(cmd.Context(), a, c, args[0], &f, branch, yes); err != nil {
					return err
				}
			}
			s, err := c.ForkSession(cmd.Context(), args[0], f)
			if err != nil {
				if f.CWD != "" {
					a.Tell("the work tree stays: %s", f.CWD)
				}
				return err
			}
			return a.Output(s, func() error {
				_, err := fmt.Fprintln(a.Out, verb.Prefixed(a.Node, s.ID))
				return err
			})
		},
	}
	cmd.Flags().StringVarP(&f.Name, "name", "n", "", "`NAME` of the new session (default SESSION-fork)")
	verb.RefFlag(cmd, "name")
	cmd.Flags().StringVarP(&branch, "worktree", "w", "", "in a work tree of its own with the new `BRANCH`, and what the first one has changed")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "with -w: agree to the project's setup command")
	_ = cmd.RegisterFlagCompletionFunc("worktree", cobra.NoFileCompletions)
	a.JSONFlag(cmd, "print the whole new session as JSON")
	return cmd
}
