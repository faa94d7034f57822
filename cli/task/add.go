package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/cli/worktree"
	"ccdir/client"
	"ccdir/orchestrator"
	"ccdir/orchestrator/taskfile"
)

// taskFlags are the flags of `task add`. n has those that are fields of a task.
type taskFlags struct {
	file, dir, stall string
	after, always    []string
	timeout          time.Duration
	print            bool
	noAutoplay       bool
	stallStop        bool
	issue            int
	fleet            bool
	where            api.Placement
	n                api.NewTask
}

func newTaskAddCmd(a *verb.App) *cobra.Command {
	var f taskFlags
	cmd := &cobra.Command{
		Use:   "add PROMPT [--json] [-a AGENT -- ARG…] | add -f FILE [--json]",
		Short: "Add a task, or all tasks of a file",
		Long: `Add a task with the prompt (- reads standard input), or the tasks of a file
(.toml, .yaml or .md; all or none), and print their ids. Flags given with -f hold
for tasks of the file that say nothing else. When the command returns the tasks
are on disk. After -a AGENT, what follows -- are arguments of the agent.`,
		Example: `  ccdir task add "update the changelog" -C ~/src/api
  ccdir task add "run the tests" --after t1 --timeout 30m --retries 2
  ccdir task add --print --max-cost 2 "summarise the open issues"
  ccdir task add -w . "port the parser" -C ~/src/api
  ccdir task add --issue 42 --pr --review
  ccdir task add -f tonight.toml`,
		Args: func(cmd *cobra.Command, args []string) error {
			args, f.n.Args = f.split(cmd, args)
			if f.issue < 0 || f.issue > 0 && (len(args) > 0 || f.file != "") {
				return errors.New("--issue N is the prompt itself: give neither another one nor -f")
			}
			if len(args) == 0 && f.file == "" && f.issue == 0 {
				return errors.New("the prompt is missing (- for standard input, -f for a file, --issue for an issue)")
			}
			if len(args) > 0 && f.file != "" {
				return errors.New("a prompt and -f exclude one another")
			}
			if !f.fleet && (f.where.Needs != nil || f.where.OnNodeLoss != "") {
				return errors.New("--needs and --on-node-loss are of a fleet: add --fleet")
			}
			if f.n.Base != "" && f.n.Worktree == "" && f.file == "" {
				return errors.New("--base is for a work tree: add -w BRANCH")
			}
			if f.file != "" && (f.n.Name != "" || f.n.Steps != nil || f.n.Continue != "" || f.n.Conversation != "") {
				return errors.New("--name, --step, --continue and --conversation are of one task: with -f write them into the file")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			args, _ = f.split(cmd, args)
			list, lines, err := newTasks(cmd.Context(), a, &f, args)
			if err != nil {
				return err
			}
			if f.fleet {
				f.where.Node = a.FleetNode()
				return taskfile.Place(f.file, lines, list, addToFleet(cmd.Context(), a, list, f.where))
			}
			return taskfile.Place(f.file, lines, list, addTasks(a, cmd, list))
		},
	}
	f.add(cmd)
	a.JSONFlag(cmd, "print a JSON array of the tasks")
	f.complete(a, cmd)
	return cmd
}

// complete declares how the values of the flags are completed.
func (f *taskFlags) complete(a *verb.App, cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("agent", a.CompleteAgent)
	_ = cmd.RegisterFlagCompletionFunc("model", a.CompleteModel)
	_ = cmd.RegisterFlagCompletionFunc("account", a.CompleteAccount)
	_ = cmd.RegisterFlagCompletionFunc("resume-after-limit", cobra.FixedCompletions([]string{"on", "ask", "off"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"dev", "lead"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagDirname("dir")
}

// split returns the prompt and the arguments of the agent: those after --, with -a, behind a
// prompt or a file. Elsewhere -- ends the flags.
func (f *taskFlags) split(cmd *cobra.Command, args []string) (prompt, agent []string) {
	if f.n.Agent != "" && (cmd.ArgsLenAtDash() > 0 || f.file != "") {
		return verb.AtDash(cmd, args)
	}
	return args, nil
}

func (f *taskFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.file, "file", "f", "", "`FILE` of tasks: .toml, .yaml or .md")
	fl.StringVarP(&f.n.Name, "name", "n", "", "`NAME` to refer to it until a later task has it")
	verb.RefFlag(cmd, "name")
	fl.IntVar(&f.issue, "issue", 0, "title and text of the issue `N` of the repository as the prompt, by gh or glab")
	fl.StringArrayVar(&f.after, "after", nil, "begin after the `TASK` is done; may be repeated")
	fl.StringArrayVar(&f.always, "after-always", nil, "begin after the `TASK` has ended in any way; may be repeated")
	fl.StringVar(&f.n.Continue, "continue", "", "go on with the conversation of `TASK`")
	fl.StringVar(&f.n.Conversation, "conversation", "", "go on with the agent's conversation `ID`")
	fl.BoolVar(&f.fleet, "fleet", false, "add it to the fleet's queue (see ccdir-fleet): a machine with a free place runs it, --node names one")
	fl.StringSliceVar(&f.where.Needs, "needs", nil, "with --fleet: `LABELS` that the machine has, with commas between them; agents are labels")
	fl.StringVar((*string)(&f.where.OnNodeLoss), "on-node-loss", "", "with --fleet: `WHAT` becomes of it when its machine is away: wait, or again (another one gets it; with --idempotent)")
	f.addRun(cmd)
}

// addRun adds the flags that say how a task runs, which schedules have too.
func (f *taskFlags) addRun(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.n.Agent, "agent", "a", "", "`AGENT` (default: default_agent of the configuration)")
	fl.StringArrayVar(&f.n.Accounts, "account", nil, "`NAME` of an account of the configuration, or default; of several, the first with room (default: those of its repository)")
	fl.StringVarP(&f.n.Model, "model", "m", "", "`MODEL` of the agent, in its words")
	fl.StringVar(&f.n.Role, "role", "", "`ROLE` that decides about its tools and rules (default dev)")
	fl.StringVar(&f.n.Sandbox, "sandbox", "", "`PROFILE` of the walls around it (`ccdir sandbox ls`; none: no walls)")
	fl.StringArrayVarP(&f.n.ExtraEnv, "env", "e", nil, "variable to set, `K=V`; may be repeated")
	fl.StringVarP(&f.dir, "dir", "C", "", "`DIR` to work in (default: the current one)")
	fl.StringVarP(&f.n.Worktree, "worktree", "w", "", "in a git work tree of its own with that `BRANCH`; . is a branch of the task's name, - is none")
	fl.StringVar(&f.n.Base, "base", "", "with -w: commit or branch that a new branch begins at, `REF`")
	fl.StringVar((*string)(&f.n.ResumeAfterLimit), "resume-after-limit", "", "what becomes of it after a usage limit, `MODE`: on (it goes on), ask (it waits for ccdir task start), off (it has failed) (default on)")
	fl.IntVar(&f.n.Priority, "priority", 0, "`N` from -100 to 100, greater first")
	fl.StringArrayVar(&f.n.Steps, "step", nil, "a further `PROMPT` in the same conversation; may be repeated")
	fl.BoolVar(&f.noAutoplay, "no-autoplay", false, "each further step waits until the task is started")
	fl.DurationVar(&f.timeout, "timeout", 0, "end an attempt after `D`")
	fl.IntVar(&f.n.MaxTurns, "max-turns", 0, "end an attempt after more than `N` turns")
	fl.Int64Var(&f.n.MaxTokens, "max-tokens", 0, "end an attempt after more than `N` tokens")
	fl.Float64Var(&f.n.MaxCost, "max-cost", 0, "fail an attempt that cost more than `USD` (with --print)")
	fl.Float64Var(&f.n.MaxCostAll, "max-cost-all", 0, "start none of these tasks any more by itself once they have cost `USD` together")
	fl.IntVar(&f.n.Retries, "retries", 0, "repeat a failed attempt `N` times")
	fl.BoolVar(&f.print, "print", false, "the agent's one-shot mode instead of a pane")
	fl.BoolVar(&f.n.Idempotent, "idempotent", false, "with --print: run again if it was lost")
	fl.StringVar(&f.stall, "stall", "", "flag it after `D` without progress (never: not at all)")
	fl.StringVar(&f.n.StallPrompt, "stall-prompt", "", "then interrupt it with `TEXT`")
	fl.BoolVar(&f.stallStop, "stall-stop", false, "then end the attempt")
	fl.BoolVar(&f.n.Review, "review", false, "done is when you say so (ccdir task start); comments on its work are its next step until then")
	fl.BoolVar(&f.n.PR, "pr", false, "then run the project's checks, push its branch and make a pull request; what fails there is its next step (without -w: -w .)")
	fl.BoolVar(&f.n.Draft, "draft", false, "with --pr: as a draft")
	fl.IntVar(&f.n.Rounds, "rounds", 0, "with --pr: after `N` such steps in a row a person is asked (default 3)")
	fl.BoolVar(&f.n.Keep, "keep", false, "leave the session open when it is done")
	fl.StringArrayVar(&f.n.Labels, "label", nil, "`LABEL` to find it by; may be repeated")
}

// base returns a task with the settings of the flags.
func (f *taskFlags) base() (api.NewTask, error) {
	n := f.n
	n.Timeout = api.Duration(f.timeout)
	n.Manual = f.noAutoplay
	if f.print {
		n.Kind = api.TaskPrint
	}
	for _, t := range f.after {
		n.After = append(n.After, api.TaskAfter{Task: t})
	}
	for _, t := range f.always {
		n.After = append(n.After, api.TaskAfter{Task: t, Always: true})
	}
	switch {
	case f.stallStop && n.StallPrompt != "":
		return n, errors.New("--stall-stop and --stall-prompt exclude one another")
	case f.stallStop:
		n.OnStall = api.StallStop
	case n.StallPrompt != "":
		n.OnStall = api.StallInterrupt
	}
	switch f.stall {
	case "":
	case "never":
		n.Stall = -1
	default:
		if err := n.Stall.UnmarshalText([]byte(f.stall)); err != nil {
			return n, fmt.Errorf("--stall: %w", err)
		}
	}
	return n, nil
}

// newTasks makes the tasks of the command line. lines are the lines of a file at which they
// begin.
func newTasks(ctx context.Context, a *verb.App, f *taskFlags, args []string) (list []api.NewTask, lines []int, err error) {
	base, err := f.base()
	if err != nil {
		return nil, nil, err
	}
	dir, err := a.FromHere(f.dir, "an absolute one with -C")
	if err != nil {
		return nil, nil, err
	}
	if f.file == "" {
		base.CWD = dir
		if f.issue > 0 {
			base.Prompt, err = worktree.IssuePrompt(ctx, a, dir, f.issue)
		} else {
			base.Prompt, err = a.TextArg(args)
		}
		if err != nil {
			return nil, nil, err
		}
		if strings.TrimSpace(base.Prompt) == "" && len(base.Steps) == 0 {
			a.Tell("the prompt is blank: the task does nothing, and is done when its turn comes")
		}
		if err = orchestrator.Check(base); err != nil { // before JSON replaces what is no UTF-8
			return nil, nil, err
		}
		list = []api.NewTask{base}
	} else if list, lines, err = readTasks(a, f.file, base, dir); err != nil {
		return nil, nil, err
	}
	return list, lines, nil
}

// readTasks reads a file of tasks.
func readTasks(a *verb.App, name string, base api.NewTask, dir string) (list []api.NewTask, lines []int, err error) {
	file, err := os.Open(verb.Absolute(a.Dir, name))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the file of tasks: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, taskfile.MaxSize+1))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read the file of tasks: %w", err)
	}
	if list, lines, err = taskfile.Parse(name, data, orchestrator.Check); err != nil {
		return nil, nil, err
	}
	for i := range list {
		fill(&list[i], base)
		list[i].CWD = verb.Absolute(dir, expand(a, list[i].CWD))
		if list[i].Base != "" && list[i].Worktree == "" {
			return nil, nil, &taskfile.Problem{File: name, Line: lines[i], Text: "base is where the branch of worktree begins: name that, too"}
		}
	}
	return list, lines, nil
}

