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
	"ccdir/client/fleet"
	"ccdir/config"
	"ccdir/sessions/login"
	"ccdir/tui"
	"ccdir/tui/prompt/history"
)

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
	c, err := a.newClient(gridName)
	if err != nil {
		return err
	}
	if a.getenv(api.EnvSocket) == c.Paths().Socket() {
		return errors.New("this terminal is a session of the grid itself: open the grid in another one")
	}
	if a.node == "" {
		a.Env = login.Renew(c.Paths(), a.UID, a.Env)
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
	if from, err := a.opener(gridName); a.node == "" && err == nil {
		f := gridClient{fleet.New(c, from, loaded.Nodes)}
		o.Client, o.Nodes, configure = f, f.nodes, f.Configure
	} else { // a node's grid shows that node alone
		o.Client = gridClient{fleet.New(c, from, nil)}
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
