// Package task has the verbs below `ccdir task`: the queue and its tasks.
package task

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// Task makes the verb `task`.
func Task(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "task VERB",
		Short: "The queue of tasks: add, watch and steer them",
		Long: `Tasks are prompts that wait in a queue for a session of their own. In mode auto
the queue runs as many at once as its limit says; in mode manual a task waits
until it is started. Everything survives a crash of the daemon and a reboot.

A task is queued, starting, running, waiting (for a person), done, failed,
cancelled, timed_out or blocked (one that it needs did not succeed).`,
		Example: `  ccdir task add "fix the flaky test" -C ~/src/api --retries 1
  ccdir task add -f tonight.toml && ccdir task mode auto
  ccdir task ls
  ccdir task wait t1 t2 && ccdir task show t1`,
	}, newTaskAddCmd(a), newTaskLsCmd(a), newTaskShowCmd(a), newTaskStartCmd(a), newTaskCancelCmd(a), newTaskEditCmd(a), newTaskMoveCmd(a),
		newTaskClearCmd(a), newTaskSeenCmd(a), newTaskReleaseCmd(a), newTaskWaitCmd(a), newTaskLogsCmd(a), newTaskPatchCmd(a), newTaskModeCmd(a), newTaskLimitCmd(a), newTaskPauseCmd(a), newTaskResumeCmd(a))
}

func newTaskLsCmd(a *verb.App) *cobra.Command {
	var all, quiet, fleet bool
	var label string
	var limit int
	cmd := &cobra.Command{
		Use:     "ls [--all] [--label L] [--limit N] [-q] [--json]",
		Aliases: []string{"list"},
		Short:   "List the tasks, in the order of the queue",
		Long: `List the tasks that have not ended, in the order of the queue, and ten that have:
those first that failed or are done and that nobody has looked at, what was cancelled
last; with --all every one that is kept. --json lists all ("unseen" in those that nobody
has looked at). With --limit N at most N of them: the first ones of the queue, then
those that have ended.`,
		Example: `  ccdir task ls
  ccdir task ls --json | jq -r '.[] | select(.state == "failed") | .id'`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return verb.Usagef(cmd, "--limit %d: list at least one", limit)
			}
			ctx := cmd.Context()
			if fleet {
				list, err := fleetTasks(ctx, a)
				if err != nil {
					return err
				}
				list, _ = firstTasks(labelled(list, label), limit)
				return verb.PrintList(a, list, quiet, func(t api.Task) string { return t.ID }, func() error { printPlaced(a, list); return nil })
			}
			c, err := a.Connect(ctx)
			if err != nil {
				return err
			}
			list, err := c.Tasks(ctx)
			if err != nil {
				return err
			}
			unended := api.OpenTasks(list)
			list, left := firstTasks(labelled(list, label), limit)
			if left > 0 {
				fmt.Fprintf(a.Stderr, "%d more are left out by --limit\n", left)
				all = true // the limit says how many
			}
			return verb.PrintList(a, list, quiet, func(t api.Task) string { return t.ID }, func() error {
				q, err := c.Queue(ctx)
				if err != nil {
					return err
				}
				return printTasks(a, list, unended, q, all)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "every ended task too")
	cmd.Flags().StringVar(&label, "label", "", "only tasks with the label `L`")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` tasks")
	cmd.Flags().BoolVar(&fleet, "fleet", false, fleetHelp)
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "ids only")
	a.JSONFlag(cmd, "print a JSON array of tasks")
	return cmd
}

// newTaskShowCmd shows one task.
func newTaskShowCmd(a *verb.App) *cobra.Command {
	var last *api.TurnDiff // what the last turn of its session changed
	get := func(c *client.Client, ctx context.Context, ref string) (api.Task, error) {
		task, err := c.Task(ctx, ref)
		if err != nil || task.Session == "" {
			return task, err
		}
		if s, err := c.Session(ctx, task.Session); err == nil { // it may have been removed
			last = s.LastTurn
		}
		return task, nil
	}
	return fleetFlag(a, verb.ShowVerb(a, &cobra.Command{
		Use:               "show TASK [--json]",
		Annotations:       verb.FirstRef(),
		Short:             "Show everything about one task and its result",
		Example:           "  ccdir task show t3\n  ccdir task show t3 --json | jq -r .result.message",
		ValidArgsFunction: verb.Completing(a, completeAnyTask),
	}, "TASK", "print the task as JSON", get, func(a *verb.App, task api.Task) error { return printTask(a, task, last) }), api.FleetTask, func(a *verb.App, list []api.Task, err error) error {
		if err != nil {
			return err
		}
		return a.Output(list[0], func() error { return printTask(a, list[0], nil) })
	})
}

func newTaskWaitCmd(a *verb.App) *cobra.Command {
	var names string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:         "wait TASK… [--state STATES] [--timeout D] [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Block until tasks have ended",
		Long: `Block until every TASK has ended, or is in one of the states given, then print
each with its state. Exits 1 if one of them is neither done nor in such a state,
and when the time is over; --json prints the tasks as they are then.`,
		Example: `  ccdir task wait t1 t2 t3
  ccdir task wait t1 --state waiting --timeout 1h`,
		Args:              verb.AtLeast(1, "TASK"),
		ValidArgsFunction: verb.Completing(a, completeTasks),
		RunE: func(cmd *cobra.Command, args []string) error {
			states, err := verb.ParseNames(cmd, names, "state of a task", api.TaskStates())
			if err != nil {
				return err
			}
			return waitTasks(a, cmd, args, states, timeout)
		},
	}
	cmd.Flags().StringVar(&names, "state", "", "`STATES` to wait for besides the ends, with commas between them")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after `D` (30s, 5m)")
	a.JSONFlag(cmd, "print a JSON array of the tasks")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(verb.NamesOf(api.TaskStates()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func waitTasks(a *verb.App, cmd *cobra.Command, refs []string, states []api.TaskState, timeout time.Duration) error {
	c, err := a.Connect(cmd.Context())
	if err != nil {
		return err
	}
	deadline := time.Now().Add(timeout)
	// Names are resolved first: another task may have them once a task has ended.
	ids := make([]string, 0, len(refs))
	for _, ref := range refs {
		t, err := c.Task(cmd.Context(), ref)
		if err != nil {
			return err
		}
		ids = append(ids, t.ID)
	}
	list := make([]api.Task, 0, len(ids))
	bad := false
	var over error // why the wait ended before some reached their state
	for _, id := range ids {
		left := time.Duration(0)
		if timeout > 0 {
			left = max(time.Until(deadline), time.Millisecond)
		}
		t, err := c.WaitTask(cmd.Context(), id, states, left)
		if api.CodeOf(err) == api.CodeTimeout && a.JSON {
			over = cmp.Or(over, err)
			t, err = c.Task(cmd.Context(), id)
		}
		if err != nil {
			return err
		}
		list = append(list, t)
		bad = bad || t.State.Ended() && t.State != api.TaskDone && !hasState(states, t.State)
		if !a.JSON {
			fmt.Fprintln(a.Out, strings.TrimRight(textsafe.Line(fmt.Sprintf("%s %s %s", t.ID, t.State, t.Reason)), " "))
		}
	}
	if a.JSON {
		if err := a.PrintJSON(list); err != nil {
			return err
		}
	}
	if over != nil {
		return over
	}
	if bad {
		return verb.QuietError{}
	}
	return nil
}
