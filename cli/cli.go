// Package cli is the command line of ccdir: one file per family of verbs.
//
// Contract (scripts depend on it): a verb exits 0 after success, 1 after a failure with one
// line on standard error that says why and what to do, and 2 after wrong usage. Results go
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
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/internal/disk/paths"
	"ccdir/internal/text/textsafe"
	"ccdir/sessions/login"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// Process is the environment of a run of the program.
type Process struct {
	// Args are the arguments without the program's name.
	Args []string
	// Env is the environment, Dir the working directory.
	Env []string
	Dir string
	// Exe is the absolute path of this executable. Shim and ccdir-daemon are in the same
	// directory, unless Daemon is set.
	Exe string
	// Daemon runs the daemon in this process, with its log on log, if daemon and shim are
	// linked in; nil: ccdir-daemon runs it.
	Daemon func(ctx context.Context, exe string, env []string, log io.Writer) error
	// CheckDatabase fails if that daemon cannot use the database, because it is of a later
	// version; nil like Daemon.
	CheckDatabase func(env []string) error
	UID           int

	Stdin          *os.File
	Stdout, Stderr *os.File
}

// ThisProcess describes the running program.
func ThisProcess() Process {
	// After an error a value is empty; verbs that need it report that.
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
	root := a.rootFor(p.Args)
	root.SetArgs(a.takePlace(p.Args))
	root.SetIn(p.Stdin)
	root.SetOut(out)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	if err = cmp.Or(err, a.misused, out.err); err == nil {
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

// usageError is an error in the command line.
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
	// node is the machine on which the verb acts, "" this one; see place.go. nodeFlag is --node.
	node, nodeFlag string
	// pinned: it is decided. several: the verb runs in other places too. background: the node is
	// one of all, and not waited for.
	pinned, several, background bool
	// misused is the error of a call for help, nil if it was right: cobra cannot return it.
	misused error
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

// getenv returns the value of a variable of the process's environment.
func (a *app) getenv(key string) string {
	for i := len(a.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.Env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// paths returns the files and directories of this installation.
func (a *app) paths() (paths.Paths, error) { return paths.New(a.getenv, a.UID) }

// shim returns the path of the shim (client.Shim), and an error unless it runs and is of
// this version.
func (a *app) shim(ctx context.Context) (string, error) {
	p, err := a.paths()
	if err != nil {
		return "", err
	}
	path, err := client.Shim(a.Exe, a.Daemon != nil, p.State)
	if err != nil {
		return "", err
	}
	return path, client.CheckShim(ctx, path, api.Version)
}

// checkPrograms checks the programs that ccdir needs beside itself.
func (a *app) checkPrograms(ctx context.Context) error {
	if _, err := a.shim(ctx); err != nil || a.Daemon != nil {
		return err
	}
	return client.CheckDaemon(ctx, a.Exe, api.Version)
}

// checkDatabase fails if the daemon of this version cannot use the database.
func (a *app) checkDatabase(ctx context.Context) error {
	if a.CheckDatabase != nil {
		return a.CheckDatabase(a.Env)
	}
	return client.CheckDatabase(ctx, a.Exe, a.Env)
}

// gridName is the name of the grid's client.
const gridName = "tui"

// patience is client.Options.Patience: in the grid a person sees the pending call and can
// cancel it.
func patience(client string) time.Duration {
	if client == gridName {
		return 24 * time.Hour
	}
	return 0
}

// newClient makes a client. It does no I/O.
func (a *app) newClient(name string) (*client.Client, error) {
	if a.client != nil {
		return a.client, nil
	}
	p, err := a.paths()
	if err != nil {
		return nil, err
	}
	o := client.Options{Paths: p, UID: a.UID, Exe: a.Exe, Linked: a.Daemon != nil, Env: a.Env, Name: name, Patience: patience(name)}
	if a.node != "" {
		if o, err = a.farClient(name); err != nil {
			return nil, err
		}
	}
	a.client = client.New(o)
	return a.client, nil
}

// connect returns a client whose daemon answers; it starts one if none runs.
func (a *app) connect(ctx context.Context) (*client.Client, error) {
	c, err := a.newClient("cli")
	if err != nil {
		return nil, err
	}
	if _, err = c.Connect(ctx); err == nil && a.node == "" {
		a.Env = login.Renew(c.Paths(), a.UID, a.Env)
	}
	return c, err
}

func (a *app) close() {
	if a.client != nil {
		a.client.Close()
	}
}
