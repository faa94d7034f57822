package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/spf13/cobra"

	"ccdir/internal/drill"
)

// Bounds of --duration.
const (
	minSoak = time.Minute
	maxSoak = 7 * 24 * time.Hour
)

func newSoakCmd(a *app) *cobra.Command {
	var duration time.Duration
	var seed uint64
	var keep bool
	cmd := &cobra.Command{
		Use:   "soak [--duration D] [--seed N] [--keep] [--json]",
		Short: "Use ccdir for a long time and prove that it does not grow",
		Long: `Run 16 sessions that print in a CCDIR_HOME of its own, and beside them grids that
attach, are resized and detach, sessions that are killed, started again, made and
removed, hooks, and prompts. Before that, rings, histories and what the daemon
remembers are filled to their bounds. Every few seconds all of it rests, and memory,
open files, goroutines and processes are counted. The first sixth is left out; a line
is laid through the rest, and it fails if one of them grew by more than it may, which
it prints. Your own sessions are not touched. Ctrl-C ends it.`,
		Example: `  ccdir drill soak --duration 5m
  ccdir drill soak --duration 8h --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if duration < minSoak || duration > maxSoak {
				return usagef(cmd, "--duration is %s to %s", minSoak, maxSoak)
			}
			if !cmd.Flags().Changed("seed") {
				seed = uint64(rand.Uint32()) //nolint:gosec // moments, no secrets
			}
			return a.soak(cmd.Context(), duration, seed, keep)
		},
	}
	flags := cmd.Flags()
	flags.DurationVar(&duration, "duration", 30*time.Minute, "how long it works")
	flags.Uint64Var(&seed, "seed", 0, "what the choices follow from (default: another each time)")
	flags.BoolVar(&keep, "keep", false, "keep the home with logs and database")
	a.jsonFlag(cmd, "print the figures as JSON")
	return cmd
}

// soak runs the soak in a home of its own.
func (a *app) soak(ctx context.Context, duration time.Duration, seed uint64, keep bool) error {
	home, err := os.MkdirTemp("", "ccdir-soak-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the soak: %w", err)
	}
	result, err := drill.Soak(ctx, drill.SoakOptions{
		Options:  drill.Options{Exe: a.Exe, Home: home, Env: withoutCcdir(a.Env), Seed: seed},
		Duration: duration,
		Sampled: func(s drill.Sample) {
			fmt.Fprintf(a.Stderr, "%s %s\n", s.At.Format(time.TimeOnly), s)
		},
	})
	if keep {
		fmt.Fprintf(a.Stderr, "the soak's home is kept: %s\n", home)
	} else {
		err = errors.Join(err, removeAll(home))
	}
	if a.json {
		err = errors.Join(a.printJSON(result), err)
	} else {
		_, _ = fmt.Fprint(a.out, result.Report())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the soak with --seed %d failed: %w", seed, err)
	}
	return err
}