// expand replaces ~ at the beginning of a path.
func expand(a *verb.App, path string) string {
	home := a.Getenv("HOME")
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || rest[0] == '/') {
		return home + rest
	}
	return path
}

// fill sets fields of a task that the file leaves empty from the flags.
func fill(n *api.NewTask, base api.NewTask) {
	n.Agent, n.Kind = cmp.Or(n.Agent, base.Agent), cmp.Or(n.Kind, base.Kind)
	n.Worktree, n.Base = cmp.Or(n.Worktree, base.Worktree), cmp.Or(n.Base, base.Base)
	n.Model, n.Role = cmp.Or(n.Model, base.Model), cmp.Or(n.Role, base.Role)
	n.Sandbox = cmp.Or(n.Sandbox, base.Sandbox)
	n.ResumeAfterLimit = cmp.Or(n.ResumeAfterLimit, base.ResumeAfterLimit)
	n.ExtraEnv = append(base.ExtraEnv[:len(base.ExtraEnv):len(base.ExtraEnv)], n.ExtraEnv...)
	if n.Accounts == nil {
		n.Accounts = base.Accounts
	}
	if n.Args == nil {
		n.Args = base.Args
	}
	n.Priority, n.Retries = cmp.Or(n.Priority, base.Priority), cmp.Or(n.Retries, base.Retries)
	n.Timeout, n.Stall = cmp.Or(n.Timeout, base.Timeout), cmp.Or(n.Stall, base.Stall)
	n.OnStall, n.StallPrompt = cmp.Or(n.OnStall, base.OnStall), cmp.Or(n.StallPrompt, base.StallPrompt)
	n.MaxTurns, n.MaxTokens = cmp.Or(n.MaxTurns, base.MaxTurns), cmp.Or(n.MaxTokens, base.MaxTokens)
	n.MaxCost = cmp.Or(n.MaxCost, base.MaxCost)
	n.MaxCostAll = base.MaxCostAll
	n.Idempotent = n.Idempotent || base.Idempotent
	n.Keep, n.Review = n.Keep || base.Keep, n.Review || base.Review
	n.Manual = n.Manual || base.Manual
	n.After = append(n.After, base.After...)
	n.Labels = append(n.Labels, base.Labels...)
}

