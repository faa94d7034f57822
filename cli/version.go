package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/client"
)

// versions is `ccdir version --json`. Shim and Daemon are "" if there is none.
type versions struct {
	Version string `json:"version"`
	Shim    string `json:"shim"`
	Daemon  string `json:"daemon"`
}

func newVersionCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--json]",
		Short: "Print the versions of ccdir, its shim and the running daemon",
		Example: `  ccdir version
  ccdir version --json | jq -r .daemon`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, program := a.versions(cmd.Context())
			if a.json {
				return a.printJSON(v)
			}
			fmt.Fprintf(a.out, "ccdir %s\n", v.Version)
			if v.Shim != v.Version {
				fmt.Fprintf(a.out, "ccdir-shim %s\n", plain(versionOr(v.Shim, "missing"))[0].text)
			}
			if program != v.Version && a.Daemon == nil {
				fmt.Fprintf(a.out, "ccdir-daemon %s\n", plain(versionOr(program, "missing"))[0].text)
			}
			if v.Daemon != "" && v.Daemon != v.Version {
				fmt.Fprintf(a.out, "running daemon %s: run `ccdir daemon restart` (sessions keep running)\n", plain(v.Daemon)[0].text)
			}
			return nil
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

// versions asks the other programs and the running daemon at the same time, because a start
// of ccdir-daemon takes a while. program is that program's version; "" if the daemon is
// linked into ccdir, or with --json, which has no field for it.
func (a *app) versions(ctx context.Context) (v versions, program string) {
	v.Version = api.Version
	var wg sync.WaitGroup
	wg.Go(func() { v.Shim = a.shimVersion(ctx) })
	if a.Daemon == nil && !a.json {
		wg.Go(func() { program = programVersion(ctx, client.DaemonPath(a.Exe)) })
	}
	v.Daemon = a.daemonVersion(ctx)
	wg.Wait()
	return v, program
}

// shimVersion is the version of the shim; "" if there is none that runs.
func (a *app) shimVersion(ctx context.Context) string {
	p, err := a.paths()
	if err != nil {
		return ""
	}
	path, err := client.Shim(a.Exe, a.Daemon != nil, p.State)
	if err != nil {
		return ""
	}
	return programVersion(ctx, path)
}

func versionOr(v, none string) string {
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
func (a *app) daemonVersion(ctx context.Context) string {
	c, err := a.newClient("cli")
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
