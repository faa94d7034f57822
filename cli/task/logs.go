package task

import (
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

// followEvery is how often a task's log is read while it is followed.
const followEvery = time.Second

func newTaskLogsCmd(a *verb.App) *cobra.Command {
	var errs, follow, fleet bool
	cmd := &cobra.Command{
		Use:         "logs TASK [--follow] [--stderr] [--fleet] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Print what a task's last attempt wrote",
		Long: `Print what the task's last attempt wrote: the text of its pane, or, of a print
task, its standard output (--stderr: its standard error), as far as it was kept.
With --follow it goes on, by whole lines, until the task has ended (it waits for
one that has not begun); what an agent
draws again above them is not repeated. With --fleet the machine that has the
task is asked. On a terminal control characters are made visible.`,
		Example:           "  ccdir task logs t3\n  ccdir task logs t3 --stderr\n  ccdir task logs --fleet -f t3",
		ValidArgsFunction: verb.Completing(a, completeAnyTask),
	}
	cmd.Flags().BoolVar(&errs, "stderr", false, "standard error instead")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the task has ended")
	cmd.Flags().BoolVar(&fleet, "fleet", false, fleetHelp)
	text := func(l api.TaskLogs) string {
		if errs {
			return l.Stderr
		}
		return l.Stdout + l.Screen
	}
	cmd = verb.ShowVerb(a, cmd, "TASK", "print all of it as JSON", (*client.Client).TaskLogs, func(a *verb.App, l api.TaskLogs) error { return printLog(a, text(l)) })
	cmd.MarkFlagsMutuallyExclusive("follow", "json")
	whole := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		if fleet {
			op := api.FleetLogs
			if errs {
				op = api.FleetErrors
			}
			if !follow {
				return printFleetLog(ctx, a, args[0], errs)
			}
			return followLog(ctx, a, fleetLog(ctx, a, op, args[0], a.AskFleet))
		}
		if !follow {
			return whole(cmd, args)
		}
		c, err := a.Connect(ctx)
		if err != nil {
			return err
		}
		return followLog(ctx, a, func(from int) (api.Task, string, bool, error) {
			t, err := c.Task(ctx, args[0])
			if err != nil {
				return t, "", false, err
			}
			l, err := c.TaskLogs(ctx, args[0])
			all := text(l)
			return t, all[min(from, len(all)):], false, err
		})
	}
	return cmd
}

func printLog(a *verb.App, text string) error {
	if verb.Terminal(a.Stdout) {
		text = textsafe.Block(text)
	}
	_, err := fmt.Fprint(a.Out, text)
	return err
}

// printFleetLog prints what a task of the fleet wrote. As JSON it has both outputs.
func printFleetLog(ctx context.Context, a *verb.App, ref string, errs bool) error {
	read := func(op string) (t api.Task, all string, err error) {
		for more := true; more && err == nil; {
			var text string
			t, text, more, err = readFleetLog(ctx, a.AskFleet, op, ref, len(all))
			all += text
		}
		return t, all, err
	}
	if a.JSON {
		t, out, err := read(api.FleetLogs)
		if err != nil {
			return err
		}
		_, fault, err := read(api.FleetErrors)
		if err != nil {
			return err
		}
		return a.PrintJSON(api.TaskLogs{Task: t.ID, Session: t.Session, Stdout: out, Stderr: fault})
	}
	op := api.FleetLogs
	if errs {
		op = api.FleetErrors
	}
	_, text, err := read(op)
	if err != nil {
		return err
	}
	return printLog(a, text)
}

// asker is App.AskFleet.
type asker func(context.Context, api.FleetRequest) (api.FleetReply, error)

// fleetLog reads the log of a task of the fleet for followLog. One that is to begin, or to begin again, has none yet;
// what it waits for is said once.
func fleetLog(ctx context.Context, a *verb.App, op, ref string, ask asker) func(from int) (api.Task, string, bool, error) {
	told := false
	return func(from int) (api.Task, string, bool, error) {
		t, text, more, err := readFleetLog(ctx, ask, op, ref, from)
		if err == nil {
			return t, text, more, nil
		}
		r, unknown := ask(ctx, api.FleetRequest{Op: api.FleetTask, Ref: ref})
		if unknown != nil || len(r.Tasks) != 1 || r.Tasks[0].State != api.TaskQueued && r.Tasks[0].State != api.TaskStarting {
			return t, "", false, err
		}
		if t = r.Tasks[0]; !told {
			told = true
			a.Tell("waiting for %s, which is %s%s", t.ID, t.State, strings.TrimRight(": "+t.Reason, ": "))
		}
		return t, "", false, nil
	}
}

func readFleetLog(ctx context.Context, ask asker, op, ref string, from int) (t api.Task, text string, more bool, err error) {
	r, err := ask(ctx, api.FleetRequest{Op: op, Ref: ref, From: from})
	if err != nil {
		return t, "", false, err
	}
	if len(r.Tasks) != 1 {
		return t, "", false, api.Errorf(api.CodeInternal, "the fleet's answer has no task")
	}
	return r.Tasks[0], r.Text, r.More, nil
}

// followLog prints what read finds behind a byte of the log, until the task has ended. A new attempt begins a new log.
func followLog(ctx context.Context, a *verb.App, read func(from int) (t api.Task, text string, more bool, err error)) error {
	printed, attempt, last := 0, 0, ""
	for {
		t, text, more, err := read(printed)
		if err != nil {
			return err
		}
		if attempt != t.Attempt && attempt != 0 {
			a.Tell("%s: attempt %d", t.ID, t.Attempt)
			printed, attempt, last = 0, t.Attempt, ""
			continue
		}
		attempt = t.Attempt
		due := text
		if !more && !t.State.Ended() {
			due = settled(last, text)
		}
		if err := printLog(a, due); err != nil {
			return err
		}
		printed, last = printed+len(due), text[len(due):]
		if more {
			continue
		}
		if t.State.Ended() {
			return nil
		}
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settled is the beginning of a text that was the same at the last look, by whole lines: what an agent draws
// changes until it has scrolled.
func settled(before, now string) string {
	n := 0
	for n < min(len(before), len(now)) && before[n] == now[n] {
		n++
	}
	return now[:strings.LastIndexByte(now[:n], '\n')+1]
}
