// Package verb is what all verbs of the command line share: the run (App), on which machine it
// acts, arguments, output, errors.
//
// Contract: a verb is a function that makes a cobra.Command for a run. Before one runs, guard has
// checked that its caller may use it (rights.go), and its references have lost their NODE/, so that
// Connect leads to the machine that they are on (place.go). A verb for several machines runs once
// for each, with an App of its own (places.go); what they print is put together. An error is a
// UsageError (exit code 2), a QuietError (its reason has been printed), or one line.
package verb

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/sessions/login"
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

// Part says how a run acts on its machine. A run on several consists of one for each (places.go).
type Part int

const (
	// Whole is a run of its own; the environment may name its machine.
	Whole Part = iota
	// Named is the part on this machine, or on one that the caller named: what fails there fails.
	Named
	// ByTheWay is the part on a machine that nobody named, as each of --all: it is not waited for
	// long, and may be away.
	ByTheWay
)

// App is the state of one run.
type App struct {
	Process
	// Out takes the verb's result. JSON is --json.
	Out  io.Writer
	JSON bool
	// Client is the client of Node, nil before NewClient.
	Client *client.Client
	// Node is the machine on which the verb acts, "" this one; see place.go. nodeFlag is --node.
	Node, nodeFlag string
	// Part says how the run acts on Node.
	Part Part
	// Root makes the tree of verbs for a run of its own on another machine.
	Root func(*App) *cobra.Command
	// Misused is the error of a call for help, nil if it was right: cobra cannot return it.
	Misused error
	signs   api.Signs // see Signs; "": not read yet
}

// Getenv returns the value of a variable of the process's environment.
func (a *App) Getenv(key string) string {
	for i := len(a.Env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(a.Env[i], "="); ok && k == key {
			return v
		}
	}
	return ""
}

// Paths returns the files and directories of this installation.
func (a *App) Paths() (paths.Paths, error) { return paths.New(a.Getenv, a.UID) }

// Shim returns the path of the shim (client.Shim), and an error unless it runs and is of
// this version.
func (a *App) Shim(ctx context.Context) (string, error) {
	p, err := a.Paths()
	if err != nil {
		return "", err
	}
	path, err := client.Shim(a.Exe, a.Daemon != nil, p.State)
	if err != nil {
		return "", err
	}
	return path, client.CheckShim(ctx, path, api.Version)
}

// CheckPrograms checks the programs that ccdir needs beside itself.
func (a *App) CheckPrograms(ctx context.Context) error {
	if _, err := a.Shim(ctx); err != nil || a.Daemon != nil {
		return err
	}
	return client.CheckDaemon(ctx, a.Exe, api.Version)
}

// DatabaseFits fails if the daemon of this version cannot use the database.
func (a *App) DatabaseFits(ctx context.Context) error {
	if a.CheckDatabase != nil {
		return a.CheckDatabase(a.Env)
	}
	return client.CheckDatabase(ctx, a.Exe, a.Env)
}

// GridName is the name of the grid's client.
const GridName = "tui"

// patience is client.Options.Patience: in the grid a person sees the pending call and can
// cancel it.
func patience(client string) time.Duration {
	if client == GridName {
		return 24 * time.Hour
	}
	return 0
}

// NewClient makes a client. It does no I/O.
func (a *App) NewClient(name string) (*client.Client, error) {
	if a.Client != nil {
		return a.Client, nil
	}
	p, err := a.Paths()
	if err != nil {
		return nil, err
	}
	o := client.Options{Paths: p, UID: a.UID, Exe: a.Exe, Linked: a.Daemon != nil, Env: a.Env, Name: name, Patience: patience(name)}
	if a.Node != "" {
		if o, err = a.farClient(name); err != nil {
			return nil, err
		}
	}
	a.Client = client.New(o)
	return a.Client, nil
}

// Connect returns a client whose daemon answers; it starts one if none runs.
func (a *App) Connect(ctx context.Context) (*client.Client, error) {
	c, err := a.NewClient("cli")
	if err != nil {
		return nil, err
	}
	if _, err = c.Connect(ctx); err == nil && a.Node == "" {
		a.Env = login.Renew(c.Paths(), a.UID, a.Env)
	}
	return c, err
}

// Close ends the connections of the run.
func (a *App) Close() {
	if a.Client != nil {
		a.Client.Close()
	}
}

// Config returns the user's configuration, with defaults for settings that cannot be read.
func (a *App) Config() config.Config {
	p, err := a.Paths()
	if err != nil {
		return config.Default()
	}
	return config.Load(p.ConfigFile(), a.Getenv("HOME")).Config
}

// Loaded reads the configuration file.
func (a *App) Loaded() (config.Loaded, error) {
	p, err := a.Paths()
	if err != nil {
		return config.Loaded{}, err
	}
	return config.Load(p.ConfigFile(), a.Getenv("HOME")), nil
}

// ProblemText returns the problems of the configuration in one line; "" if there are none.
func ProblemText(l config.Loaded) string {
	switch n := len(l.Problems); n {
	case 0:
		return ""
	case 1:
		return l.Problems[0].String()
	default:
		return fmt.Sprintf("%s, and %d more: see `ccdir config check`", l.Problems[0], n-1)
	}
}
