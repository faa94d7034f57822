// Package cli is the command line of ccdir: the root of the verbs, whose families are the folders
// below it, and the exit codes.
//
// Contract (scripts depend on it): a verb exits 0 after success, 1 after a failure with one
// line on standard error that says why and what to do, 2 after wrong usage, and 3 if an agent asks
// a person and that was waited for (`wait --or-asks`). Results go
// to standard output, everything else to standard error. With --json standard output holds
// one JSON document, or one object a line for streams. Control characters in text of
// agents and other people are made visible. Colours are used on a terminal only, and not
// when NO_COLOR is set. Verbs that need the daemon start it. Verbs that change something are
// carried out once, also if the daemon dies in between (package client).
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"ccdir/api"
	"ccdir/cli/verb"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitAsks   = 3
)

// ThisProcess describes the running program.
func ThisProcess() verb.Process {
	// After an error a value is empty; verbs that need it report that.
	exe, _ := os.Executable()
	dir, _ := os.Getwd()
	return verb.Process{
		Args: os.Args[1:], Env: os.Environ(), Dir: dir, Exe: exe, UID: os.Getuid(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
}

// Main runs the command line and returns the exit code.
func Main(p verb.Process) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.Env = absoluteHome(p.Env, p.Dir)
	out := &checkedWriter{w: p.Stdout}
	a := &verb.App{Process: p, Out: out}
	defer a.Close()
	root := rootFor(a, p.Args)
	root.SetArgs(a.TakePlace(p.Args))
	root.SetIn(p.Stdin)
	root.SetOut(out)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err = cmp.Or(err, a.Misused, out.err); err == nil {
		return exitOK
	}
	return report(ctx, p.Stderr, err)
}

// absoluteHome makes a relative CCDIR_HOME absolute, because daemon and sessions inherit it
// and run in other directories.
func absoluteHome(env []string, dir string) []string {
	out := slices.Clone(env)
	for i, kv := range out {
		if home, ok := strings.CutPrefix(kv, api.EnvHome+"="); ok && home != "" {
			out[i] = api.EnvHome + "=" + verb.Absolute(dir, home)
		}
	}
	return out
}

// report prints the one line of an error and returns the exit code.
func report(ctx context.Context, w io.Writer, err error) int {
	var usage verb.UsageError
	var quiet verb.QuietError
	var asks verb.AsksError
	switch {
	case errors.As(err, &quiet):
		return cmp.Or(quiet.Code, exitFailed)
	case errors.As(err, &usage):
		fmt.Fprintf(w, "ccdir: %s\n", verb.OneLine(usage.Error()))
		return exitUsage
	case errors.As(err, &asks):
		fmt.Fprintf(w, "ccdir: %s\n", verb.OneLine(asks.Error()))
		return exitAsks
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(w, "ccdir: interrupted")
		return exitFailed
	}
	fmt.Fprintf(w, "ccdir: %s\n", verb.OneLine(err.Error()))
	return exitFailed
}

// checkedWriter stores the first error of writing: a verb whose output could not be written
// has failed, also where cobra prints.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}
