package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
)

// eachTask makes a verb that does one thing to every TASK given.
func (a *app) eachTask(use, short, example string, do func(*client.Client, context.Context, string) (api.Task, error)) *cobra.Command {
	return eachVerb(a, &cobra.Command{Use: use + " TASK… [--json]", Short: short, Example: example, ValidArgsFunction: a.completeTasks},
		"TASK", "print a JSON array of the tasks", do, a.changed)
}

// changed prints tasks that were changed.
func (a *app) changed(list []api.Task, err error) error {
	return errors.Join(printList(a, list, false, nil, func() error {
		for _, t := range list {
			fmt.Fprintln(a.out, t.ID, t.State)
		}
		return nil
	}), err)
}

func newTaskStartCmd(a *app) *cobra.Command {
	return a.eachTask("start", "Start queued tasks before all others, or let held ones go on",
		"  ccdir task start t3", startTask)
}

// startTask starts a task in its present state, so that a retry does not start it again
// after it has failed.
func startTask(c *client.Client, ctx context.Context, ref string) (api.Task, error) {
	t, err := c.Task(ctx, ref)
	if err != nil {
		return t, err
	}
	return c.StartTask(api.IfMatch(ctx, t.Version()), t.ID)
}

func newTaskCancelCmd(a *app) *cobra.Command {
	return a.eachTask("cancel", "End tasks, and their sessions",
		"  ccdir task cancel t3 t4", (*client.Client).CancelTask)
}

func newTaskEditCmd(a *app) *cobra.Command {
	var prompt, agent, model, dir string
	var priority, retries int
	var after, always []string
	cmd := &cobra.Command{
		Use:   "edit TASK [--prompt TEXT] [-a AGENT] [--model M] [-C DIR] [--priority N] [--retries N] [--after TASK]… [--json]",
		Short: "Change a queued task",
		Long: `Change a task that is queued; what is not named stays. --after and --after-always
replace all that it comes after (--after "": nothing).`,
		Example:           "  ccdir task edit t9 --prompt \"update the changelog, too\"\n  ccdir task edit t9 --priority 5 --after t3",
		Args:              exactly(1, "TASK"),
		ValidArgsFunction: a.completeTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			changed := cmd.Flags().Changed
			var e api.EditTask
			if changed("prompt") {
				e.Prompt = &prompt
			}
			if changed("agent") {
				e.Agent = &agent
			}
			if changed("model") {
				e.Model = &model
			}
			if changed("priority") {
				e.Priority = &priority
			}
			if changed("retries") {
				e.Retries = &retries
			}
			if changed("dir") {
				abs, err := a.fromHere(dir, "an absolute one with -C")
				if err != nil {
					return err
				}
				e.CWD = &abs
			}
			if changed("after") || changed("after-always") {
				list := append(afterTasks(after, false), afterTasks(always, true)...)
				e.After = &list
			}
			if e == (api.EditTask{}) {
				return usagef(cmd, "nothing to change: name it with --prompt, -a, --model, -C, --priority, --retries or --after")
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			t, err := c.EditTask(cmd.Context(), args[0], e)
			if err != nil {
				return err
			}
			return a.changed([]api.Task{t}, nil)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&prompt, "prompt", "", "`TEXT` of its first prompt")
	fl.StringVarP(&agent, "agent", "a", "", "`AGENT`")
	fl.StringVar(&model, "model", "", "`MODEL` that the agent uses")
	fl.StringVarP(&dir, "dir", "C", "", "`DIR` to work in")
	fl.IntVar(&priority, "priority", 0, "`N` from -100 to 100, greater first")
	fl.IntVar(&retries, "retries", 0, "repeat a failed attempt `N` times")
	fl.StringArrayVar(&after, "after", nil, "begin after the `TASK` is done; may be repeated")
	fl.StringArrayVar(&always, "after-always", nil, "begin after the `TASK` has ended in any way; may be repeated")
	a.jsonFlag(cmd, "print a JSON array of the task")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.completeAgent)
	_ = cmd.RegisterFlagCompletionFunc("after", a.completeTasks)
	_ = cmd.RegisterFlagCompletionFunc("after-always", a.completeTasks)
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// afterTasks are the tasks that a flag names; an empty name is none.
func afterTasks(names []string, always bool) []api.TaskAfter {
	list := []api.TaskAfter{}
	for _, n := range names {
		if n != "" {
			list = append(list, api.TaskAfter{Task: n, Always: always})
		}
	}
	return list
}

func newTaskMoveCmd(a *app) *cobra.Command {
	var before string
	cmd := &cobra.Command{
		Use:               "move TASK [--before TASK] [--json]",
		Short:             "Give a queued task another place: before another one, or last",
		Example:           "  ccdir task move t9 --before t3\n  ccdir task move t3",
		Args:              exactly(1, "TASK"),
		ValidArgsFunction: a.completeTask,
		RunE: a.connected(func(ctx context.Context, c *client.Client, args []string) error {
			t, err := c.MoveTask(ctx, args[0], before)
			if err != nil {
				return err
			}
			return a.changed([]api.Task{t}, nil)
		}),
	}
	cmd.Flags().StringVar(&before, "before", "", "the queued `TASK` that it goes before")
	a.jsonFlag(cmd, "print a JSON array of the task")
	return cmd
}

func newTaskClearCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "clear [--json]", Short: "Cancel every queued task; what runs goes on",
		Example:           "  ccdir task clear",
		Args:              noArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.connected(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.ClearTasks(ctx)
			if err != nil {
				return err
			}
			return a.changed(list, nil)
		}),
	}
	a.jsonFlag(cmd, "print a JSON array of the cancelled tasks")
	return cmd
}

