// Ccdir-drill checks that ccdir loses nothing. It starts a daemon, sessions and attached
// grids in a throw-away CCDIR_HOME; the user's own sessions are not touched.
//
//	ccdir-drill [-kills N] [-within D]   kill processes under load, look for losses
//	ccdir-drill -soak D                  work for D, look for growth
//
// Ctrl-C ends it and cleans up. It exits with 1 if something was lost or grew, and prints
// what. -seed repeats the random choices; -keep keeps the home with its logs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ccdir/test/drill"
)

// Bounds of -kills and -soak.
const (
	maxKills = 1_000_000
	minSoak  = time.Minute
	maxSoak  = 7 * 24 * time.Hour
)

type options struct {
	exe    string
	kills  int
	within time.Duration
	soak   time.Duration // 0: kill processes
	seed   uint64
	keep   bool
	json   bool
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-drill:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err = run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "ccdir-drill:", err)
		os.Exit(1)
	}
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("ccdir-drill", flag.ContinueOnError)
	bin := flags.String("bin", "bin", "`directory` of ccdir, ccdir-daemon and ccdir-shim")
	flags.IntVar(&o.kills, "kills", 20, "kill `N` processes; two hosts more are killed last")
	flags.DurationVar(&o.within, "within", 0, "fail if an attached grid takes longer than this to be back")
	flags.DurationVar(&o.soak, "soak", 0, "kill nothing, but work for this long and fail if memory, files, goroutines or processes grow")
	flags.Uint64Var(&o.seed, "seed", uint64(rand.Uint32()), "repeat the random choices of this `seed`") //nolint:gosec // moments, no secrets
	flags.BoolVar(&o.keep, "keep", false, "keep the home with logs and database")
	flags.BoolVar(&o.json, "json", false, "print the figures as JSON")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	} else if err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.kills < 1 || o.kills > maxKills:
		return o, fmt.Errorf("-kills is 1 to %d", maxKills)
	case o.soak != 0 && (o.soak < minSoak || o.soak > maxSoak):
		return o, fmt.Errorf("-soak is %s to %s", minSoak, maxSoak)
	}
	if o.exe, err = filepath.Abs(filepath.Join(*bin, "ccdir")); err != nil {
		return o, err
	}
	if _, err := os.Stat(o.exe); err != nil {
		return o, fmt.Errorf("cannot find ccdir (build it with `make build`, or name its directory with -bin): %w", err)
	}
	return o, nil
}

// report is the result of a drill.
type report interface{ Report() string }

// run creates the home, runs the drill there, removes the home, and prints the result,
// even after a failure.
func run(ctx context.Context, o options) error {
	home, err := os.MkdirTemp("", "ccdir-drill-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the drill: %w", err)
	}
	var result report
	if o.soak > 0 {
		result, err = soak(ctx, o, home)
	} else {
		result, err = kill(ctx, o, home)
	}
	if o.keep {
		fmt.Fprintln(os.Stderr, "the drill's home is kept:", home)
	} else {
		err = errors.Join(err, removeAll(home))
	}
	if o.json {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		err = errors.Join(err, enc.Encode(result))
	} else {
		fmt.Print(result.Report())
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the drill with -seed %d failed: %w", o.seed, err)
	}
	return err
}

// removeAll removes dir. A host that is ending may still write its last files: it
// retries for a fifth of a second.
func removeAll(dir string) (err error) {
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// kill runs the drill that kills processes and writes its steps into drill.log.
func kill(ctx context.Context, o options, home string) (report, error) {
	steps, err := os.Create(filepath.Join(home, "drill.log"))
	if err != nil {
		return drill.Result{}, fmt.Errorf("cannot create the log of the drill: %w", err)
	}
	defer steps.Close()
	said, why := 0, "" // why: the last finding, which has several lines
	result, err := drill.Run(ctx, drill.Options{
		Exe: o.exe, Home: home, Env: environ(), Kills: o.kills, Within: o.within, Seed: o.seed,
		Progress: func(n int) {
			if n/100 > said {
				said = n / 100
				fmt.Fprintf(os.Stderr, "killed %d of %d\n", n, o.kills)
			}
		},
		Log: func(format string, args ...any) {
			step := fmt.Sprintf(format, args...)
			fmt.Fprintln(steps, time.Now().Format("15:04:05.000"), step)
			if strings.Contains(step, "\n") {
				why = step
			}
		},
	})
	if err != nil && why != "" {
		fmt.Fprintln(os.Stderr, why)
	}
	return result, err
}

// soak runs the drill that works for a long time, and prints each sample.
func soak(ctx context.Context, o options, home string) (report, error) {
	return drill.Soak(ctx, drill.SoakOptions{
		Options:  drill.Options{Exe: o.exe, Home: home, Env: environ(), Seed: o.seed},
		Duration: o.soak,
		Sampled:  func(s drill.Sample) { fmt.Fprintf(os.Stderr, "%s %s\n", s.At.Format(time.TimeOnly), s) },
	})
}

// environ is the environment without ccdir's own variables: a drill that is started in
// a session must not reach that session's daemon.
func environ() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CCDIR_") {
			env = append(env, kv)
		}
	}
	return env
}
