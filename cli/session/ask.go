package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Ask makes the verb `ask`.
func Ask(a *verb.App) *cobra.Command {
	var n api.NewSession
	var dir string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:         "ask SESSION TEXT|- [--timeout D] [--json] | ask -C DIR [-a AGENT] TEXT|-",
		Annotations: verb.FirstRef(),
		Short:       "Deliver a prompt and print the agent's answer",
		Long: `Deliver TEXT (- reads standard input) to a session, wait until its agent has
worked on it, and print the answer. With -C a session is started in DIR for it and
ended afterwards. Fails with the reason if the turn failed or was interrupted, and if the
agent asks a person: the session goes on, so that it can be answered.`,
		Example: `  ccdir ask api "which tests fail?"
  git diff | ccdir ask review -
  ccdir ask -C ~/src/app "what does this project do, in one line?"`,
		ValidArgsFunction: a.CompleteSession,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("dir") || cmd.Flags().Changed("agent") {
				return verb.AtLeast(1, "TEXT (- for standard input)")(cmd, args)
			}
			return verb.AtLeast(2, "SESSION and TEXT (- for standard input), or -C DIR and TEXT")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("timeout") && timeout <= 0 {
				return verb.Usagef(cmd, "--timeout %s: give a time above zero, such as 5m", timeout)
			}
			q := question{App: a, timeout: timeout}
			started := cmd.Flags().Changed("dir") || cmd.Flags().Changed("agent")
			if !started {
				q.ref, args = args[0], args[1:]
			}
			var err error
			if q.ask.Text, err = a.TextArg(args); err != nil {
				return err
			}
			if strings.TrimSpace(q.ask.Text) == "" {
				return verb.Usagef(cmd, "the prompt is empty")
			}
			if started {
				if n.CWD, err = a.FromHere(dir, "an absolute one with -C"); err != nil {
					return err
				}
			}
			if q.client, err = a.Connect(cmd.Context()); err != nil {
				return err
			}
			if !started {
				return q.print(cmd.Context())
			}
			n.Env = a.Env
			return q.askNew(cmd.Context(), n)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "dir", "C", "", "start a session in `DIR` for it")
	f.StringVarP(&n.Agent, "agent", "a", "", "start a session of that `AGENT` for it")
	f.DurationVar(&timeout, "timeout", 0, "give up after `D` (30s, 5m); the agent goes on")
	a.JSONFlag(cmd, "print the turn as JSON, like an element of what ccdir transcript prints")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.CompleteAgent)
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// question is one prompt whose answer is awaited.
type question struct {
	*verb.App
	client  *client.Client
	ref     string
	ask     api.Ask
	timeout time.Duration
}

// errAsks: the agent waits for a person.
var errAsks = errors.New("asks")

// askNew starts a session for the prompt, prints the answer and ends the session, unless it
// waits for a person or works on.
func (q *question) askNew(ctx context.Context, n api.NewSession) error {
	s, err := q.client.CreateSession(ctx, n)
	if err != nil {
		return err
	}
	q.ref, q.ask.Wait = s.ID, true
	err = q.print(ctx)
	if errors.Is(err, errAsks) || api.CodeOf(err) == api.CodeTimeout {
		return err
	}
	ending := context.WithoutCancel(ctx) // an interrupted question ends its session, too
	_, killErr := q.client.KillSession(ending, q.ref, api.Kill{})
	if api.CodeOf(killErr) == api.CodeNotRunning {
		killErr = nil
	}
	if err == nil && killErr != nil {
		err = fmt.Errorf("session %s cannot be ended: %w", s.Name, killErr)
	}
	return err
}

// print delivers the prompt, waits for the answer and prints it.
func (q *question) print(ctx context.Context) error {
	s, err := q.client.Session(ctx, q.ref)
	if err != nil {
		return err
	}
	waiting := ctx
	if q.timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, q.timeout)
		defer cancel()
	}
	var turn []api.Turn // the prompt's, put together
	var end api.AskEvent
	err = q.client.Ask(waiting, s.ID, q.ask, func(e api.AskEvent) error {
		if e.Turn != nil {
			turn = transcript.Merge(turn, *e.Turn, 1)
		}
		end = e
		return nil
	})
	switch {
	case ctx.Err() == nil && waiting.Err() != nil:
		return api.Errorf(api.CodeTimeout, "no answer after %s: it works on (`ccdir transcript %s` shows it)", q.timeout, s.ID)
	case err != nil:
		return err
	}
	if len(turn) > 0 && turn[0].State != api.TurnRunning {
		switch {
		case q.JSON:
			err = q.PrintJSON(turn[0])
		case end.End == api.AskDone && end.Answer != "":
			_, err = fmt.Fprintln(q.Out, textsafe.Block(strings.TrimRight(end.Answer, "\n")))
		case end.End == api.AskDone:
			q.Tell("the turn ended without words: `ccdir transcript %s` shows what was done", s.ID)
		}
	}
	if err != nil {
		return err
	}
	return q.noAnswer(s, end)
}

// noAnswer is why there is no answer; nil if there is one.
func (q *question) noAnswer(s api.Session, end api.AskEvent) error {
	reason := textsafe.Line(end.Reason)
	switch end.End {
	case api.AskDone:
		return nil
	case api.AskFailed:
		if kind, message, ok := strings.Cut(reason, ": "); ok {
			return fmt.Errorf("the turn failed (%s): %s", kind, message)
		}
		return errors.New("the turn failed: `ccdir transcript` has it")
	case api.AskInterrupted:
		return errors.New("the turn was interrupted")
	case api.AskAsks:
		return fmt.Errorf("session %s %w: %s: answer it in its pane, or by `ccdir approvals`", s.Name, errAsks, cmp.Or(reason, "something that is not known"))
	case api.AskEnded:
		return fmt.Errorf("session %s did not answer, its process has ended: `ccdir output %s` prints its screen", s.Name, s.ID)
	}
	if refused, ok := strings.CutSuffix(reason, ui.WaitFlag); ok {
		reason = refused + ", or use `ccdir send --wait`, and `ccdir transcript` for the answer"
	}
	return errors.New(reason)
}
