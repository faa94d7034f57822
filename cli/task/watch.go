package task

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// Watch makes the verb `watch`.
func Watch(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "watch VERB",
		Short: "Issues that become tasks",
		Long: `[[watch]] in config.toml names issues, by a label or a query of gh or glab, or by a
command that prints them, and the tasks that they become: each once. Their text is
marked as foreign in the prompt. docs/watches.md says more.`,
		Example: `  ccdir watch ls
  ccdir watch run bugs --dry-run`,
	}, newWatchLsCmd(a), newWatchRunCmd(a),
		eachWatch(a, "pause", "Keep watches from looking by themselves", "  ccdir watch pause bugs", (*client.Client).PauseWatch),
		eachWatch(a, "resume", "Let paused watches look again", "  ccdir watch resume bugs", (*client.Client).ResumeWatch))
}

// eachWatch makes a verb that does one thing to every WATCH given.
func eachWatch(a *verb.App, use, short, example string, do func(*client.Client, context.Context, string) (api.Watch, error)) *cobra.Command {
	return verb.EachVerb(a, &cobra.Command{Use: use + " WATCH… [--json]", Short: short, Example: example, Annotations: verb.AllRefs(), ValidArgsFunction: cobra.NoFileCompletions},
		"WATCH", "print a JSON array of the watches", do, func(a *verb.App, list []api.Watch, err error) error {
			return errors.Join(verb.PrintList(a, list, false, nil, func() error {
				for _, w := range list {
					fmt.Fprintln(a.Out, w.Name, map[bool]string{true: "paused", false: "on"}[w.Paused])
				}
				return nil
			}), err)
		})
}

func newWatchLsCmd(a *verb.App) *cobra.Command {
	return verb.ListVerb(a, &cobra.Command{
		Use:     "ls [--json]",
		Aliases: []string{"list"},
		Short:   "List the watches",
		Long:    `List the watches: which issues, when they looked last, what they took today, and why one cannot look. --json has the newest issues that each took, with their tasks.`,
		Example: "  ccdir watch ls\n  ccdir watch ls --json | jq -r '.[].taken[] | [.id, .task] | @tsv'",
	}, "print a JSON array of the watches", "there is no [[watch]] in config.toml: docs/watches.md has examples",
		(*client.Client).Watches, printWatches)
}

func printWatches(a *verb.App, list []api.Watch) error {
	t := verb.Table{}
	t.Row(verb.Plain("WATCH", "OF", "LOOKED", "TODAY", "STATE")...)
	now := time.Now()
	for _, w := range list {
		state, looked := "on", ""
		if w.Paused {
			state = "paused"
		}
		if w.Problem != "" {
			state = w.Problem
		}
		if !w.Looked.IsZero() {
			looked = verb.Age(now, w.Looked) + " ago"
		}
		t.Row(verb.Plain(w.Name, textsafe.Cut(textsafe.Line(w.Of), 40), looked, fmt.Sprintf("%d/%d", w.Today, w.Limit), textsafe.Cut(textsafe.Line(state), 100))...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

func newWatchRunCmd(a *verb.App) *cobra.Command {
	var run api.RunWatch
	cmd := &cobra.Command{
		Use:         "run WATCH [--dry-run] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Look for new issues now, also while the watch is paused",
		Long: `Look for new issues now, and print those that became tasks. --dry-run prints those
that would, and takes none.`,
		Example:           "  ccdir watch run bugs --dry-run",
		Args:              verb.Exactly(1, "WATCH"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			items, err := c.RunWatch(cmd.Context(), args[0], run)
			if err != nil {
				return err
			}
			return verb.Listed(a, items, "there is no new issue", func() error {
				t := verb.Table{}
				t.Row(verb.Plain("ISSUE", "TASK", "TITLE")...)
				for _, i := range items {
					t.Row(verb.Plain(textsafe.Cut(i.ID, 30), i.Task, strings.TrimSpace(textsafe.Cut(textsafe.Line(i.Title), 80)+"  "+i.Left))...)
				}
				return t.WriteWithin(a.Out, a.Colours(), a.Columns())
			})
		},
	}
	cmd.Flags().BoolVar(&run.Dry, "dry-run", false, "print what would be taken, and take nothing")
	a.JSONFlag(cmd, "print a JSON array of the issues")
	return cmd
}
