package grid

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/daemon"
	"ccdir/cli/verb"
	"ccdir/client"
)

// demoPanes are the sessions of `ccdir demo`: a name and the scene that the demo agent
// plays. The first one has the focus and the captions of the tour.
var demoPanes = []struct{ name, scene string }{
	{"tour", "tour"},
	{"parser", "build"},
	{"makefile", "permission"},
	{"timeouts", "question"},
	{"docs", "answer"},
}

// Demo makes the verb `demo`.
func Demo(a *verb.App) *cobra.Command {
	var keep bool
	cmd := &cobra.Command{
		Use:   "demo [--keep]",
		Short: "A tour: a grid of scripted agents, apart from your own sessions",
		Long: `Open a grid of scripted demo agents that need nothing installed and change
nothing: one asks for a permission, one asks a question, one fails, one finishes,
and a tour in five captions says which keys to press. It has a CCDIR_HOME of its own in the temporary directory, which is
removed with its sessions when you leave; --keep leaves both and says where.`,
		Example: `  ccdir demo
  ccdir demo --keep`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needTerminal(a); err != nil {
				return err
			}
			return demo(cmd.Context(), a, keep)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the demo's sessions running when you leave")
	return cmd
}

// demo runs the tour in a home of its own.
func demo(ctx context.Context, a *verb.App, keep bool) (err error) {
	home, err := os.MkdirTemp("", "ccdir-demo-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for the demo: %w", err)
	}
	d := &verb.App{Process: a.Process, Out: a.Out}
	d.Env = append(withoutCcdir(a.Env), "CCDIR_HOME="+home)
	d.Dir = filepath.Join(home, "project")
	defer d.Close()
	if keep {
		defer func() {
			fmt.Fprintf(a.Stderr, "the demo goes on: CCDIR_HOME=%s ccdir; end it with CCDIR_HOME=%[1]s ccdir daemon stop --kill-sessions\n", home)
		}()
	} else {
		defer func() { err = errors.Join(err, endDemo(d, home)) }()
	}
	if err := writeDemo(d); err != nil {
		return err
	}
	c, err := d.NewClient(verb.GridName)
	if err != nil {
		return err
	}
	if _, err := c.Connect(ctx); err != nil {
		return err
	}
	for _, p := range demoPanes {
		_, err := c.CreateSession(ctx, api.NewSession{Name: p.name, Agent: p.name, CWD: d.Dir, Env: d.Env})
		if err != nil {
			return err
		}
	}
	return runGrid(ctx, gridOptions(d, c))
}

// writeDemo creates the demo's directory and a configuration with an agent for each scene.
func writeDemo(a *verb.App) error {
	p, err := a.Paths()
	if err != nil {
		return err
	}
	for _, dir := range []string{a.Dir, p.Config} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "default_agent = \"demo\"\n")
	for _, pane := range demoPanes {
		fmt.Fprintf(&b, "\n[agents.%s]\nkind = \"demo\"\nargs = [\"-name\", %q, \"-scene\", %q]\n", pane.name, pane.name, pane.scene)
	}
	return os.WriteFile(p.ConfigFile(), []byte(b.String()), 0o600)
}

// endDemo ends the demo's sessions and daemon and removes its files.
func endDemo(a *verb.App, home string) error {
	ctx, cancel := context.WithTimeout(context.Background(), daemon.StopTimeout+a.Config().KillGrace)
	defer cancel()
	var err error
	if a.Client != nil {
		if err = a.Client.Stop(ctx, api.Stop{KillSessions: true}); errors.Is(err, client.ErrNotRunning) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("the demo was not ended (%w): run `CCDIR_HOME=%s ccdir daemon stop --kill-sessions`", err, home)
	}
	return removeAll(home)
}

// removeAll is os.RemoveAll with retries, for a directory in which an ending process may
// still create files.
func removeAll(dir string) error {
	var err error
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

// withoutCcdir returns env without ccdir's own variables, so that a demo that was started
// inside a session does not count as a part of it.
func withoutCcdir(env []string) []string {
	var out []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "CCDIR_") {
			out = append(out, kv)
		}
	}
	return out
}
