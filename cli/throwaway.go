package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/spf13/cobra"
)

// throwAway is what all kinds of drill have: a home of their own, and choices that
// can be repeated.
type throwAway struct {
	name string // "drill"
	seed uint64
	keep bool
}

// addFlags adds --seed, of which the named things follow, --keep and --json.
func (d *throwAway) addFlags(a *app, cmd *cobra.Command, follow string) {
	cmd.Flags().Uint64Var(&d.seed, "seed", 0, "`N`, from which "+follow+" follow (default: another each time)")
	cmd.Flags().BoolVar(&d.keep, "keep", false, "keep the home with logs and database")
	a.jsonFlag(cmd, "print the figures as JSON")
}

// run makes the home, runs work there with the seed, removes it, and prints what
// was found, also of work that failed.
func (d *throwAway) run(a *app, cmd *cobra.Command, work func(ctx context.Context, home string, seed uint64) (interface{ Report() string }, error)) error {
	ctx := cmd.Context()
	if !cmd.Flags().Changed("seed") {
		d.seed = uint64(rand.Uint32()) //nolint:gosec // moments, no secrets
	}
	home, err := os.MkdirTemp("", "ccdir-"+d.name+"-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the %s: %w", d.name, err)
	}
	result, err := work(ctx, home, d.seed)
	if d.keep {
		fmt.Fprintf(a.Stderr, "the %s's home is kept: %s\n", d.name, home)
	} else {
		err = errors.Join(err, removeAll(home))
	}
	if a.json {
		err = errors.Join(a.printJSON(result), err)
	} else {
		_, _ = fmt.Fprint(a.out, result.Report())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the %s with --seed %d failed: %w", d.name, d.seed, err)
	}
	return err
}
