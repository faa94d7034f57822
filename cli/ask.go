package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

func newAskCmd(a *app) *cobra.Command {
	var n api.NewSession
	var dir string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "ask SESSION TEXT|- [--timeout D] [--json] | ask -C DIR [-a AGENT] TEXT|-",
		Short: "Deliver a prompt and print the agent's answer",
		Long: `Deliver TEXT (- reads standard input) to a session, wait until its agent has
worked on it, and print the answer. With -C a session is started in DIR for it and
ended afterwards. Fails with the reason if the turn failed or was interrupted, and if the
agent asks a person: the session goes on, so that it can be answered.`,
		Example: `  ccdir ask api "which tests fail?"
  git diff | ccdir ask review -
  ccdir ask -C ~/src/app "what does this project do, in one line?"`,
		ValidArgsFunction: a.completeSession,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("dir") || cmd.Flags().Changed("agent") {
				return atLeast(1, "TEXT (- for standard input)")(cmd, args)
			}
			return atLeast(2, "SESSION and TEXT (- for standard input), or -C DIR and TEXT")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("timeout") && timeout <= 0 {
				return usagef(cmd, "--timeout %s: give a time above zero, such as 5m", timeout)
			}
			q := question{app: a, timeout: timeout}
			started := cmd.Flags().Changed("dir") || cmd.Flags().Changed("agent")
			if !started {
				q.ref, args = args[0], args[1:]
			}
			var err error
			if q.text, err = a.textArg(args); err != nil {
				return err
			}
			if strings.TrimSpace(q.text) == "" {
				return usagef(cmd, "the prompt is empty")
			}
			if started {
				if n.CWD, err = a.fromHere(dir, "an absolute one with -C"); err != nil {
					return err
				}
			}
			if q.client, err = a.connect(cmd.Context()); err != nil {
				return err
			}
			if !started {
				return q.ask(cmd.Context())
			}
			n.Prompt, n.Env = q.text, a.Env
			return q.askNew(cmd.Context(), n)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&dir, "dir", "C", "", "start a session in `DIR` for it")
	f.StringVarP(&n.Agent, "agent", "a", "", "start a session of that `AGENT` for it")
	f.DurationVar(&timeout, "timeout", 0, "give up after `D` (30s, 5m); the agent goes on")
	a.jsonFlag(cmd, "print the turn as JSON, like an element of what ccdir transcript prints")
	_ = cmd.RegisterFlagCompletionFunc("agent", a.completeAgent)
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// question is one prompt whose answer is awaited.
type question struct {
	*app
	client  *client.Client
	ref     string
	text    string
	timeout time.Duration
	// since is the number of the newest turn before the prompt; open: it ran on then, so that
	// it may take the prompt.
	since int
	open  bool
}

// errAsks: the agent waits for a person.
var errAsks = errors.New("asks")

// ask delivers the prompt and prints the answer.
func (q *question) ask(ctx context.Context) error {
	s, err := q.client.Session(ctx, q.ref)
	if err != nil {
		return err
	}
	q.ref = s.ID
	if err := q.client.Turns(ctx, q.ref, 1, func(t api.Turn) error {
		q.since, q.open = t.Turn, t.State == api.TurnRunning
		return nil
	}); err != nil {
		return err
	}
	if _, err := q.client.SendPrompt(ctx, q.ref, api.SendPrompt{Text: q.text}); err != nil {
		return err
	}
	return q.print(ctx)
}

// askNew starts a session with the prompt, prints the answer and ends the session, unless it
// waits for a person or works on.
func (q *question) askNew(ctx context.Context, n api.NewSession) error {
	s, err := q.client.CreateSession(ctx, n)
	if err != nil {
		return err
	}
	q.ref = s.ID
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

// print waits for the answer and prints it.
func (q *question) print(ctx context.Context) error {
	t, err := q.wait(ctx)
	if err != nil {
		return err
	}
	if q.json {
		if err := q.printJSON(t); err != nil {
			return err
		}
	} else if t.Answer != "" && t.State == api.TurnDone {
		if _, err := fmt.Fprintln(q.out, textsafe.Block(strings.TrimRight(t.Answer, "\n"))); err != nil {
			return err
		}
	}
	switch t.State {
	case api.TurnFailed:
		if f := t.Failure; f != nil {
			return fmt.Errorf("the turn failed (%s): %s", f.Kind, textsafe.Line(f.Message))
		}
		return errors.New("the turn failed: `ccdir transcript` has it")
	case api.TurnInterrupted:
		return errors.New("the turn was interrupted")
	}
	return nil
}

const (
	// lookAgain is the pause before the conversation is read again: agents write the end of a
	// turn a moment after they rest.
	lookAgain = 100 * time.Millisecond
	// looks bounds the turns that are looked at: others may have sent prompts meanwhile.
	looks = 20
)

// wait waits until the agent has worked on the prompt, and returns the turn.
func (q *question) wait(ctx context.Context) (api.Turn, error) {
	deadline := time.Now().Add(q.timeout)
	for {
		left := time.Duration(0)
		if q.timeout > 0 {
			if left = time.Until(deadline); left <= 0 {
				return api.Turn{}, api.Errorf(api.CodeTimeout, "no answer after %s: it works on (`ccdir transcript %s` shows it)", q.timeout, q.ref)
			}
		}
		s, err := q.client.Wait(ctx, q.ref, restStates, left)
		if api.CodeOf(err) == api.CodeTimeout {
			continue
		}
		if err != nil {
			return api.Turn{}, err
		}
		if s.State.NeedsPerson() && !s.HasFailed() {
			return api.Turn{}, fmt.Errorf("session %s %w: %s: answer it in its pane, or by `ccdir approvals`", s.Name, errAsks, askedBy(s))
		}
		var found *api.Turn
		if err := q.client.Turns(ctx, q.ref, looks, func(t api.Turn) error {
			if t.State != api.TurnRunning && q.took(t) {
				found = &t
			}
			return nil
		}); err != nil {
			return api.Turn{}, err
		}
		switch {
		case found != nil:
			return *found, nil
		case s.State.Ended():
			return api.Turn{}, fmt.Errorf("session %s is %s and did not answer: `ccdir output %s` prints its screen", s.Name, s.State, s.ID)
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return api.Turn{}, ctx.Err()
		}
	}
}

// took reports whether the turn is the one that the prompt began, or that took it.
func (q *question) took(t api.Turn) bool { return transcript.Took(t, q.text, q.since, q.open) }

// askedBy is a session's question, in one line.
func askedBy(s api.Session) string {
	for _, text := range []string{s.Asks, s.Question} {
		if text != "" {
			return textsafe.Line(text)
		}
	}
	return "something that is not known"
}
