package task

import (
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

// On makes the verb `on`.
func On(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "on VERB",
		Short: "Commands that events start",
		Long: `[[on]] in config.toml names events and a command, which gets each event as JSON on
standard input. It runs with the daemon's environment in your home directory, ends
after 30 s (timeout), and may call nothing of ccdir's. docs/events.md lists the events,
and has examples.`,
		Example: `  ccdir on ls
  ccdir on test task.done`,
	}, newOnLsCmd(a), newOnTestCmd(a))
}

func newOnLsCmd(a *verb.App) *cobra.Command {
	return verb.ListVerb(a, &cobra.Command{
		Use:     "ls [--json]",
		Aliases: []string{"list"},
		Short:   "List the commands that events start",
		Long: `List [[on]] of config.toml: the events, how often the command has run and failed since
the daemon started, and what became of the last run. --json has its output, too.`,
		Example: `  ccdir on ls
  ccdir on ls --json | jq -r '.[] | select(.last.error) | .last.output'`,
	}, "print a JSON array of the reactions", "there is no [[on]] in config.toml: docs/events.md has examples",
		(*client.Client).Reactions, printReactions)
}

func printReactions(a *verb.App, list []api.Reaction) error {
	t := verb.Table{}
	t.Row(verb.Plain("ON", "EVENT", "RUNS", "FAILED", "LAST", "RUN")...)
	now := time.Now()
	for _, r := range list {
		last := ""
		switch {
		case r.Fault != "":
			last = r.Fault
		case r.Last != nil && r.Last.Error != "":
			last = r.Last.Error
		case r.Last != nil:
			last = verb.Age(now, r.Last.At) + " ago"
		}
		t.Row(verb.Plain(fmt.Sprint(r.Number), textsafe.Cut(textsafe.Line(strings.Join(r.Events, " ")), 40), fmt.Sprint(r.Runs), fmt.Sprint(r.Failures),
			textsafe.Cut(textsafe.Line(last), 60), textsafe.Cut(textsafe.Line(r.Run), 60))...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

func newOnTestCmd(a *verb.App) *cobra.Command {
	t := api.ReactionTest{}
	cmd := &cobra.Command{
		Use:   "test EVENT [--number N] [--json]",
		Short: "Run the commands of an event with a sample of it",
		Long: `Run the commands that [[on]] of config.toml has for EVENT, with a sample of it: a task
t1 "tests" of a session "api". Conditions (if) do not count. Prints what they say, and
fails if one fails. --number runs that one, whatever its events are.`,
		Example:           "  ccdir on test task.done\n  ccdir on test permission.open --number 2",
		Args:              verb.Exactly(1, "EVENT"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			t.Event = args[0]
			runs, err := c.TestReactions(cmd.Context(), t)
			if err != nil {
				return err
			}
			var failed error
			for _, run := range runs {
				if run.Error != "" {
					failed = errors.Join(failed, fmt.Errorf("[[on]] %d failed: %s", run.Number, run.Error))
				}
			}
			return errors.Join(verb.PrintList(a, runs, false, nil, func() error {
				for _, run := range runs {
					fmt.Fprintf(a.Out, "[[on]] %d: %d ms\n", run.Number, run.MS)
					if text := strings.TrimRight(run.Output, "\n"); text != "" {
						fmt.Fprintln(a.Out, text)
					}
				}
				return nil
			}), failed)
		},
	}
	cmd.Flags().IntVar(&t.Number, "number", 0, "run the reaction with that `N` alone, as ccdir on ls numbers them")
	a.JSONFlag(cmd, "print a JSON array of the runs")
	return cmd
}
