package task

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// eachTask makes a verb that does one thing to every TASK given.
func eachTask(a *verb.App, use, short, example string, do func(*client.Client, context.Context, string) (api.Task, error)) *cobra.Command {
	return verb.EachVerb(a, &cobra.Command{Use: use + " TASK… [--json]", Short: short, Example: example, Annotations: verb.AllRefs(), ValidArgsFunction: verb.Completing(a, completeTasks)},
		"TASK", "print a JSON array of the tasks", do, printChanged)
}

// printChanged prints tasks that were changed.
func printChanged(a *verb.App, list []api.Task, err error) error {
	return errors.Join(verb.PrintList(a, list, false, nil, func() error {
		for _, t := range list {
			fmt.Fprintln(a.Out, t.ID, t.State)
		}
		return nil
	}), err)
}

func newTaskStartCmd(a *verb.App) *cobra.Command {
	return fleetFlag(a, eachTask(a, "start", "Start queued tasks before all others, or let held ones go on",
		"  ccdir task start t3", startTask), api.FleetStart, printChanged)
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

func newTaskCancelCmd(a *verb.App) *cobra.Command {
	return fleetFlag(a, eachTask(a, "cancel", "End tasks, and their sessions",
		"  ccdir task cancel t3 t4", (*client.Client).CancelTask), api.FleetCancel, printChanged)
}

func newTaskEditCmd(a *verb.App) *cobra.Command {
	var prompt, agent, model, dir, tree, base string
	var hold bool
	var priority, retries int
	var after, always []string
	cmd := &cobra.Command{
		Use:         "edit TASK [--prompt TEXT] [-a AGENT] [--model M] [-C DIR] [-w BRANCH] [--base REF] [--priority N] [--retries N] [--after TASK]… [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Change a queued task",
		Long: `Change a task that is queued; what is not named stays. --after and --after-always
replace all that it comes after (--after "": nothing).`,
		Example:           "  ccdir task edit t9 --prompt \"update the changelog, too\"\n  ccdir task edit t9 --priority 5 --after t3\n  ccdir task edit t9 --hold",
		Args:              verb.Exactly(1, "TASK"),
		ValidArgsFunction: verb.Completing(a, completeTask),
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
			if changed("worktree") {
				e.Worktree = &tree
			}
			if changed("base") {
				e.Base = &base
			}
			if changed("priority") {
				e.Priority = &priority
			}
			if changed("retries") {
				e.Retries = &retries
			}
			if changed("dir") {
				abs, err := a.FromHere(dir, "an absolute one with -C")
				if err != nil {
					return err
				}
				e.CWD = &abs
			}
			if changed("hold") {
				e.Hold = &hold
			}
			if changed("after") || changed("after-always") {
				list := append(afterTasks(after, false), afterTasks(always, true)...)
				e.After = &list
			}
			if e == (api.EditTask{}) {
				return verb.Usagef(cmd, "nothing to change: name it with --prompt, -a, --model, -C, -w, --base, --priority, --retries, --after or --hold")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			t, err := c.EditTask(cmd.Context(), args[0], e)
			if err != nil {
				return err
			}
			return printChanged(a, []api.Task{t}, nil)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&prompt, "prompt", "", "`TEXT` of its first prompt")
	fl.StringVarP(&agent, "agent", "a", "", "`AGENT`")
	fl.StringVar(&model, "model", "", "`MODEL` that the agent uses")
	fl.StringVarP(&dir, "dir", "C", "", "`DIR` to work in")
	fl.StringVarP(&tree, "worktree", "w", "", "in a git work tree of its own with that `BRANCH`; . is a branch of the task's name, - is none")
	fl.StringVar(&base, "base", "", "commit or branch that a new branch begins at, `REF`")
	fl.IntVar(&priority, "priority", 0, "`N` from -100 to 100, greater first")
	fl.IntVar(&retries, "retries", 0, "repeat a failed attempt `N` times")
	fl.BoolVar(&hold, "hold", false, "hold it back until it is started by name; =false lets it go")
	fl.StringArrayVar(&after, "after", nil, "begin after the `TASK` is done; may be repeated")
	fl.StringArrayVar(&always, "after-always", nil, "begin after the `TASK` has ended in any way; may be repeated")
	a.JSONFlag(cmd, "print a JSON array of the task")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.CompleteAgent)
	_ = cmd.RegisterFlagCompletionFunc("after", verb.Completing(a, completeTasks))
	_ = cmd.RegisterFlagCompletionFunc("after-always", verb.Completing(a, completeTasks))
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

func newTaskMoveCmd(a *verb.App) *cobra.Command {
	var before string
	cmd := &cobra.Command{
		Use:               "move TASK [--before TASK] [--json]",
		Annotations:       verb.FirstRef(),
		Short:             "Give a queued task another place: before another one, or last",
		Example:           "  ccdir task move t9 --before t3\n  ccdir task move t3",
		Args:              verb.Exactly(1, "TASK"),
		ValidArgsFunction: verb.Completing(a, completeTask),
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			t, err := c.MoveTask(ctx, args[0], before)
			if err != nil {
				return err
			}
			return printChanged(a, []api.Task{t}, nil)
		}),
	}
	cmd.Flags().StringVar(&before, "before", "", "the queued `TASK` that it goes before")
	verb.RefFlag(cmd, "before")
	a.JSONFlag(cmd, "print a JSON array of the task")
	return cmd
}

func newTaskClearCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "clear [--json]", Short: "Cancel every queued task; what runs goes on",
		Example:           "  ccdir task clear",
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, _ []string) error {
			list, err := c.ClearTasks(ctx)
			if err != nil {
				return err
			}
			return printChanged(a, list, nil)
		}),
	}
	a.JSONFlag(cmd, "print a JSON array of the cancelled tasks")
	return cmd
}

func newTaskSeenCmd(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "seen [TASK…] [--json]", Short: "Note that you have looked at what has ended: tasks, or all of them",
		Long: `Note that you have looked at tasks that are done or have failed; without TASK at all
of them. Until then lists and the status line count them. The queue (C-b T) does so, too,
and so does going to a task's pane.`,
		Annotations: verb.AllRefs(),
		Example:     "  ccdir task seen\n  ccdir task seen t3 t4",
		ValidArgsFunction: verb.Completing(a, func(a *verb.App, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return tasksFor(a, cmd, func(t api.Task) bool { return t.Unseen })
		}),
		Args: cobra.ArbitraryArgs,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			var ids []string
			for _, ref := range args {
				t, err := c.Task(ctx, ref)
				if err != nil {
					return err
				}
				ids = append(ids, t.ID)
			}
			list, err := c.SeenTasks(ctx, ids...)
			if err != nil {
				return err
			}
			return printChanged(a, list, nil)
		}),
	}
	a.JSONFlag(cmd, "print a JSON array of those that were news")
	return cmd
}

// queueVerb makes a verb that shows or changes the queue.
func queueVerb(a *verb.App, use, short, example string, args cobra.PositionalArgs, change func(cmd *cobra.Command, args []string) (*api.QueueChange, error)) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " [--json]", Short: short, Example: example, Args: args,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			change, err := change(cmd, args)
			if err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
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
			return a.Output(q, func() error {
				_, err := fmt.Fprintln(a.Out, queueLine(q))
				return err
			})
		},
	}
	a.JSONFlag(cmd, "print the queue as JSON")
	return cmd
}

func newTaskModeCmd(a *verb.App) *cobra.Command {
	cmd := queueVerb(a, "mode [manual|auto|paused]", "Show or set how the queue begins tasks",
		"  ccdir task mode auto", verb.AtMostOne,
		func(cmd *cobra.Command, args []string) (*api.QueueChange, error) {
			if len(args) == 0 {
				return nil, nil
			}
			switch m := api.QueueMode(args[0]); m {
			case api.QueueManual, api.QueueAuto, api.QueuePaused:
				return &api.QueueChange{Mode: m}, nil
			}
			return nil, verb.Usagef(cmd, "the mode is manual, auto or paused, found %q", args[0])
		})
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"manual", "auto", "paused"}, cobra.ShellCompDirectiveNoFileComp)
	return cmd
}

func newTaskLimitCmd(a *verb.App) *cobra.Command {
	cmd := queueVerb(a, "limit [N]", "Show or set how many tasks run at once", "  ccdir task limit 3", verb.AtMostOne,
		func(cmd *cobra.Command, args []string) (*api.QueueChange, error) {
			if len(args) == 0 {
				return nil, nil
			}
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return nil, verb.Usagef(cmd, "the limit is a whole number, found %q", args[0])
			}
			return &api.QueueChange{Limit: &n}, nil
		})
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if negative().MatchString(err.Error()) {
			return verb.Usagef(cmd, "the limit cannot be negative: to stop the queue use `ccdir task mode paused`")
		}
		return verb.Usagef(cmd, "%v", err)
	})
	return cmd
}

// negative matches the parser's error for a negative number, which it takes for flags.
var negative = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`in -[0-9]+$`) })

func newTaskPauseCmd(a *verb.App) *cobra.Command {
	return queueVerb(a, "pause", "Begin no task until `ccdir task resume`; what runs goes on", "  ccdir task pause", verb.NoArgs,
		func(*cobra.Command, []string) (*api.QueueChange, error) {
			return &api.QueueChange{Paused: new(true)}, nil
		})
}

func newTaskResumeCmd(a *verb.App) *cobra.Command {
	return queueVerb(a, "resume", "Go back to the mode before `ccdir task pause`", "  ccdir task resume", verb.NoArgs,
		func(*cobra.Command, []string) (*api.QueueChange, error) {
			return &api.QueueChange{Paused: new(false)}, nil
		})
}
