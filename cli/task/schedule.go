package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/orchestrator"
)

// Schedule makes the verb `schedule`.
func Schedule(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "schedule VERB",
		Short: "Work that comes at times of a calendar",
		Long: `A schedule adds a task to the queue, or gives a prompt to a session, whenever it is
due. It is kept until it is removed; a due time is dealt with once. One at which the
daemon did not run (the machine was off) is told, and made up for once or skipped. A
run is skipped, and told, while the task of the run before has not ended. Also in mode
manual of the queue its tasks begin by themselves. [[schedule]] in config.toml makes
schedules, too.`,
		Example: `  ccdir schedule add "0 7 * * 1-5" "triage what came in over night" -C ~/src/api
  ccdir schedule add --once 18:30 "update the changelog" -C ~/src/api
  ccdir schedule add @hourly "look for new failures" --to api
  ccdir schedule ls`,
	}, newScheduleAddCmd(a), newScheduleLsCmd(a), newScheduleShowCmd(a),
		eachSchedule(a, "run", "Run schedules now, whatever else is due", "  ccdir schedule run s1", (*client.Client).RunSchedule),
		eachSchedule(a, "pause", "Keep schedules from running", "  ccdir schedule pause s1 nightly", (*client.Client).PauseSchedule),
		eachSchedule(a, "resume", "Let paused schedules run again, from now on", "  ccdir schedule resume s1", (*client.Client).ResumeSchedule),
		newScheduleEditCmd(a), newScheduleRmCmd(a), newScheduleTakeCmd(a))
}

// eachSchedule makes a verb that does one thing to every SCHEDULE given.
func eachSchedule(a *verb.App, use, short, example string, do func(*client.Client, context.Context, string) (api.Schedule, error)) *cobra.Command {
	return verb.EachVerb(a, &cobra.Command{Use: use + " SCHEDULE… [--json]", Short: short, Example: example, Annotations: verb.AllRefs(), ValidArgsFunction: verb.Completing(a, completeSchedules)},
		"SCHEDULE", "print a JSON array of the schedules", do, printSchedules)
}

// times are the flags of when a schedule is due.
type times struct {
	once, zone, missed, to string
	overlap                bool
}

