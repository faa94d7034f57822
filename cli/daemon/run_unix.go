//go:build unix

package daemon

import (
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"ccdir/cli/verb"
	"ccdir/client"
)

func newDaemonRun(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: "Run the daemon here, with its log on standard error",
		Long: `Run the daemon in the foreground until it is stopped (Ctrl-C, or ccdir daemon
stop); its log goes to standard error. This is what the other verbs start in the
background. SIGHUP reads the configuration again.`,
		Example: `  ccdir daemon stop; ccdir daemon run`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.CheckPrograms(cmd.Context()); err != nil {
				return err
			}
			if a.Daemon != nil {
				return a.Daemon(cmd.Context(), a.Exe, a.Env, a.Stderr)
			}
			argv := client.DaemonCommand(a.Exe, false)
			if err := unix.Exec(argv[0], argv, a.Env); err != nil {
				return fmt.Errorf("cannot start %s: %w", argv[0], err)
			}
			return nil
		},
	}
}
