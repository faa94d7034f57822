package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

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
				_, err = waitFor(cmd.Context(), c, s.ID, []api.State{api.StateExited, api.StateLost}, grace)
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
	var how api.Restart
	cmd := &cobra.Command{
		Use:         "restart SESSION… [--account NAME] [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Start sessions again (agents: the same conversation)",
		Long: `End the process of each SESSION if it runs, and start its command again. Agents go
on with the same conversation. One that cannot be started does not keep the others
from it.

With --account they go on with another account of the configuration, or default,
the agent's own sign-in: once the process has gone, the agent's file of the
conversation is copied there. What could not go along is said.`,
		Example:           "  ccdir restart api\n  ccdir restart api build --json\n  ccdir restart --account work api",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return again(ctx, a, c, args, func(ctx context.Context, ref string) (api.Session, error) {
				return restartWith(ctx, a, c, ref, how)
			})
		}),
	}
	cmd.Flags().StringVar(&how.Account, "account", "", "go on with the account `NAME` of the configuration, or default")
	_ = cmd.RegisterFlagCompletionFunc("account", a.CompleteAccount)
	a.JSONFlag(cmd, "print the session as JSON, or of several an array")
	return cmd
}

// restartWith starts a session again, and tells what became of its conversation when it moved to
// another account.
func restartWith(ctx context.Context, a *verb.App, c *client.Client, ref string, how api.Restart) (api.Session, error) {
	s, err := c.RestartSessionWith(ctx, ref, how)
	if err != nil || how.Account == "" {
		return s, err
	}
	list, eventErr := c.Events(ctx, client.EventFilter{Session: s.ID, Type: api.EventSessionStarted, Limit: 1})
	if eventErr == nil && len(list) == 1 {
		said, _, _ := strings.Cut(list[0].Message, ": ") // the command line
		a.Tell("%s %s", s.Name, textsafe.Line(said))
	}
	return s, nil
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
