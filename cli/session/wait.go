package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// restStates are the states that `ccdir wait` waits for by default: the session needs a
// person, or has ended.
var restStates = []api.State{api.StateIdle, api.StateInput, api.StatePermission, api.StateParked, api.StateExited, api.StateLost}

// Wait makes the verb `wait`.
func Wait(a *verb.App) *cobra.Command {
	var names string
	var timeout time.Duration
	var orAsks bool
	cmd := &cobra.Command{
		Use:         "wait SESSION [--state STATES] [--or-asks] [--timeout D] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Block until a session is in a state, and print which",
		Long: `Block until the session is in one of the states (starting, idle, working,
waiting_for_input, waiting_for_permission, exiting, exited, lost), then print it.
Without --state: until it is idle, waits for somebody, or has ended. A session that
was started with a prompt is not idle before it has that. failed is at rest after
a turn that failed. Fails when the time is over, and when the session has ended in a
state that was not asked for.

What the agent asks a person meanwhile is told on standard error, with the command
that answers it, and the wait goes on. With --or-asks it ends there, with exit
code 3.`,
		Example: `  ccdir wait api
  ccdir wait api --state idle --timeout 10m
  ccdir wait api --state idle --or-asks || [ $? = 3 ] && ccdir approvals
  ccdir wait build --state exited
  ccdir wait api --state failed && ccdir ls --json | jq '.[].failure'`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			states, err := parseStates(cmd, names)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("timeout") && timeout <= 0 {
				return verb.Usagef(cmd, "--timeout %s: give a time above zero, such as 30s", timeout)
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			s, asks, err := waitAsking(cmd.Context(), a, c, args[0], states, timeout, orAsks)
			if err != nil {
				return err
			}
			return cmp.Or(printWaited(a, s, states, asks != nil), asks)
		},
	}
	cmd.Flags().StringVar(&names, "state", "", "`STATES` to wait for, with commas between them")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after `D` (30s, 5m)")
	cmd.Flags().BoolVar(&orAsks, "or-asks", false, "end with exit code 3 as soon as it asks a person")
	a.JSONFlag(cmd, "print the session as JSON")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(verb.NamesOf(api.WaitStates()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// printWaited prints a session that was waited for, or that asks.
func printWaited(a *verb.App, s api.Session, states []api.State, asks bool) error {
	if a.JSON {
		return a.PrintJSON(s)
	}
	state := s.State
	if !slices.Contains(states, state) && !asks { // it was waited for its failure
		state = api.StateFailed
	}
	_, err := fmt.Fprintln(a.Out, state)
	return err
}

// waitFor waits for one of the states. It fails at once if the session has ended in another
// one, since its state does not change by itself.
func waitFor(ctx context.Context, c *client.Client, ref string, states []api.State, timeout time.Duration) (api.Session, error) {
	asked := states
	for _, end := range []api.State{api.StateExited, api.StateLost} {
		if !slices.Contains(states, end) {
			states = append(slices.Clone(states), end)
		}
	}
	s, err := c.Wait(ctx, ref, states, timeout)
	if api.CodeOf(err) == api.CodeTimeout {
		now := ""
		if s, err := c.Session(ctx, ref); err == nil {
			now = ": it is " + string(s.State)
			if s.PromptPending {
				now += ", and its first prompt is still to be given"
			}
		}
		return s, fmt.Errorf("session %s was not %s within %s%s", ref, joinOr(asked), timeout, now)
	}
	if err != nil { // it may have ended and left the list
		if s, _, err = verb.PastSession(ctx, c, ref, err); err != nil {
			return s, err
		}
	}
	if !s.In(asked) && !slices.Contains(asked, s.State) {
		code := ""
		if s.ExitCode != nil {
			code = fmt.Sprintf(" (code %d)", *s.ExitCode)
		}
		return s, fmt.Errorf("session %s is %s%s and will not be %s: `ccdir restart %[1]s` begins it again", s.Name, s.State, code, joinOr(asked))
	}
	return s, nil
}

func joinOr(states []api.State) string { return strings.Join(verb.NamesOf(states), " or ") }

func parseStates(cmd *cobra.Command, names string) ([]api.State, error) {
	if !cmd.Flags().Changed("state") {
		return restStates, nil
	}
	if names == "" {
		return nil, verb.Usagef(cmd, "--state is empty: the states are %s", strings.Join(verb.NamesOf(api.WaitStates()), ", "))
	}
	return verb.ParseNames(cmd, names, "state", api.WaitStates())
}
