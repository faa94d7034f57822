// Package daemon has the verbs of the daemon itself: its life, logs, service, API and versions.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/config"
)

// StopTimeout bounds the wait of `daemon stop` for the daemon's end, after the kill_grace of
// sessions that are killed.
const StopTimeout = 15 * time.Second

// Daemon makes the verb `daemon`.
func Daemon(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "daemon run|start|stop|status|restart|logs",
		Short: "The daemon that knows the sessions",
		Long: `The daemon knows the sessions and keeps the event log. It is started by the first
verb that needs it. Sessions are processes of their own: they go on without it.`,
		Example: `  ccdir daemon status --json
  ccdir daemon restart                  after an upgrade
  ccdir daemon stop --kill-sessions     end everything`,
	}, newDaemonRun(a), newDaemonStart(a), newDaemonStop(a), newDaemonStatus(a), newDaemonRestart(a), newDaemonLogs(a))
}

func newDaemonStart(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:     "start",
		Short:   "Start the daemon if none runs",
		Example: `  ccdir daemon start`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.NewClient("cli")
			if err != nil {
				return err
			}
			srv, started, err := c.Start(cmd.Context())
			if err != nil {
				return err
			}
			return printStarted(a, srv, started)
		},
	}
}

func printStarted(a *verb.App, srv api.Server, started bool) error {
	how := "already running"
	if started {
		how = "started"
	}
	_, err := fmt.Fprintf(a.Out, "%s: pid %d, version %s\n", how, srv.PID, verb.Plain(srv.Version)[0].Text)
	if err == nil && srv.Version != api.Version {
		err = &client.VersionError{Daemon: srv.Version, Client: api.Version, PID: srv.PID}
	}
	return err
}

func newDaemonStop(a *verb.App) *cobra.Command {
	var stop api.Stop
	cmd := &cobra.Command{
		Use:   "stop [--kill-sessions]",
		Short: "Stop the daemon; sessions keep running unless told otherwise",
		Example: `  ccdir daemon stop
  ccdir daemon stop --kill-sessions     end everything`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.NewClient("cli")
			if err != nil {
				return err
			}
			switch err := stopDaemon(cmd.Context(), a, c, stop); {
			case errors.Is(err, client.ErrNotRunning) && stop.KillSessions:
				// Sessions may run without a daemon; a daemon is needed to end them politely.
				if _, _, err := c.Start(cmd.Context()); err != nil {
					return err
				}
				if err := stopDaemon(cmd.Context(), a, c, stop); err != nil {
					return err
				}
			case errors.Is(err, client.ErrNotRunning):
				_, err := fmt.Fprintln(a.Out, "not running")
				return err
			case err != nil:
				return err
			}
			_, err = fmt.Fprintln(a.Out, "stopped")
			return err
		},
	}
	cmd.Flags().BoolVar(&stop.KillSessions, "kill-sessions", false, "end every session, too")
	return cmd
}

// stopDaemon stops the daemon and waits until it is gone.
func stopDaemon(ctx context.Context, a *verb.App, c *client.Client, stop api.Stop) error {
	limit := StopTimeout
	if stop.KillSessions {
		limit += a.Config().KillGrace
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return c.Stop(ctx, stop)
}

func newDaemonRestart(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:     "restart",
		Short:   "Stop the daemon and start this version; sessions keep running",
		Example: `  ccdir daemon restart                  after an upgrade, or a change of config.toml`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.NewClient("cli")
			if err != nil {
				return err
			}
			loaded, err := a.Loaded()
			if err != nil {
				return err
			}
			srv, started, err := restartDaemon(cmd.Context(), a, c, loaded)
			if err != nil {
				return err
			}
			if problem := verb.ProblemText(loaded); problem != "" {
				a.Tell("a default is used where the configuration is wrong: %s", problem)
			}
			return printStarted(a, srv, started)
		},
	}
}

// restartDaemon ends the daemon and starts one of this version, after it has made sure that
// one could run: else there would be none afterwards.
func restartDaemon(ctx context.Context, a *verb.App, c *client.Client, loaded config.Loaded) (srv api.Server, started bool, err error) {
	if err := a.CheckPrograms(ctx); err != nil {
		return srv, false, err
	}
	// It would run with the defaults, which have other limits and roles.
	if loaded.Broken() {
		return srv, false, fmt.Errorf("the daemon is left as it is, because a new one could not read its configuration: %s", verb.ProblemText(loaded))
	}
	if err := a.DatabaseFits(ctx); err != nil {
		return srv, false, fmt.Errorf("the daemon is left as it is, because one of this version could not run: %w", err)
	}
	if err := stopDaemon(ctx, a, c, api.Stop{}); err != nil && !errors.Is(err, client.ErrNotRunning) {
		return srv, false, err
	}
	return c.Start(ctx)
}

func newDaemonStatus(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status [--json]",
		Short: "Show the running daemon; fails if none runs",
		Example: `  ccdir daemon status
  ccdir daemon status --json | jq .pid`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.NewClient("cli")
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), 5*time.Second)
			defer cancel()
			srv, err := c.Health(ctx)
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(srv)
			}
			t := verb.Table{}
			add := func(k, v string) { t.Row(verb.Plain(k, v)...) }
			add("pid", fmt.Sprint(srv.PID))
			version := srv.Version
			if version != api.Version {
				version += " (this ccdir is " + api.Version + ": run `ccdir daemon restart`)"
			}
			add("version", version)
			add("socket", srv.Socket)
			add("state", srv.StateDir)
			add("log", c.Paths().DaemonLog())
			add("up", verb.Age(time.Now(), srv.Started))
			add("sessions", fmt.Sprintf("%d (%d running)", srv.Sessions, srv.Running))
			add("last event", fmt.Sprint(srv.EventSeq))
			for _, aside := range srv.Aside {
				add("aside", aside)
			}
			return t.Write(a.Out, a.Colours())
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}
