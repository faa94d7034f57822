package session

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Transcript makes the verb `transcript`.
func Transcript(a *verb.App) *cobra.Command {
	var last int
	var follow, full bool
	cmd := &cobra.Command{
		Use:         "transcript SESSION [--turns N] [--follow] [--full] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Print what an agent was told, said and did",
		Long: `Print the conversations of a session turn by turn: prompts, answers, tool calls with
what became of them, edits, errors. It comes from the agent's own files, so nothing
is out of reach that has left the screen; also for sessions that have ended or were
removed (by ID; see ccdir history) and for tasks.
Without --full, thoughts, notes of the agent's program, and results of tools are shown by
their first line. With --json --follow a turn is printed when it ends, and again
if it went on after that.`,
		Example: `  ccdir transcript api --turns 1
  ccdir transcript api --full | less
  ccdir transcript api --json | jq -r '.[-1].answer'
  ccdir transcript api --follow`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("turns") && last < 1 {
				return verb.Usagef(cmd, "--turns %d: print at least one", last)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			p := &turnPrinter{App: a, colour: a.Colours(), width: a.Columns(), full: full}
			switch {
			case follow:
				return followTurns(cmd.Context(), a, c, args[0], last, p)
			case a.JSON:
				list := []api.Turn{}
				if err := c.Turns(cmd.Context(), args[0], last, func(t api.Turn) error { list = append(list, t); return nil }); err != nil {
					return err
				}
				return a.PrintJSON(list)
			}
			if err := c.Turns(cmd.Context(), args[0], last, func(t api.Turn) error { return p.print(t, true) }); err != nil {
				return err
			}
			return p.end()
		},
	}
	f := cmd.Flags()
	f.IntVar(&last, "turns", 0, "only the last `N` turns")
	f.BoolVarP(&follow, "follow", "f", false, "go on with what is said until the session ends")
	f.BoolVar(&full, "full", false, "thoughts, notes and results whole")
	a.JSONFlag(cmd, "print a JSON array of the turns; with --follow one object a line")
	return cmd
}

// followTurns prints turns as they grow, until the session has ended, the person interrupts
// it or the reader of its output is gone.
func followTurns(ctx context.Context, a *verb.App, c *client.Client, ref string, last int, p *turnPrinter) error {
	ctx, stop, err := verb.WhileRead(ctx, a.Stdout)
	if err != nil {
		return err
	}
	defer stop()
	var now []api.Turn // the current turn, put together
	err = c.FollowTurns(ctx, ref, last, func(t api.Turn) error {
		if t.Turn == 0 {
			return nil
		}
		now = transcript.Merge(now, t, 1)
		t = now[len(now)-1]
		if !a.JSON {
			return p.print(t, false)
		}
		if t.State == api.TurnRunning {
			return nil
		}
		return a.PrintJSONLine(t)
	})
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	if err == nil && !a.JSON {
		err = p.end()
	}
	return err
}
