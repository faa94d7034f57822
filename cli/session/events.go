package session

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/internal/text/textsafe"
)

// Events makes the verb `events`.
func Events(a *verb.App) *cobra.Command {
	var f client.EventFilter
	var follow bool
	cmd := &cobra.Command{
		Use:   "events [--follow] [--all] [--session S] [--type T] [--since SEQ] [--limit N] [--json]",
		Short: "Print the event log",
		Long: `Print the events of the log, oldest first: all, those after number SEQ, or the newest
N of them (with --since the first N after SEQ). With --follow the new ones as they
happen, after those past ones that --since asks for.`,
		Example: `  ccdir events --session api
  ccdir events --follow --json | jq -r 'select(.type == "permission.open") | .session'
  ccdir events --limit 20
  ccdir events --all --follow
  ccdir events --follow --since 1200`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Since < 0 || f.Limit < 0 {
				return verb.Usagef(cmd, "--since and --limit are numbers from 0")
			}
			c, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if f.Session, err = eventSession(cmd.Context(), c, f.Session); err != nil {
				return err
			}
			p := &eventPrinter{App: a, client: c, colour: a.Colours(), names: map[string]string{}}
			if !follow {
				if cmd.Flags().Changed("since") && f.Since == 0 {
					f.Since = -1
				}
				return c.PageEvents(cmd.Context(), f, func(e api.Event) error { return p.print(cmd.Context(), e) })
			}
			if !cmd.Flags().Changed("since") {
				srv, err := c.Health(cmd.Context())
				if err != nil {
					return err
				}
				f.Since = srv.EventSeq
			}
			return p.follow(cmd.Context(), f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVarP(&follow, "follow", "f", false, "go on with new events until interrupted")
	fl.StringVar(&f.Session, "session", "", "only of this `SESSION`")
	verb.RefFlag(cmd, "session")
	fl.StringVar(&f.Type, "type", "", "only of this `TYPE` (a hook's name, session.state, …)")
	fl.Int64Var(&f.Since, "since", 0, "only after number `SEQ`")
	fl.IntVar(&f.Limit, "limit", 0, "at most `N` events (without --follow)")
	a.AllFlag(cmd)
	a.JSONFlag(cmd, "one JSON object a line")
	_ = cmd.RegisterFlagCompletionFunc("session", a.CompleteSession)
	return cmd
}

// sessionID matches ids of sessions.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9]{7}$`) })

// eventSession returns the id of a session. The events of a removed session are still in the
// log, under its id.
func eventSession(ctx context.Context, c *client.Client, ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	s, err := c.Session(ctx, ref)
	if api.CodeOf(err) == api.CodeNotFound && sessionID().MatchString(ref) {
		return ref, nil
	}
	return s.ID, err
}

// eventPrinter prints events; names remembers the names of sessions.
type eventPrinter struct {
	*verb.App
	client *client.Client
	colour bool
	names  map[string]string
}

// follow prints new events until the person interrupts it or the reader of its output is
// gone; neither is an error.
func (p *eventPrinter) follow(ctx context.Context, f client.EventFilter) error {
	ctx, stop, err := verb.WhileRead(ctx, p.Stdout)
	if err != nil {
		return err
	}
	defer stop()
	err = p.client.Follow(ctx, f, func(e api.Event) error { return p.print(ctx, e) })
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *eventPrinter) print(ctx context.Context, e api.Event) error {
	if p.JSON {
		e.Kind = "" // scripts rely on these keys alone
		return p.PrintJSONLine(e)
	}
	change := ""
	if e.StateTo != "" && e.StateTo != e.StateFrom {
		change = string(e.StateFrom) + " → " + string(e.StateTo)
	}
	text := verb.Cell{Text: textsafe.Line(change), Sgr: verb.StandingSGR(e.StateTo.Standing())}
	t := verb.Table{}
	t.Row(
		verb.Cell{Text: verb.Pad(e.Seq), Sgr: "90"},
		verb.Cell{Text: e.At.Local().Format(time.TimeOnly), Sgr: "90"},
		verb.Cell{Text: verb.Fit(textsafe.Line(p.name(ctx, e.Session)), 14)},
		verb.Cell{Text: verb.Fit(textsafe.Line(e.Type), 20)},
		verb.Cell{Text: verb.Fit(text.Text, 24), Sgr: text.Sgr},
		verb.Cell{Text: textsafe.Line(e.Message)},
	)
	return t.Write(p.Out, p.colour)
}

// name returns the session's name, or its id if it was removed.
func (p *eventPrinter) name(ctx context.Context, id string) string {
	if id == "" {
		return "-"
	}
	if n, ok := p.names[id]; ok {
		return n
	}
	p.names[id] = id
	if list, err := p.client.Sessions(ctx); err == nil {
		for _, s := range list {
			p.names[s.ID] = s.Name
		}
	}
	return p.names[id]
}
