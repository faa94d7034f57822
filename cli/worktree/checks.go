package worktree

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

func newWorktreeChecksCmd(a *verb.App, dir *string) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "checks [-C DIR] [--yes] [--json]",
		Short: "Show the project's checks, and agree to them",
		Long: `Show the commands of [checks] in the project's .ccdir.toml, which run before the branch
of a task with --pr is pushed, each in a session of its own at the top of the task's
work tree. A command is run only after you have agreed to its exact text: you are
asked about each that is new (--yes agrees to all). With --json nothing is asked.`,
		Example: `  ccdir worktree checks
  ccdir worktree checks --yes`,
		Args: verb.Exactly(0, ""),
		RunE: inRepo(a, dir, func(ctx context.Context, c *client.Client, dir string, _ []string) error {
			list, err := c.Checks(ctx, dir)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(list)
			}
			if len(list) == 0 {
				a.Tell("the project has no checks: .ccdir.toml names them below [checks], such as test = \"make test\"")
			}
			for _, check := range list {
				agreed := map[bool]string{true: "agreed", false: "not agreed to"}[check.Consent]
				fmt.Fprintln(a.Out, a.Safe("%s  %s  (%s)", check.Name, verb.OneLine(check.Command), agreed))
			}
			return AgreeToChecks(ctx, a, c, list, yes)
		}),
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "agree to all")
	a.JSONFlag(cmd, "print a JSON array of the checks")
	return cmd
}

// AgreeToChecks asks the person about the checks that are new, or says how to agree where nobody can be asked.
func AgreeToChecks(ctx context.Context, a *verb.App, c *client.Client, list []api.ProjectCheck, yes bool) error {
	for _, check := range list {
		if check.Consent {
			continue
		}
		switch {
		case yes:
		case !verb.Terminal(a.Stdin):
			a.Tell("the check %s waits for your consent: `ccdir worktree checks` asks, --yes agrees", check.Name)
			continue
		default:
			a.Tell("the project's .ccdir.toml wants to run this check (%s) before branches of tasks are pushed:", check.Name)
			a.Tell("  %s", verb.OneLine(check.Command))
			if err := a.Confirm("run it, now and later?"); err != nil {
				a.Tell("it is not run, and tasks with --pr wait for it")
				continue
			}
		}
		if err := c.ConsentToCheck(ctx, check.Command); err != nil {
			return err
		}
	}
	return nil
}
