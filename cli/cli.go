// Package cli is the command line of ccdir: one file per family of verbs.
//
// Contract (scripts build on it): a verb that did what it says exits 0; one that
// failed exits 1 with one line on standard error that says why and what to do;
// wrong usage exits 2. What was asked for goes to standard output, everything
// else to standard error. With --json standard output holds one JSON document,
// or, for streams, one object a line. Text from agents and other people is
// shown with its control characters made visible; colours are used only on a
// terminal, and not when NO_COLOR is set. Verbs that need the daemon start it.
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
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Process is what a run of the program depends on.
type Process struct {
	// Args are the arguments without the program's name.
	Args []string
	// Env is the environment, Dir the working directory.
	Env []string
	Dir string
	// Exe is the absolute path of this executable: the shim lies beside it, and
	// so does ccdir-daemon unless Daemon is set.
	Exe string
	// Daemon runs the daemon in this process with its log on log, if it is linked
	// in; nil if ccdir-daemon does.
	Daemon func(ctx context.Context, exe string, env []string, log io.Writer) error
	UID    int

	Stdin          *os.File
	Stdout, Stderr *os.File
}

// ThisProcess describes the running program.
func ThisProcess() Process {
	// Errors show up as an empty value, which the verbs that need it report.
	exe, _ := os.Executable()
	dir, _ := os.Getwd()
	return Process{
		Args: os.Args[1:], Env: os.Environ(), Dir: dir, Exe: exe, UID: os.Getuid(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}
}

// Main runs the command line and returns the exit code.
func Main(p Process) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p.Env = absoluteHome(p.Env, p.Dir)
	out := &checkedWriter{w: p.Stdout}
	a := &app{Process: p, out: out}
	defer a.close()
	root := newRoot(a)
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(out)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err = cmp.Or(err, a.misused, out.err); err == nil {
		return exitOK
	}
	return report(ctx, p.Stderr, err)
}

// absoluteHome makes a relative CCDIR_HOME absolute: the daemon and the sessions
// get the same environment in other directories.
func absoluteHome(env []string, dir string) []string {
	out := slices.Clone(env)
	for i, kv := range out {
		if home, ok := strings.CutPrefix(kv, api.EnvHome+"="); ok && home != "" {
			out[i] = api.EnvHome + "=" + absolute(dir, home)
		}
	}
	return out
}

// report prints the one line of an error and returns the exit code.
func report(ctx context.Context, w io.Writer, err error) int {
	var usage usageError
	var quiet quietError
	switch {
	case errors.As(err, &quiet):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(w, "ccdir: %s\n", oneLine(usage.Error()))
		return exitUsage
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(w, "ccdir: interrupted")
		return exitFailed
	}
	fmt.Fprintf(w, "ccdir: %s\n", oneLine(err.Error()))
	return exitFailed
}

// oneLine joins the lines of an error and makes control characters visible.
func oneLine(s string) string {
	return textsafe.Line(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

// usageError is an error in how ccdir was called.
type usageError struct{ error }

// usagef makes a usageError that points to the verb's help.
func usagef(cmd *cobra.Command, format string, args ...any) error {
	return usageError{fmt.Errorf(format+"; see `%s --help`", append(args, cmd.CommandPath())...)}
}

// quietError is a failure whose reason was printed already.
type quietError struct{}

func (quietError) Error() string { return "failed" }

// app is the state of one run.
type app struct {
	Process
	out    io.Writer
	json   bool
	client *client.Client
	// misused is what was wrong about a question for help.
	misused error
}

// checkedWriter remembers that something could not be written: a verb whose output
// did not arrive has failed, also where it is cobra that prints.
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

// getenv returns the value of a variable of the process's environment.
func (a *app) getenv(key string) string {
	for i := len(a.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.Env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// paths are the places of this installation.
func (a *app) paths() (paths.Paths, error) { return paths.New(a.getenv, a.UID) }

// gridPatience is how long the grid repeats a call while no daemon answers: its
// person sees that, and can cancel it.
const gridPatience = 24 * time.Hour

// newClient makes the client without talking to anybody.
func (a *app) newClient(name string) (*client.Client, error) {
	if a.client != nil {
		return a.client, nil
	}
	p, err := a.paths()
	if err != nil {
		return nil, err
	}
	o := client.Options{Paths: p, UID: a.UID, Exe: a.Exe, Linked: a.Daemon != nil, Env: a.Env, Name: name}
	if name == "tui" {
		o.Patience = gridPatience
	}
	a.client = client.New(o)
	return a.client, nil
}

// connect returns a client whose daemon answers, started if need be.
func (a *app) connect(ctx context.Context) (*client.Client, error) {
	c, err := a.newClient("cli")
	if err != nil {
		return nil, err
	}
	_, err = c.Connect(ctx)
	return c, err
}

func (a *app) close() {
	if a.client != nil {
		a.client.Close()
	}
}
