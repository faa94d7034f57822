package cli

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/internal/api"
	"ccdir/internal/client"
)

// versions is `ccdir version --json`. Shim and Daemon are "" where there is
// none.
type versions struct {
	Version string `json:"version"`
	Shim    string `json:"shim"`
	Daemon  string `json:"daemon"`
}

func newVersionCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version [--json]",
		Short: "Print the versions of ccdir, its shim and the running daemon",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versions{Version: api.Version, Shim: shimVersion(cmd.Context(), a.Exe), Daemon: a.daemonVersion(cmd.Context())}
			if a.json {
				return a.printJSON(v)
			}
			fmt.Fprintf(a.out, "ccdir %s\n", v.Version)
			if v.Shim != v.Version {
				fmt.Fprintf(a.out, "ccdir-shim %s\n", plain(versionOr(v.Shim, "missing"))[0].text)
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

func versionOr(v, none string) string {
	if v == "" {
		return none
	}
	return v
}

// shimVersion is what the shim beside exe says, "" if it says nothing.
func shimVersion(ctx context.Context, exe string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, client.ShimPath(exe), "version").Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) == 0 {
		return ""
	}
	return fields[len(fields)-1]
}

// daemonVersion is that of the daemon that runs, "" if none does.
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
