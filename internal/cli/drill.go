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

// maxKills bounds --kills: some days of work.
const maxKills = 1_000_000

func newDrillCmd(a *app) *cobra.Command {
	var kills int
	var within time.Duration
	var seed uint64
	var keep bool
	cmd := &cobra.Command{
		Use:   "drill [--kills N] [--within D] [--seed N] [--keep] [--json]",
		Short: "Kill daemon, grids, hooks and bridges under load and prove that nothing is lost",
		Long: `Start sessions that print, hooks, messages over MCP, tasks and two attached grids in
a CCDIR_HOME of its own in the temporary directory, kill processes of ccdir there
(SIGKILL) at random moments, and check that every agent runs, every line printed
is there, and every event, message and task is there once. Your own sessions are
not touched. Two hosts are killed last: their session alone is lost, and resumed.

It takes about a quarter of a second a kill. Ctrl-C ends it and cleans up. It exits
1 when something was lost, and says what. --seed repeats kinds and moments.`,
		Example: `  ccdir drill
  ccdir drill --kills 1000 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if kills < 1 || kills > maxKills {
				return usagef(cmd, "--kills is 1 to %d", maxKills)
			}
			if !cmd.Flags().Changed("seed") {
				seed = uint64(rand.Uint32()) //nolint:gosec // moments, no secrets
			}
			return a.drill(cmd.Context(), kills, within, seed, keep)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&kills, "kills", 20, "how many processes are killed")
	flags.DurationVar(&within, "within", 0, "fail if an attached grid takes longer than `D` to be back (1s)")
	flags.Uint64Var(&seed, "seed", 0, "what kinds and moments follow from (default: another each time)")
	flags.BoolVar(&keep, "keep", false, "keep the home with logs and database")
	a.jsonFlag(cmd, "print the figures as JSON")
	cmd.AddCommand(newSoakCmd(a))
	return cmd
}

// drill runs the drill in a home of its own.
func (a *app) drill(ctx context.Context, kills int, within time.Duration, seed uint64, keep bool) error {
	home, err := os.MkdirTemp("", "ccdir-drill-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the drill: %w", err)
	}
	tty := terminal(a.Stderr)
	said := 0
	result, err := drill.Run(ctx, drill.Options{
		Exe: a.Exe, Linked: a.Daemon != nil, Home: home, Env: withoutCcdir(a.Env), Kills: kills, Within: within, Seed: seed,
		Progress: func(n int) {
			switch {
			case tty:
				fmt.Fprintf(a.Stderr, "\rkilled %d of %d ", n, kills)
			case n/100 > said:
				said = n / 100
				fmt.Fprintf(a.Stderr, "killed %d of %d\n", n, kills)
			}
		},
	})
	if tty {
		fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
	if keep {
		fmt.Fprintf(a.Stderr, "the drill's home is kept: %s\n", home)
	} else {
		err = errors.Join(err, removeAll(home))
	}
	if a.json {
		err = errors.Join(a.printJSON(result), err)
	} else {
		_, _ = fmt.Fprint(a.out, result.Report())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the drill with --seed %d failed: %w", seed, err)
	}
	return err
}
