// Package grid opens the grid: it adapts the client of several machines, and the configuration, to
// package tui.
package grid

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/daemon"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/machines"
	"ccdir/config"
	"ccdir/sessions/login"
	"ccdir/tui"
	"ccdir/tui/prompt/history"
)

// Attach makes the verb `attach`.
func Attach(a *verb.App) *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use:         "attach [SESSION] [--read-only]",
		Annotations: verb.FirstRef(),
		Short:       "Open the grid; with SESSION that pane alone",
		Long: `Open the grid in this terminal. Any number of terminals can be attached at once;
closing one ends no session. With SESSION its pane is zoomed at first.`,
		Example: `  ccdir attach
  ccdir attach api
  ccdir attach --read-only`,
		Args:              verb.AtMostOne,
		ValidArgsFunction: a.CompleteSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			ref := ""
			if len(args) == 1 {
				if ref = args[0]; ref == "" {
					return verb.Usagef(cmd, "the SESSION is empty")
				}
			}
			return Open(cmd.Context(), a, ref, readOnly)
		},
	}
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "look only: send no keys and claim no size")
	return cmd
}

// needTerminal fails unless input and output are a terminal.
func needTerminal(a *verb.App) error {
	if !verb.Terminal(a.Stdin) || !verb.Terminal(a.Stdout) {
		return errors.New("the grid needs a terminal as its input and output: run it in one, or use `ccdir ls`, `ccdir output` and the other verbs")
	}
	return nil
}

// Open shows the grid until the person detaches.
func Open(ctx context.Context, a *verb.App, ref string, readOnly bool) error {
	if err := needTerminal(a); err != nil {
		return err
	}
	far, err := farPane(ctx, a, ref)
	if err != nil {
		return err
	}
	c, err := a.NewClient(verb.GridName)
	if err != nil {
		return err
	}
	if a.Getenv(api.EnvSocket) == c.Paths().Socket() {
		return errors.New("this terminal is a session of the grid itself: open the grid in another one")
	}
	if a.Node == "" {
		a.Env = login.Renew(c.Paths(), a.UID, a.Env)
	}
	opened := make(chan error, 1)
	go func() { opened <- daemon.Opened(ctx, a, c) }()
	o := gridOptions(a, c)
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
	sayDetached(ctx, a, c)
	return nil
}

// sayDetached prints, after a detach, that the sessions still run.
func sayDetached(ctx context.Context, a *verb.App, c *client.Client) {
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
func gridOptions(a *verb.App, c *client.Client) (o tui.Options) {
	loaded := config.Load(c.Paths().ConfigFile(), a.Getenv("HOME"))
	configure := func(map[string]config.Node) {}
	if from, err := a.Opener(verb.GridName); a.Node == "" && err == nil {
		f := gridClient{machines.New(c, from, loaded.Nodes), a}
		o.Client, o.Nodes, configure = f, f.nodes, f.Configure
	} else { // a node's grid shows that node alone
		o.Client = gridClient{machines.New(c, from, nil), a}
	}
	o.In, o.Out, o.Env, o.Dir = a.Stdin, a.Stdout, a.Env, a.Dir
	o.Exe, o.ConfigFile = a.Exe, c.Paths().ConfigFile()
	o.History = history.History{File: filepath.Join(c.Paths().State, "prompts")}
	o.Draft = history.Draft{File: filepath.Join(c.Paths().State, "draft")}
	o.Replaced = daemon.Replaced(a)
	o.Keep = func(key, value string) error {
		_, _, err := config.Write(c.Paths().ConfigFile(), a.Getenv("HOME"), key, value)
		return err
	}
	o.Settings, o.Changes = gridSettings(c, loaded), followSettings(a, c, loaded, configure)
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
