package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
)

// versions is `ccdir version --json`. Shim and Daemon are "" if there is none.
type versions struct {
	Version string `json:"version"`
	Shim    string `json:"shim"`
	Daemon  string `json:"daemon"`
}

// Version makes the verb `version`.
func Version(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--json]",
		Short: "Print the versions of ccdir, its shim and the running daemon",
		Example: `  ccdir version
  ccdir version --json | jq -r .daemon`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, program := askVersions(cmd.Context(), a)
			if a.JSON {
				return a.PrintJSON(v)
			}
			fmt.Fprintf(a.Out, "ccdir %s\n", v.Version)
			if v.Shim != v.Version {
				fmt.Fprintf(a.Out, "ccdir-shim %s\n", verb.Plain(VersionOr(v.Shim, "missing"))[0].Text)
			}
			if program != v.Version && a.Daemon == nil {
				fmt.Fprintf(a.Out, "ccdir-daemon %s\n", verb.Plain(VersionOr(program, "missing"))[0].Text)
			}
			if v.Daemon != "" && v.Daemon != v.Version {
				fmt.Fprintf(a.Out, "running daemon %s: run `ccdir daemon restart` (sessions keep running)\n", verb.Plain(v.Daemon)[0].Text)
			}
			return nil
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

// askVersions asks the other programs and the running daemon at the same time, because a start
// of ccdir-daemon takes a while. program is that program's version; "" if the daemon is
// linked into ccdir, or with --json, which has no field for it.
func askVersions(ctx context.Context, a *verb.App) (v versions, program string) {
	v.Version = api.Version
	var wg sync.WaitGroup
	wg.Go(func() { v.Shim = shimVersion(ctx, a) })
	if a.Daemon == nil && !a.JSON {
		wg.Go(func() { program = programVersion(ctx, client.DaemonPath(a.Exe)) })
	}
	v.Daemon = daemonVersion(ctx, a)
	wg.Wait()
	return v, program
}

// shimVersion is the version of the shim; "" if there is none that runs.
func shimVersion(ctx context.Context, a *verb.App) string {
	p, err := a.Paths()
	if err != nil {
		return ""
	}
	path, err := client.Shim(a.Exe, a.Daemon != nil, p.State)
	if err != nil {
		return ""
	}
	return programVersion(ctx, path)
}

// VersionOr returns the version v, or none if v is "".
func VersionOr(v, none string) string {
	if v == "" {
		return none
	}
	return v
}

// programVersion returns the version that a program next to ccdir prints; "" if none.
func programVersion(ctx context.Context, path string) string {
	v, err := client.ProgramVersion(ctx, path)
	if err != nil {
		return ""
	}
	return v
}

// daemonVersion returns the version of the running daemon; "" if none runs.
func daemonVersion(ctx context.Context, a *verb.App) string {
	c, err := a.NewClient("cli")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	srv, err := c.Health(ctx)
	if err != nil {
		return ""
	}
	return srv.Version
}
