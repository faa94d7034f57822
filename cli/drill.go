package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/test/drill"
)

// maxKills bounds --kills: some days of work.
const maxKills = 1_000_000

func newDrillCmd(a *app) *cobra.Command {
	var kills int
	var within time.Duration
	own := throwAway{name: "drill"}
	cmd := &cobra.Command{
		Use:   "drill [--kills N] [--within D] [--seed N] [--keep] [--json]",
		Short: "Kill daemon, grids, hooks and bridges under load and prove that nothing is lost",
		Long: `Start sessions that print, hooks, messages over MCP, tasks and two attached grids in
a CCDIR_HOME of its own in the temporary directory, kill processes of ccdir there
(SIGKILL) at random moments, and check that every agent runs, every line printed
is there, and every event, message and task is there once. Your own sessions are
not touched. Two hosts are killed last: their session alone is lost, and resumed.

It takes about a quarter of a second a kill. Ctrl-C ends it and cleans up. It exits
1 when something was lost, and says what. --seed repeats kinds and moments, --keep
keeps the home, whose drill.log has each step.`,
		Example: `  ccdir drill
  ccdir drill --kills 1000 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if kills < 1 || kills > maxKills {
				return usagef(cmd, "--kills is 1 to %d", maxKills)
			}
			return own.run(a, cmd, func(ctx context.Context, home string, seed uint64) (interface{ Report() string }, error) {
				return a.drill(ctx, drill.Options{Home: home, Kills: kills, Within: within, Seed: seed})
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&kills, "kills", 20, "`N` processes are killed")
	flags.DurationVar(&within, "within", 0, "fail if an attached grid takes longer than `D` to be back (1s)")
	own.addFlags(a, cmd, "kinds and moments")
	cmd.AddCommand(newSoakCmd(a))
	return cmd
}

// drill runs the drill and tells how far it is.
func (a *app) drill(ctx context.Context, o drill.Options) (drill.Result, error) {
	tty := terminal(a.Stderr)
	said := 0
	o.Exe, o.Linked, o.Env = a.Exe, a.Daemon != nil, withoutCcdir(a.Env)
	o.Progress = func(n int) {
		switch {
		case tty:
			fmt.Fprintf(a.Stderr, "\rkilled %d of %d ", n, o.Kills)
		case n/100 > said:
			said = n / 100
			fmt.Fprintf(a.Stderr, "killed %d of %d\n", n, o.Kills)
		}
	}
	steps, err := os.Create(filepath.Join(o.Home, "drill.log")) // for --keep
	if err != nil {
		return drill.Result{}, fmt.Errorf("cannot write down what the drill does: %w", err)
	}
	defer steps.Close()
	var why string // of the last thing that was found wrong: it has several lines
	o.Log = func(format string, args ...any) {
		step := fmt.Sprintf(format, args...)
		fmt.Fprintln(steps, time.Now().Format("15:04:05.000"), step)
		if strings.Contains(step, "\n") {
			why = step
		}
	}
	result, err := drill.Run(ctx, o)
	if tty {
		fmt.Fprint(a.Stderr, "\r\x1b[K")
	}
	if err != nil && why != "" {
		fmt.Fprintln(a.Stderr, why)
	}
	return result, err
}