func (t *times) add(a *verb.App, cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&t.once, "once", "", "run once, at `AT`: \"2026-12-24 07:30\", 07:30 (the next one), 2h (from now) or RFC 3339")
	fl.StringVar(&t.zone, "zone", "", "time zone of its times, `NAME` such as Europe/Berlin (default: that of the daemon)")
	fl.StringVar(&t.missed, "missed", string(api.MissedOnce), "what becomes of due times at which no daemon ran, `WHAT`: once makes up for all of them, skip does not")
	fl.BoolVar(&t.overlap, "overlap", false, "run also while the task of the run before has not ended")
	fl.StringVar(&t.to, "to", "", "give the prompt to that `SESSION`, as ccdir send --later does, instead of adding a task")
	verb.RefFlag(cmd, "to")
	_ = cmd.RegisterFlagCompletionFunc("missed", cobra.FixedCompletions([]string{"once", "skip"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("to", a.CompleteSession)
}

func newScheduleAddCmd(a *verb.App) *cobra.Command {
	var f taskFlags
	var at times
	cmd := &cobra.Command{
		Use:   "add WHEN PROMPT [--json] [-C DIR] [-a AGENT -- ARG…] | add --once AT PROMPT | add WHEN PROMPT --to SESSION",
		Short: "Make a schedule of tasks, or of prompts for a session",
		Long: `Make a schedule and print its id. WHEN is a cron expression: minute, hour, day of
month, month, day of week ("0 7 * * 1-5" is 7:00 from Monday to Friday), or @hourly,
@daily, @weekly, @monthly, @yearly. PROMPT - reads standard input. How its tasks run
is said as for ccdir task add; -w . is a branch of its own for each.

Where daylight saving skips a time, a fixed hour is due when the clock jumps; where the
clock shows it twice, the first time. Rules for every hour ("*/15 * * * *") follow the
clock.`,
		Example: `  ccdir schedule add "0 7 * * 1-5" "triage what came in over night" -C ~/src/api -w .
  ccdir schedule add "30 2 * * *" "update the dependencies" --zone Europe/Berlin --missed skip
  ccdir schedule add --once "2026-12-24 07:30" "write the release notes"
  ccdir schedule add @hourly "look for new failures" --to api`,
		Args: func(cmd *cobra.Command, args []string) error {
			args, f.n.Args = f.split(cmd, args)
			want := 2
			if at.once != "" {
				want = 1
			}
			switch {
			case len(args) < want && at.once == "":
				return errors.New("WHEN and PROMPT are needed (--once AT instead of WHEN runs once)")
			case len(args) != want:
				return fmt.Errorf("%d arguments are too many or too few: quote WHEN and PROMPT, and leave WHEN out with --once", len(args))
			case f.n.Base != "" && f.n.Worktree == "":
				return errors.New("--base is for a work tree: add -w BRANCH")
			case at.to != "":
				return onlyTasks(cmd)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, _ = f.split(cmd, args)
			n := api.NewSchedule{Name: f.n.Name, At: at.once, Zone: at.zone, Missed: api.Missed(at.missed), Overlap: at.overlap, To: at.to}
			if at.once == "" {
				n.When, args = args[0], args[1:]
			}
			text, err := a.TextArg(args)
			if err != nil {
				return err
			}
			if n.Task, err = f.scheduled(a, text, at.to != ""); err != nil {
				return err
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			v, err := c.AddSchedule(cmd.Context(), n)
			if err != nil {
				return err
			}
			return a.Output(v, func() error {
				_, err := fmt.Fprintln(a.Out, verb.Prefixed(a.Node, v.ID))
				return err
			})
		},
	}
	at.add(a, cmd)
	f.addRun(cmd)
	cmd.Flags().StringVarP(&f.n.Name, "name", "n", "", "`NAME` of the schedule")
	a.JSONFlag(cmd, "print the schedule as JSON")
	f.complete(a, cmd)
	return cmd
}

// scheduled is the task of a schedule; prompt: only its prompt counts.
func (f *taskFlags) scheduled(a *verb.App, text string, prompt bool) (api.NewTask, error) {
	if strings.TrimSpace(text) == "" {
		return api.NewTask{}, errors.New("the prompt is empty")
	}
	if prompt {
		return api.NewTask{Prompt: text}, nil
	}
	n, err := f.base()
	if err != nil {
		return n, err
	}
	if n.CWD, err = a.FromHere(f.dir, "an absolute one with -C"); err != nil {
		return n, err
	}
	n.Name, n.Prompt, n.Env = "", text, a.Env
	return n, orchestrator.Check(n)
}

// onlyTasks refuses flags that are of tasks, with --to.
func onlyTasks(cmd *cobra.Command) (err error) {
	var run taskFlags
	of := &cobra.Command{}
	run.addRun(of)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if of.Flags().Lookup(flag.Name) != nil && err == nil {
			err = fmt.Errorf("--%s is of tasks, and --to SESSION gives the prompt to a session: leave one out", flag.Name)
		}
	})
	return err
}

func newScheduleEditCmd(a *verb.App) *cobra.Command {
	var at times
	var name, when, prompt, agent, model, dir, tree, base string
	var priority, retries int
	cmd := &cobra.Command{
		Use:         "edit SCHEDULE [--when WHEN | --once AT] [--prompt TEXT] [--zone NAME] [--missed WHAT] [--overlap] [--to SESSION] [-a AGENT] [--model M] [-C DIR] [-w BRANCH] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Change a schedule",
		Long: `Change a schedule; what is not named stays. Other times count from now on, and a
schedule that was due once and is done is on again with them. One of a file is changed
there.`,
		Example:           "  ccdir schedule edit s1 --when \"0 8 * * 1-5\"\n  ccdir schedule edit s1 --prompt \"triage, and write a summary\" --model opus",
		Args:              verb.Exactly(1, "SCHEDULE"),
		ValidArgsFunction: verb.Completing(a, completeSchedules),
		RunE: func(cmd *cobra.Command, args []string) error {
			var e api.EditSchedule
			given := func(flag string, to **string, value *string) {
				if cmd.Flags().Changed(flag) {
					*to = value
				}
			}
			given("name", &e.Name, &name)
			given("when", &e.When, &when)
			given("once", &e.At, &at.once)
			given("zone", &e.Zone, &at.zone)
			given("to", &e.To, &at.to)
			given("prompt", &e.Task.Prompt, &prompt)
			given("agent", &e.Task.Agent, &agent)
			given("model", &e.Task.Model, &model)
			given("worktree", &e.Task.Worktree, &tree)
			given("base", &e.Task.Base, &base)
			if cmd.Flags().Changed("missed") {
				e.Missed = (*api.Missed)(&at.missed)
			}
			if cmd.Flags().Changed("overlap") {
				e.Overlap = &at.overlap
			}
			if cmd.Flags().Changed("priority") {
				e.Task.Priority = &priority
			}
			if cmd.Flags().Changed("retries") {
				e.Task.Retries = &retries
			}
			if cmd.Flags().Changed("dir") {
				abs, err := a.FromHere(dir, "an absolute one with -C")
				if err != nil {
					return err
				}
				e.Task.CWD = &abs
			}
			if e == (api.EditSchedule{}) {
				return verb.Usagef(cmd, "nothing to change: name it with --when, --once, --prompt or another flag")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			v, err := c.EditSchedule(cmd.Context(), args[0], e)
			if err != nil {
				return err
			}
			return printSchedules(a, []api.Schedule{v}, nil)
		},
	}
	at.add(a, cmd)
	fl := cmd.Flags()
	fl.StringVarP(&name, "name", "n", "", "`NAME`")
	fl.StringVar(&when, "when", "", "cron expression, `WHEN`")
	fl.StringVar(&prompt, "prompt", "", "`TEXT` of its prompt")
	fl.StringVarP(&agent, "agent", "a", "", "`AGENT`")
	fl.StringVarP(&model, "model", "m", "", "`MODEL` of the agent")
	fl.StringVarP(&dir, "dir", "C", "", "`DIR` to work in")
	fl.StringVarP(&tree, "worktree", "w", "", "work tree with that `BRANCH` (\"\": none)")
	fl.StringVar(&base, "base", "", "commit or branch that a new branch begins at, `REF`")
	fl.IntVar(&priority, "priority", 0, "`N` from -100 to 100, greater first")
	fl.IntVar(&retries, "retries", 0, "repeat a failed attempt `N` times")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.CompleteAgent)
	_ = cmd.RegisterFlagCompletionFunc("model", a.CompleteModel)
	_ = cmd.MarkFlagDirname("dir")
	a.JSONFlag(cmd, "print a JSON array of the schedule")
	return cmd
}
