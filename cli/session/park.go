package session

import (
	"context"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// Park makes the verb `park`.
func Park(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "park SESSION… [--json]",
		Annotations: verb.AllRefs(),
		Short:       "End the processes of idle agents; their panes stay",
		Long: `End the process of each SESSION, an agent at rest, to free its memory. The session
stays as it is: pane, screen, name, draft, conversation. A prompt, a message, a
key in its pane or ` + "`ccdir wake`" + ` starts the agent again in its conversation.

Nothing is lost by it. A session is refused, with the reason, while something runs
in its background, a dialog or request is open, its input line holds a draft that
the screen does not tell for sure, or its conversation could not be taken up again.
` + "`ccdir show`" + ` tells the reason, too. park_after, park_keep and park_memory in
config.toml park by rule.`,
		Example:           "  ccdir park api\n  ccdir park api docs --json",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return again(ctx, a, c, args, c.ParkSession)
		}),
	}
	a.JSONFlag(cmd, "print the session as JSON, or of several an array")
	return cmd
}

// Wake makes the verb `wake`.
func Wake(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "wake SESSION… [--json]",
		Annotations: verb.AllRefs(),
		Short:       "Start parked agents again, in their conversations",
		Long: `Start the process of each parked SESSION again, in its conversation; the draft that
was in its input line is put back. A session that runs is left as it is. One whose
conversation somebody else runs is refused: two agents in one conversation lose
each other's work.`,
		Example:           "  ccdir wake api\n  ccdir wake api docs",
		Args:              verb.AtLeast(1, "SESSION"),
		ValidArgsFunction: a.CompleteSessions,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			return again(ctx, a, c, args, c.WakeSession)
		}),
	}
	a.JSONFlag(cmd, "print the session as JSON, or of several an array")
	return cmd
}

// shown is a session with why it may not be parked, "" if it may, or runs nothing that could.
type shown struct {
	api.Session
	NotParked string `json:"not_parked,omitempty"`
}

// shownSession is verb.Session with the reason.
func shownSession(c *client.Client, ctx context.Context, ref string) (v shown, err error) {
	if v.Session, err = verb.Session(c, ctx, ref); err != nil || v.State.Stopped() || v.Plain != "" || v.External {
		return v, err
	}
	if p, err := c.Parking(ctx, v.ID); err == nil { // an older daemon does not tell
		v.NotParked = p.Why
	}
	return v, nil
}

// printShown prints it.
func printShown(a *verb.App, v shown) error { return printSession(a, v.Session, v.NotParked) }
