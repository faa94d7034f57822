package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ccdir/test/drill"
)

// Bounds of --duration.
const (
	minSoak = time.Minute
	maxSoak = 7 * 24 * time.Hour
)

func newSoakCmd(a *app) *cobra.Command {
	var duration time.Duration
	own := throwAway{name: "soak"}
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
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if duration < minSoak || duration > maxSoak {
				return usagef(cmd, "--duration is %s to %s", minSoak, maxSoak)
			}
			return own.run(a, cmd, func(ctx context.Context, home string, seed uint64) (interface{ Report() string }, error) {
				return drill.Soak(ctx, drill.SoakOptions{
					Options:  drill.Options{Exe: a.Exe, Home: home, Env: withoutCcdir(a.Env), Seed: seed},
					Duration: duration,
					Sampled: func(s drill.Sample) {
						fmt.Fprintf(a.Stderr, "%s %s\n", s.At.Format(time.TimeOnly), s)
					},
				})
			})
		},
	}
	cmd.Flags().DurationVar(&duration, "duration", 30*time.Minute, "work for `D`")
	own.addFlags(a, cmd, "the choices")
	return cmd
}
