package task

import (
	"cmp"
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

func newScheduleLsCmd(a *verb.App) *cobra.Command {
	return verb.ListVerb(a, &cobra.Command{
		Use:     "ls [--json]",
		Aliases: []string{"list"},
		Short:   "List the schedules, the one that is due next first",
		Long: `List the schedules: when they are due, when next, what became of the last due time,
and the prompt. --json has "next" (null: not due any more, or paused), and "last" with
at, due, outcome (started, skipped, missed or failed), task and reason.`,
		Example: `  ccdir schedule ls
  ccdir schedule ls --json | jq -r '.[] | select(.last.outcome == "failed") | .id'`,
	}, "print a JSON array of the schedules", "there is no schedule: `ccdir schedule add \"0 7 * * 1-5\" \"PROMPT\"` makes one",
		(*client.Client).Schedules, printScheduleTable)
}

// nextOf is when a schedule is due next, in words.
func nextOf(v api.Schedule) string {
	if v.Next == nil {
		return string(v.State)
	}
	return v.Next.Local().Format("Mon 2006-01-02 15:04")
}

// lastOf is what became of the last due time, in words.
func lastOf(v api.Schedule, now time.Time) string {
	if v.Last == nil {
		return ""
	}
	text := v.Last.Outcome
	if v.Last.Outcome == api.RunStarted {
		text = cmp.Or(v.Last.Task, v.Last.Pending)
	}
	return text + " " + verb.Age(now, v.Last.At) + " ago"
}

// zoneOf is the zone of a schedule's times behind them, "" where it is this machine's.
func zoneOf(v api.Schedule) string {
	if v.Zone == "" || v.Zone == time.Local.String() {
		return ""
	}
	return "  " + textsafe.Line(v.Zone)
}

func printScheduleTable(a *verb.App, list []api.Schedule) error {
	t := verb.Table{}
	t.Row(verb.Plain("ID", "WHEN", "NEXT", "LAST", "PROMPT")...)
	now := time.Now()
	for _, v := range list {
		title, _, _ := strings.Cut(v.Prompt, "\n")
		if v.Name != "" {
			title = v.Name + ": " + title
		}
		t.Row(verb.Plain(v.ID, textsafe.Cut(textsafe.Line(v.When), 25)+zoneOf(v), nextOf(v), lastOf(v, now), textsafe.Cut(textsafe.Line(title), 60))...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

// printSchedules prints schedules that were changed.
func printSchedules(a *verb.App, list []api.Schedule, err error) error {
	return errors.Join(verb.PrintList(a, list, false, nil, func() error {
		for _, v := range list {
			fmt.Fprintln(a.Out, strings.TrimSpace(v.ID+" "+string(v.State)+" "+lastOf(v, time.Now())))
		}
		return nil
	}), err)
}

func newScheduleShowCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "show SCHEDULE [--json]",
		Annotations:       verb.FirstRef(),
		Short:             "Show a schedule, and what became of its last due time",
		Example:           "  ccdir schedule show s1",
		Args:              verb.Exactly(1, "SCHEDULE"),
		ValidArgsFunction: verb.Completing(a, completeSchedules),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			v, err := c.Schedule(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.Output(v, func() error { printSchedule(a, v); return nil })
		},
	}
	a.JSONFlag(cmd, "print the schedule as JSON")
	return cmd
}

func printSchedule(a *verb.App, v api.Schedule) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(a.Out, "%-10s %s\n", name, textsafe.Line(text))
		}
	}
	line("schedule", strings.TrimSpace(v.ID+" "+v.Name))
	line("state", strings.TrimSpace(string(v.State)+"  "+v.Reason))
	line("when", v.When+zoneOf(v))
	if v.Next != nil {
		line("next", nextOf(v))
	}
	line("to", v.To)
	line("missed", string(v.Missed))
	if v.Overlap {
		line("overlap", "yes")
	}
	line("source", v.Source)
	if n := v.Task; n != nil {
		line("agent", n.Agent)
		line("dir", a.ShortPath(n.CWD))
		line("branch", n.Worktree)
		line("role", n.Role)
		line("sandbox", n.Sandbox)
	}
	if run := v.Last; run != nil {
		line("last", run.At.Local().Format(time.DateTime)+"  "+run.Outcome+strings.TrimRight("  "+run.Reason, " "))
		line("task", run.Task)
		line("pending", run.Pending)
	}
	fmt.Fprintln(a.Out, textsafe.Block(v.Prompt))
}

func newScheduleRmCmd(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "rm SCHEDULE…",
		Annotations:       verb.AllRefs(),
		Short:             "Forget schedules; their tasks and prompts stay",
		Example:           "  ccdir schedule rm s1 s2",
		Args:              verb.AtLeast(1, "SCHEDULE"),
		ValidArgsFunction: verb.Completing(a, completeSchedules),
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return verb.EachSession(args, func(ref string) error { return c.RemoveSchedule(ctx, ref) })
		}),
	}
}

// completeSchedules completes ids of schedules.
func completeSchedules(a *verb.App, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	c, err := a.NewClient("completion")
	if err != nil {
		return nil, none
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), verb.CompleteTimeout)
	defer cancel()
	list, _ := c.Schedules(ctx)
	var out []string
	for _, v := range list {
		out = append(out, v.ID+"\t"+textsafe.Cut(textsafe.Line(v.Prompt), 40))
	}
	return out, none
}
