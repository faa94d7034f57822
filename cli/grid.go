package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/tui"
	"ccdir/tui/dialogs/daemonpage"
	"ccdir/tui/dialogs/explain"
	"ccdir/tui/lists/decisions"
	past "ccdir/tui/lists/history"
	"ccdir/tui/lists/policymenu"
	"ccdir/tui/lists/restore"
	"ccdir/tui/pane"
	"ccdir/tui/prompt/history"
	"ccdir/tui/ui"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// addGrid adds the verbs of the grid, and makes ccdir without a verb open the grid.
func addGrid(a *app, root *cobra.Command, add func(group string, cmds ...*cobra.Command)) {
	root.RunE = func(cmd *cobra.Command, _ []string) error { return a.attach(cmd.Context(), "", false) }
	add(groupGrid, newAttachCmd(a), newFocusCmd(a), newDemoCmd(a))
}

func newAttachCmd(a *app) *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "attach [SESSION] [--read-only]",
		Short: "Open the grid; with SESSION that pane alone",
		Long: `Open the grid in this terminal. Any number of terminals can be attached at once;
closing one ends no session. With SESSION its pane is zoomed at first.`,
		Example: `  ccdir attach
  ccdir attach api
  ccdir attach --read-only`,
		Args:              atMostOne,
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref := ""
			if len(args) == 1 {
				if ref = args[0]; ref == "" {
					return usagef(cmd, "the SESSION is empty")
				}
			}
			return a.attach(cmd.Context(), ref, readOnly)
		},
	}
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "look only: send no keys and claim no size")
	return cmd
}

// needTerminal fails unless input and output are a terminal.
func (a *app) needTerminal() error {
	if !terminal(a.Stdin) || !terminal(a.Stdout) {
		return errors.New("the grid needs a terminal as its input and output: run it in one, or use `ccdir ls`, `ccdir output` and the other verbs")
	}
	return nil
}

// attach shows the grid until the person detaches.
func (a *app) attach(ctx context.Context, ref string, readOnly bool) error {
	if err := a.needTerminal(); err != nil {
		return err
	}
	far, err := a.farPane(ctx, ref)
	if err != nil {
		return err
	}
	c, err := a.newClient("tui")
	if err != nil {
		return err
	}
	if a.getenv(api.EnvSocket) == c.Paths().Socket() {
		return errors.New("this terminal is a session of the grid itself: open the grid in another one")
	}
	if a.node == "" {
		a.Env = client.RenewLogin(c.Paths(), a.UID, a.Env)
	}
	opened := make(chan error, 1)
	go func() { opened <- a.opened(ctx, c) }()
	o := a.gridOptions(c)
	if err := <-opened; err != nil {
		return err
	}
	if far != "" {
		ref = far
	} else if ref != "" {
		s, err := c.Session(ctx, ref)
		if err != nil {
			return err
		}
		ref = s.ID
	}
	o.Zoom, o.ReadOnly = ref, readOnly
	if err := runGrid(ctx, o); err != nil {
		return err
	}
	a.sayDetached(ctx, c)
	return nil
}

// sayDetached prints, after a detach, that the sessions still run.
func (a *app) sayDetached(ctx context.Context, c *client.Client) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if srv, err := c.Health(ctx); err == nil && srv.Running > 0 {
		noun := "sessions go"
		if srv.Running == 1 {
			noun = "session goes"
		}
		fmt.Fprintf(a.Stderr, "detached: %d %s on; `ccdir` opens the grid again\n", srv.Running, noun)
	}
}

// gridOptions returns the grid's options from the process and the configuration.
func (a *app) gridOptions(c *client.Client) (o tui.Options) {
	loaded := config.Load(c.Paths().ConfigFile(), a.getenv("HOME"))
	configure := func(map[string]config.Node) {}
	o.Client = gridClient{c}
	if a.node == "" {
		f := a.newFleet(c, loaded.Nodes)
		o.Client, o.Nodes, configure = f, f.Nodes, f.configure
	}
	o.In, o.Out, o.Env, o.Dir = a.Stdin, a.Stdout, a.Env, a.Dir
	o.History = history.History{File: filepath.Join(c.Paths().State, "prompts")}
	o.Draft = history.Draft{File: filepath.Join(c.Paths().State, "draft")}
	o.Replaced = a.replaced()
	o.Settings, o.Changes = gridSettings(c, loaded), a.followSettings(c, loaded, configure)
	return o
}

// runGrid runs the grid until it ends.
func runGrid(ctx context.Context, o tui.Options) error {
	err := tui.Run(ctx, o)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // SIGTERM or SIGINT: it detached
	}
	return err
}

// gridClient adapts the client to the grid's interfaces.
type gridClient struct{ *client.Client }

func (g gridClient) Watch(ctx context.Context, message func(api.WatchMessage), link func(error)) error {
	return g.Client.Watch(ctx, client.Watcher{Message: message, Link: link})
}

func (g gridClient) PastEvents(ctx context.Context, session, kind string, limit int) ([]api.Event, error) {
	return g.Client.Events(ctx, client.EventFilter{Session: session, Type: kind, Limit: limit})
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

// ClearTasks cancels what is queued (ui.Queue).
func (g gridClient) ClearTasks(ctx context.Context, _ string) ([]api.Task, error) {
	return g.Client.ClearTasks(ctx)
}

// Events reads the event log (ui.EventReader).
func (g gridClient) Events(ctx context.Context, f api.EventFilter) ([]api.Event, error) {
	return g.Client.Events(ctx, client.EventFilter{Since: f.Since, Session: f.Session, Type: f.Type, Limit: f.Limit})
}

var (
	_ ui.EventReader          = gridClient{}
	_ past.Archive            = gridClient{}
	_ policymenu.Roles        = gridClient{}
	_ pane.LineDialer         = gridClient{}
	_ decisions.Ledger        = gridClient{}
	_ explain.ProcessReader   = gridClient{}
	_ daemonpage.ConfigReader = gridClient{}
	_ restore.Restorer        = gridClient{}
)
