package worktree

import (
	"context"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Conflicts makes the verb `conflicts`.
func Conflicts(a *verb.App) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:   "conflicts [-C DIR] [--json]",
		Short: "List sessions whose work would collide",
		Long: `List the pairs of sessions in different work trees of one repository whose work would
collide, by merging snapshots of what they have now, committed or not: "lines" if the
merge conflicts, "file" if both changed the same file and it does not. Nothing is
written into the repository. Without -C all repositories with sessions are looked at.`,
		Example: `  ccdir conflicts
  ccdir conflicts --json | jq -r '.[] | select(.kind == "lines") | .paths[]'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			at := ""
			if dir != "" {
				var err error
				if at, err = a.FromHere(dir, "an absolute one with -C"); err != nil {
					return err
				}
			}
			list, err := c.Conflicts(ctx, at)
			if err != nil {
				return err
			}
			return verb.Listed(a, list, "no conflicts", func() error { return printConflicts(ctx, a, c, list) })
		}),
	}
	cmd.Flags().StringVarP(&dir, "dir", "C", "", "only of the repository around `DIR`")
	_ = cmd.MarkFlagDirname("dir")
	a.JSONFlag(cmd, "print a JSON array of conflicts")
	return cmd
}

func printConflicts(ctx context.Context, a *verb.App, c *client.Client, list []api.Conflict) error {
	names := map[string]string{}
	if sessions, err := c.Sessions(ctx); err == nil {
		for _, s := range sessions {
			names[s.ID] = s.Name
		}
	}
	name := func(id string) string {
		if names[id] != "" {
			return names[id]
		}
		return id
	}
	t := verb.Table{}
	t.Row(verb.Plain("KIND", "SESSIONS", "PATHS", "REPOSITORY")...)
	for _, one := range list {
		row := verb.Plain(one.Kind, name(one.A)+" ≠ "+name(one.B), shorten(one.Paths), a.ShortPath(one.Repo))
		row[0].Sgr = map[string]string{api.ConflictLines: "31", api.ConflictFile: "33"}[one.Kind]
		t.Row(row...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}
