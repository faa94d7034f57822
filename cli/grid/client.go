package grid

import (
	"context"
	"errors"
	"fmt"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/layout"
	"ccdir/client/machines"
	"ccdir/internal/text/textsafe"
	"ccdir/nodes/merge"
	"ccdir/tui/dialogs/conversation"
	"ccdir/tui/dialogs/daemonpage"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/dialogs/fleetpage"
	"ccdir/tui/dialogs/review"
	"ccdir/tui/dialogs/usagepage"
	"ccdir/tui/lists/decisions"
	past "ccdir/tui/lists/history"
	"ccdir/tui/lists/policymenu"
	"ccdir/tui/lists/restore"
	"ccdir/tui/pane"
	"ccdir/tui/prompt/outbox"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// gridClient adapts the client of several machines to the grid's interfaces.
type gridClient struct {
	*machines.Client
	app *verb.App
}

// maxFleetTasks bounds the open tasks of a fleet that are read for its page.
const maxFleetTasks = 500

// Fleet asks for the fleet (fleetpage.Reader).
func (g gridClient) Fleet(ctx context.Context) (f api.Fleet, open []api.Task, more bool, err error) {
	reply, err := g.app.AskFleet(ctx, api.FleetRequest{Op: api.FleetState})
	if err != nil {
		return f, nil, false, err
	}
	if reply.Fleet != nil {
		f = *reply.Fleet
	}
	open, more, err = g.app.FleetTasks(ctx, maxFleetTasks, func(t api.Task) bool { return !t.State.Ended() })
	return f, open, more, err
}

// OpenTemplate opens a template of the configuration (ui.Templates).
func (g gridClient) OpenTemplate(ctx context.Context, name, dir string, env []string) (string, error) {
	t, ok := g.app.Config().Templates[name]
	if !ok {
		return "", fmt.Errorf("config.toml has no template %s any more", textsafe.Line(name))
	}
	steps, err := layout.Open(ctx, g.Client.Client, t.In(dir), layout.Options{Env: env})
	if err != nil {
		return "", err
	}
	started := 0
	for _, s := range steps {
		switch s.Does {
		case layout.Fails:
			err = errors.Join(err, errors.New(textsafe.Line(s.Why)))
		case layout.Start, layout.Restart:
			started++
		}
	}
	if err != nil {
		return "", err
	}
	said := textsafe.Line(name) + ": " + format.Plural(started, "session", "sessions") + " started"
	if others := len(steps) - started; others > 0 {
		said += fmt.Sprintf(", %d left alone: they run already", others)
	}
	return said, nil
}

func (g gridClient) Watch(ctx context.Context, message func(api.WatchMessage), link func(error)) error {
	return g.Client.Watch(ctx, client.Watcher{Message: message, Link: link})
}

func (g gridClient) Buffer(ctx context.Context, id string) (wire.OutputResult, error) {
	return g.Output(ctx, id, wire.OutputParams{Format: "ansi"})
}

func (g gridClient) Saved(ctx context.Context, id string) ([]byte, error) {
	out, err := g.Output(ctx, id, wire.OutputParams{Format: wire.FormatCells})
	return out.Raw, err
}

func (g gridClient) DialHost(ctx context.Context, id string, readOnly bool, view wire.View) (pane.Conn, wire.Welcome, error) {
	conn, welcome, err := g.Host(ctx, id, client.HostOptions{ReadOnly: readOnly, View: &view})
	if err != nil {
		return nil, welcome, err // not a nil *Conn in the interface
	}
	return conn, welcome, nil
}

// DialLine opens a direct line (pane.LineDialer).
func (g gridClient) DialLine(ctx context.Context, id, token string, display directline.Terminal) (*directline.Line, error) {
	return g.Line(ctx, id, token, display)
}

// Events reads the event log (ui.EventReader).
func (g gridClient) Events(ctx context.Context, f api.EventFilter) ([]api.Event, error) {
	return g.Client.Events(ctx, client.EventFilter{Since: f.Since, Session: f.Session, Type: f.Type, Limit: f.Limit})
}

// nodes follows the nodes until ctx ends (tui.Options.Nodes).
func (g gridClient) nodes(ctx context.Context, changed func([]ui.Node)) {
	g.Nodes(ctx, func(list []machines.Node) {
		out := make([]ui.Node, len(list))
		for i, n := range list {
			out[i] = ui.Node{
				Name: n.Name, Target: n.Target, State: ui.NodeState(n.State), Reason: n.Reason, Trying: n.Trying,
				Version: n.Version, System: n.System, Round: n.Round, Seen: n.Seen, Next: n.Next, Links: n.Links,
			}
		}
		changed(out)
	})
}

var (
	_ ui.Client               = gridClient{}
	_ ui.Queue                = gridClient{}
	_ ui.EventReader          = gridClient{}
	_ ui.PastEvents           = gridClient{}
	_ ui.Nodes                = gridClient{}
	_ ui.Templates            = gridClient{}
	_ pane.LineDialer         = gridClient{}
	_ conversation.Teller     = gridClient{}
	_ outbox.Keeper           = gridClient{}
	_ past.Archive            = gridClient{}
	_ decisions.Ledger        = gridClient{}
	_ policymenu.Roles        = gridClient{}
	_ explain.ProcessReader   = gridClient{}
	_ daemonpage.ConfigReader = gridClient{}
	_ usagepage.Reader        = gridClient{}
	_ fleetpage.Reader        = gridClient{}
	_ restore.Restorer        = gridClient{}
	_ review.Differ           = gridClient{}
	_ review.Commenter        = gridClient{}
	_ review.Changer          = gridClient{}
)

// farPane returns the grid's id of a node's session, and makes the verb act on this machine again:
// the grid shows all machines. "": ref is none, or of this machine.
func farPane(ctx context.Context, a *verb.App, ref string) (string, error) {
	node := a.Node
	if node == "" || ref == "" {
		return "", nil
	}
	c, err := a.Connect(ctx)
	if err != nil {
		return "", err
	}
	s, err := c.Session(ctx, ref)
	c.Close()
	a.Node, a.Client = "", nil
	return merge.Of(node, s.ID), err
}
