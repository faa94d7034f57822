// Command ccdir-fleet is the shared queue of several machines, on NATS JetStream. It is a program of its
// own, so that who has one machine links and runs nothing of it.
//
//	ccdir-fleet serve     runs the server: the queue, and the engine that keeps it
//	ccdir-fleet invite    prints what a machine needs to join
//	ccdir-fleet join      takes tasks for this machine's daemon
//	ccdir-fleet status    shows machines, and what waits for what
//
// `ccdir task add --fleet` and its like call it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := root().ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return
	case errors.As(err, &usage):
		fail(err, 2)
	}
	fail(err, 1)
}

func fail(err error, code int) {
	fmt.Fprintf(os.Stderr, "ccdir-fleet: %s\n", textsafe.Line(strings.ReplaceAll(err.Error(), "\n", "; ")))
	os.Exit(code)
}

type usageError struct{ error }

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ccdir-fleet VERB",
		Short: "A queue of tasks that several machines share",
		Long: `The tasks of ` + "`ccdir task add --fleet`" + ` run on whichever machine has what they need
and a free place. One server keeps the queue (serve); each machine takes part beside its own
daemon (join), over a connection that it makes itself. docs/fleet.md begins with an example.`,
		Version: api.Version, SilenceErrors: true, SilenceUsage: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Name() == "help" || cmd.Parent() != nil && cmd.Parent().Name() == "completion" {
				return nil
			}
			return personal(cmd.Context(), "ccdir-fleet "+cmd.Name())
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	cmd.AddCommand(serveCmd(), joinCmd(), inviteCmd(), revokeCmd(), rightsCmd(), exportCmd(), importCmd(), statusCmd(), callCmd())
	return cmd
}

// args makes a check of arguments whose failure is one of usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, list []string) error {
		if err := check(cmd, list); err != nil {
			return usageError{fmt.Errorf("%w: %s", err, cmd.UseLine())}
		}
		return nil
	}
}

// here are this machine's directories and the client of its daemon.
func here() (paths.Paths, *client.Client, error) {
	p, err := paths.New(os.Getenv, os.Getuid())
	if err != nil {
		return p, nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return p, nil, fmt.Errorf("the place of ccdir-fleet cannot be found: %w", err)
	}
	return p, client.New(client.Options{Paths: p, UID: -1, Exe: siblingOf(exe), Env: os.Environ(), Name: "fleet"}), nil
}

// personal fails inside a session: a fleet's key gives work to every machine.
func personal(ctx context.Context, what string) error {
	_, c, err := here()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Personal(ctx, what); !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	return inside(c)
}
