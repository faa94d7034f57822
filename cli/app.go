package cli

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
	// root makes the tree of verbs for another run.
	root func(*app) *cobra.Command
	// misused is the error of a call for help, nil if it was right: cobra cannot return it.
	misused error
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

// config returns the user's configuration, with defaults for settings that cannot be read.
func (a *app) config() config.Config {
	p, err := a.paths()
	if err != nil {
		return config.Default()
	}
	return config.Load(p.ConfigFile(), a.getenv("HOME")).Config
}

// loaded reads the configuration file.
func (a *app) loaded() (config.Loaded, error) {
	p, err := a.paths()
	if err != nil {
		return config.Loaded{}, err
	}
	return config.Load(p.ConfigFile(), a.getenv("HOME")), nil
}

// problemText returns the problems of the configuration in one line; "" if there are none.
func problemText(l config.Loaded) string {
	switch n := len(l.Problems); n {
	case 0:
		return ""
	case 1:
		return l.Problems[0].String()
	default:
		return fmt.Sprintf("%s, and %d more: see `ccdir config check`", l.Problems[0], n-1)
	}
}
