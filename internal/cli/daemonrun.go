package cli

import (
	"log/slog"

	"github.com/spf13/cobra"

	"ccdir/internal/api"
	"ccdir/internal/client"
	"ccdir/internal/daemon"
)

func newDaemonRun(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the daemon here, with its log on standard error",
		Long: `Run the daemon in the foreground until it is stopped (Ctrl-C, or ccdir daemon
stop); its log goes to standard error. This is what the other verbs start in the
background. SIGHUP reads the configuration again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.paths()
			if err != nil {
				return err
			}
			if err := client.CheckShim(cmd.Context(), a.Exe, api.Version); err != nil {
				return err
			}
			return daemon.Run(cmd.Context(), daemon.Options{
				Paths: p, UID: a.UID, Home: a.getenv("HOME"), Env: a.Env, Shim: client.ShimPath(a.Exe),
				Logger: slog.New(slog.NewTextHandler(a.Stderr, nil)),
			})
		},
	}
}
