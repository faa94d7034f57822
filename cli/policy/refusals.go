package policy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// refusal is one row of `sandbox explain`.
type refusal struct {
	At  time.Time `json:"at"`
	Seq int64     `json:"seq"`
	api.SandboxRefusal
}

// walled is `sandbox explain --json`.
type walled struct {
	Session  string       `json:"session"`
	Sandbox  *api.Sandbox `json:"sandbox"`
	Refusals []refusal    `json:"refusals"`
}

// maxRefusals bounds the rows.
const maxRefusals = 50

func sandboxExplain(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "explain SESSION [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Show a session's walls, and what they refused",
		Long: `Show the walls around a session, and what they refused, newest first: hosts that were
tried, and results of tools that read as a wall's refusal ("Read-only file system",
"Permission denied"). The kernel tells only the administrator what it refused of files,
so of these it is what the agent's hooks reported: a refusal that a program kept to
itself is not in it, and a file that is hidden looks like one that does not exist.
A task's id or name stands for its session, also when that is gone.`,
		Example:           "  ccdir sandbox explain api\n  ccdir sandbox explain t7",
		Args:              verb.Exactly(1, "SESSION"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			s, err := walledSession(ctx, c, args[0])
			if err != nil {
				return err
			}
			events, err := c.Events(ctx, client.EventFilter{Session: s.ID, Type: api.EventSandboxRefused, Limit: maxRefusals})
			if err != nil {
				return err
			}
			v := walled{Session: s.ID, Sandbox: s.Sandbox, Refusals: refusals(events)}
			return a.Output(v, func() error { return printWalled(a, v) })
		}),
	}
	a.JSONFlag(cmd, "print it as JSON")
	return cmd
}

// walledSession is a session that has walls, or that of a task: of one that is gone it is id, name and profile.
func walledSession(ctx context.Context, c *client.Client, ref string) (s api.Session, err error) {
	if s, err = c.Session(ctx, ref); api.CodeOf(err) == api.CodeNotFound {
		t, none := c.Task(ctx, ref)
		if none != nil || t.Session == "" {
			return s, err
		}
		if s, err = c.Session(ctx, t.Session); api.CodeOf(err) == api.CodeNotFound {
			s, err = api.Session{ID: t.Session, Name: cmp.Or(t.Name, t.ID)}, nil
			if name, _, _ := strings.Cut(t.Result.Sandbox, " "); name != "" && name != api.NoSandbox+":" {
				s.Sandbox = &api.Sandbox{Name: strings.TrimSuffix(name, ":")}
			}
		}
	}
	if err == nil && s.Sandbox == nil {
		err = fmt.Errorf("session %s has no walls: `ccdir new --sandbox PROFILE` starts one that has", s.Name)
	}
	return s, err
}

// refusals are those that events tell of, newest first.
func refusals(events []api.Event) []refusal {
	list := []refusal{}
	for _, e := range slices.Backward(events) {
		r := refusal{At: e.At, Seq: e.Seq}
		if json.Unmarshal(e.Data, &r.SandboxRefusal) == nil {
			list = append(list, r)
		}
	}
	return list
}

func printWalled(a *verb.App, v walled) error {
	t := verb.Table{}
	if v.Sandbox.Mechanism == "" { // the session is gone
		t.Row(verb.Plain("sandbox", v.Sandbox.Name)...)
	} else {
		t.Row(verb.Plain("sandbox", v.Sandbox.Name+", held by "+v.Sandbox.Mechanism+", "+v.Sandbox.Reaches())...)
	}
	for _, m := range v.Sandbox.Missing {
		t.Row(verb.Plain("missing", m)...)
	}
	for _, r := range v.Refusals {
		what := r.Says + "  (" + r.Tool + ")"
		if r.Host != "" {
			what = r.Host + " was tried"
			if r.Count > 1 {
				what += fmt.Sprintf(" %d times", r.Count)
			}
		}
		t.Row(verb.Plain(r.At.Local().Format("01-02 15:04:05"), what)...)
	}
	if len(v.Refusals) == 0 {
		t.Row(verb.Plain("refused", "nothing that is known of")...)
	}
	return t.Write(a.Out, a.Colours())
}

func sandboxAllow(a *verb.App) *cobra.Command {
	var restart bool
	cmd := &cobra.Command{
		Use:         "allow SESSION PATH|HOST [--restart] [--json]",
		Annotations: verb.FirstRef(),
		Short:       "Let a path or a host through the walls of one session",
		Long: `Let a session write a path, or reach a host, besides what its profile lets through.
A host of a network with a list is reached at once. A running process cannot be given
the rest: it holds from the next start on, and --restart begins that now, for an agent
in the same conversation. It is in the ledger, and does not outlive the session.`,
		Example:           "  ccdir sandbox allow api registry.npmjs.org\n  ccdir sandbox allow api ~/src/shared --restart",
		Args:              verb.Exactly(2, "SESSION and PATH or HOST"),
		ValidArgsFunction: a.CompleteSession,
		RunE: a.Connected(func(ctx context.Context, c *client.Client, args []string) error {
			s, err := c.AllowInSandbox(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			waits := s.Sandbox != nil && len(s.Sandbox.Waiting) > 0
			if waits && restart {
				if s, err = c.RestartSession(ctx, s.ID); err != nil {
					return fmt.Errorf("it is allowed, but the session was not restarted: %w", err)
				}
			}
			if a.JSON {
				return a.PrintJSON(s)
			}
			if waits && !restart {
				a.Tell("from its next start on: `ccdir restart %s` begins that now, an agent in the same conversation", s.Name)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&restart, "restart", false, "start the session again if its process cannot be given it")
	a.JSONFlag(cmd, "print the session as JSON")
	return cmd
}
