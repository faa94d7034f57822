package session

import (
	"context"
	"errors"
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
var restStates = []api.State{api.StateIdle, api.StateInput, api.StatePermission, api.StateExited, api.StateLost}

// Wait makes the verb `wait`.
func Wait(a *verb.App) *cobra.Command {
	var names string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:         "wait SESSION [--state STATES] [--timeout D] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Block until a session is in a state, and print which",
		Long: `Block until the session is in one of the states (starting, idle, working,
waiting_for_input, waiting_for_permission, exiting, exited, lost), then print it.
Without --state: until it is idle, waits for somebody, or has ended. A session that
was started with a prompt is not idle before it has that. failed is at rest after
a turn that failed. Fails when the time is over, and when the session has ended in a
state that was not asked for.`,
		Example: `  ccdir wait api
  ccdir wait api --state idle --timeout 10m
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
			s, err := waitFor(cmd, c, args[0], states, timeout)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(s)
			}
			state := s.State
			if !slices.Contains(states, state) { // it was waited for its failure
				state = api.StateFailed
			}
			_, err = fmt.Fprintln(a.Out, state)
			return err
		},
	}
	cmd.Flags().StringVar(&names, "state", "", "`STATES` to wait for, with commas between them")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "give up after `D` (30s, 5m)")
	a.JSONFlag(cmd, "print the session as JSON")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(verb.NamesOf(api.WaitStates()), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// waitFor waits for one of the states. It fails at once if the session has ended in another
// one, since its state does not change by itself.
func waitFor(cmd *cobra.Command, c *client.Client, ref string, states []api.State, timeout time.Duration) (api.Session, error) {
	asked := states
	for _, end := range []api.State{api.StateExited, api.StateLost} {
		if !slices.Contains(states, end) {
			states = append(slices.Clone(states), end)
		}
	}
	s, err := c.Wait(cmd.Context(), ref, states, timeout)
	if api.CodeOf(err) == api.CodeTimeout {
		now := ""
		if s, err := c.Session(cmd.Context(), ref); err == nil {
			now = ": it is " + string(s.State)
			if s.PromptPending {
				now += ", and its first prompt is still to be given"
			}
		}
		return s, fmt.Errorf("session %s was not %s within %s%s", ref, joinOr(asked), timeout, now)
	}
	if err != nil { // it may have ended and left the list
		if s, _, err = verb.PastSession(cmd.Context(), c, ref, err); err != nil {
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

// killSlack is added to kill_grace for the rest of a session's end: drain, final files,
// database.
const killSlack = 20 * time.Second

// Kill makes the verb `kill`.
func Kill(a *verb.App) *cobra.Command {
	var force, noWait, yes bool
	cmd := &cobra.Command{
		Use:         "kill [--force] [--yes] [--no-wait] SESSION…",
		Annotations: verb.AllRefs(),
		Short:       "End a session's process",
		Long: `End the process in the way its agent likes (Ctrl-C twice, or a hangup); what has
not ended after kill_grace is killed. Returns when it has ended. The session
stays in the list until ` + "`ccdir rm`" + `.

An agent that was started outside ccdir is asked to terminate (SIGTERM), after a
question whether that is meant.`,
		Example: `  ccdir kill api
  ccdir kill --force api build`,
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			grace := a.Config().KillGrace + killSlack
			return verb.EachSession(args, func(ref string) error {
				s, external, err := meant(cmd.Context(), a, c, ref, yes)
				if err != nil {
					return err
				}
				s, err = c.KillSession(api.IfMatch(cmd.Context(), s.Version()), s.ID, api.Kill{Force: force, External: external})
				if err != nil || noWait {
					return err
				}
				_, err = waitFor(cmd, c, s.ID, []api.State{api.StateExited, api.StateLost}, grace)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "kill at once, without the polite part")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask about agents outside ccdir")
	cmd.Flags().BoolVar(&noWait, "no-wait", false, "return as soon as it is under way")
	return cmd
}

// meant returns the session that is to be ended, and whether it was started outside ccdir
// (external): then it asks first, unless yes.
func meant(ctx context.Context, a *verb.App, c *client.Client, ref string, yes bool) (s api.Session, external bool, err error) {
	s, err = c.Session(ctx, ref)
	if err != nil || !s.External || s.State.Ended() || s.LeftOf != "" {
		return s, false, err
	}
	if !yes {
		a.Tell("%s (%s, pid %d, in %s) was started outside ccdir and is %s", s.Name, s.Agent, s.PID, a.ShortPath(s.CWD), s.State)
		err = a.Confirm("end it?")
	}
	return s, true, err
}

// Restart makes the verb `restart`.
func Restart(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "restart SESSION… [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Start sessions again (agents: the same conversation)",
		Long: `End the process of each SESSION if it runs, and start its command again. Agents go
on with the same conversation. One that cannot be started does not keep the others
from it.`,
		Example:           "  ccdir restart api\n  ccdir restart api build --json",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return again(ctx, a, c, args, c.RestartSession)
		}),
	}
	a.JSONFlag(cmd, "print the session as JSON, or of several an array")
	return cmd
}

// again starts sessions again by that call, and prints those for which it succeeded.
func again(ctx context.Context, a *verb.App, c *client.Client, refs []string, call func(context.Context, string) (api.Session, error)) error {
	list := []api.Session{}
	err := verb.EachSession(refs, func(ref string) error {
		s, err := c.Session(ctx, ref)
		if err == nil {
			s, err = call(api.IfMatch(ctx, s.Version()), s.ID)
		}
		if err == nil {
			list = append(list, s)
		}
		return err
	})
	return errors.Join(printRestarted(a, list, len(refs) > 1), err)
}

// printRestarted prints sessions that were started again.
func printRestarted(a *verb.App, list []api.Session, several bool) error {
	switch {
	case a.JSON && several:
		return a.PrintJSON(list)
	case a.JSON && len(list) > 0:
		return a.PrintJSON(list[0])
	case a.JSON:
		return nil
	}
	for _, s := range list {
		if _, err := fmt.Fprintln(a.Out, verb.Prefixed(a.Node, s.ID)); err != nil {
			return err
		}
	}
	return nil
}

// Rename makes the verb `rename`.
func Rename(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "rename SESSION NAME",
		Annotations:       verb.FirstRef(),
		Short:             "Give a session another name",
		Example:           `  ccdir rename claude-1 api`,
		Args:              verb.Exactly(2, "SESSION and NAME"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			_, err := c.RenameSession(ctx, args[0], args[1])
			return err
		}),
	}
}

// Rm makes the verb `rm`.
func Rm(a *verb.App) *cobra.Command {
	var purge bool
	cmd := &cobra.Command{
		Use:         "rm [--purge] SESSION…",
		Annotations: verb.AllRefs(),
		Short:       "Forget an ended session",
		Long: `Forget a session that has ended. One that runs is refused: kill it first. What it
said and showed stays in ccdir history and ccdir transcript as long as the
configuration says (history_kept, history_max_age); with --purge it does not, and
SESSION may be the id of one that was removed before. Events stay, and the files
that the agent itself keeps.`,
		Example:           "  ccdir kill api && ccdir rm api\n  ccdir rm --purge api",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return verb.EachSession(args, func(ref string) error {
				if purge {
					return c.PurgeSession(ctx, ref)
				}
				return c.RemoveSession(ctx, ref)
			})
		}),
	}
	cmd.Flags().BoolVar(&purge, "purge", false, "keep nothing of it in the history")
	return cmd
}

// Focus makes the verb `focus`.
func Focus(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:               "focus SESSION",
		Annotations:       verb.FirstRef(),
		Short:             "Give a session the keyboard in every attached grid",
		Example:           `  ccdir focus api`,
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return c.Focus(ctx, args[0])
		}),
	}
}