func addTasks(a *verb.App, cmd *cobra.Command, list []api.NewTask) error {
	c, err := a.Connect(cmd.Context())
	if err != nil {
		return err
	}
	list[0].Env = a.Env // the others have the same
	added, err := c.AddTasks(cmd.Context(), list)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.PrintJSON(added)
	}
	defer agreeToChecks(cmd.Context(), a, c, added)
	for _, t := range added {
		fmt.Fprintln(a.Out, verb.Prefixed(a.Node, t.ID))
	}
	if q, err := c.Queue(cmd.Context()); err == nil && q.Mode != api.QueueAuto && verb.Terminal(a.Stderr) {
		fmt.Fprintf(a.Stderr, "the queue is in mode %s: `ccdir task start` begins one, `ccdir task mode auto` all\n", q.Mode)
	}
	return nil
}

// agreeToChecks asks about the checks that tasks with pull requests will run. The tasks are added: those that miss a consent wait.
func agreeToChecks(ctx context.Context, a *verb.App, c *client.Client, added []api.Task) {
	asked := map[string]bool{}
	for _, t := range added {
		if !t.PR || asked[t.CWD] {
			continue
		}
		asked[t.CWD] = true
		list, err := c.Checks(ctx, t.CWD)
		if err == nil {
			err = worktree.AgreeToChecks(ctx, a, c, list, false)
		}
		if err != nil {
			a.Tell("the project's checks: %v", err)
		}
	}
}