// queueVerb makes a verb that shows or changes the queue.
func (a *app) queueVerb(use, short, example string, args cobra.PositionalArgs, change func(cmd *cobra.Command, args []string) (*api.QueueChange, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " [--json]", Short: short, Example: example, Args: args,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			change, err := change(cmd, args)
			if err != nil {
				return err
			}
			c, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			var q api.Queue
			if change == nil {
				q, err = c.Queue(cmd.Context())
			} else {
				q, err = c.ChangeQueue(cmd.Context(), *change)
			}
			if err != nil {
				return err
			}
			return a.output(q, func() error {
				_, err := fmt.Fprintln(a.out, queueLine(q))
				return err
			})
		},
	}
	a.jsonFlag(cmd, "print the queue as JSON")
	return cmd
}

func newTaskModeCmd(a *app) *cobra.Command {
	cmd := a.queueVerb("mode [manual|auto|paused]", "Show or set how the queue begins tasks",
		"  ccdir task mode auto", atMostOne,
		func(cmd *cobra.Command, args []string) (*api.QueueChange, error) {
			if len(args) == 0 {
				return nil, nil
			}
			switch m := api.QueueMode(args[0]); m {
			case api.QueueManual, api.QueueAuto, api.QueuePaused:
				return &api.QueueChange{Mode: m}, nil
			}
			return nil, usagef(cmd, "the mode is manual, auto or paused, found %q", args[0])
		})
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"manual", "auto", "paused"}, cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

func newTaskLimitCmd(a *app) *cobra.Command {
	cmd := a.queueVerb("limit [N]", "Show or set how many tasks run at once", "  ccdir task limit 3", atMostOne,
		func(cmd *cobra.Command, args []string) (*api.QueueChange, error) {
			if len(args) == 0 {
				return nil, nil
			}
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return nil, usagef(cmd, "the limit is a whole number, found %q", args[0])
			}
			return &api.QueueChange{Limit: &n}, nil
		})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if negative().MatchString(err.Error()) {
			return usagef(cmd, "the limit cannot be negative: to stop the queue use `ccdir task mode paused`")
		}
		return usagef(cmd, "%v", err)
	})
	return cmd
}

// negative matches the parser's error for a negative number, which it takes for flags.
var negative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`in -[0-9]+$`) })

func newTaskPauseCmd(a *app) *cobra.Command {
	return a.queueVerb("pause", "Begin no task until `ccdir task resume`; what runs goes on", "  ccdir task pause", noArgs,
		func(*cobra.Command, []string) (*api.QueueChange, error) {
			return &api.QueueChange{Paused: new(true)}, nil
		})
}

func newTaskResumeCmd(a *app) *cobra.Command {
	return a.queueVerb("resume", "Go back to the mode before `ccdir task pause`", "  ccdir task resume", noArgs,
		func(*cobra.Command, []string) (*api.QueueChange, error) {
			return &api.QueueChange{Paused: new(false)}, nil
		})
}
