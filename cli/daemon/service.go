package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/client/installed"
	"ccdir/client/service"
)

// Service makes the verb `service`.
func Service(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "service install|uninstall|status",
		Short: "Let the system start the daemon and keep it running",
		Long: `Make the daemon a service of yours: a unit of systemd --user, on macOS an agent of
launchd. It is then started with the machine or at login, and again after a crash.
Sessions are not part of the service: stopping, restarting or updating it ends none.
It is no service of the machine, and needs no root.`,
		Example: `  ccdir service install --linger
  ccdir service status --json`,
	}, newServiceInstall(a), newServiceUninstall(a), newServiceStatus(a))
}

// userService returns the daemon's service.
func userService(a *verb.App) (*service.Service, error) {
	p, err := a.Paths()
	if err != nil {
		return nil, err
	}
	return service.New(service.Options{Exe: lastingExe(a), Paths: p, Env: a.Env, UID: a.UID})
}

// lastingExe is the path of ccdir that outlives an update. Homebrew and Nix put each version
// into a directory of its own, and a link in PATH leads to the present one.
func lastingExe(a *verb.App) string {
	switch installed.Find(a.Exe, a.Getenv).Kind {
	case installed.Brew, installed.Nix:
	default:
		return a.Exe
	}
	real, err := filepath.EvalSymlinks(a.Exe)
	if err != nil {
		return a.Exe
	}
	for _, dir := range filepath.SplitList(a.Getenv("PATH")) {
		link := filepath.Join(dir, filepath.Base(a.Exe))
		if to, err := filepath.EvalSymlinks(link); err == nil && to == real && link != real && filepath.IsAbs(link) {
			return link
		}
	}
	return a.Exe
}

// noManager adds advice to an error of a service manager.
func noManager(err error) error {
	if errors.Is(err, service.ErrNoManager) {
		return fmt.Errorf("%w: log in as yourself on a system with systemd or launchd (not by su or sudo), or go on without: every verb starts the daemon if none runs", err)
	}
	return err
}

func newServiceInstall(a *verb.App) *cobra.Command {
	var linger bool
	cmd := &cobra.Command{
		Use:   "install [--linger]",
		Short: "Install and start the daemon's service; sessions keep running",
		Long: `Write the service's file, start the service, and have it started from now on. A
daemon that runs already hands over; sessions keep running. The service has the
PATH of this shell, and what only your login shell has: install it again when agents
have moved. With --linger your services also run while you are not logged in
(loginctl enable-linger); in a terminal you are asked.`,
		Example: `  ccdir service install
  ccdir service install --linger`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if err := a.CheckPrograms(ctx); err != nil {
				return err
			}
			s, err := userService(a)
			if err != nil {
				return noManager(err)
			}
			st, err := s.Status(ctx)
			if err != nil {
				return noManager(err)
			}
			changed, err := s.Install(ctx, func(ctx context.Context) error { return handOver(ctx, a, st.PID) })
			if err != nil {
				return noManager(err)
			}
			if !linger && st.Linger != nil && !*st.Linger && verb.Terminal(a.Stdin) {
				fmt.Fprintln(a.Stderr, "The system ends your services and sessions at your last logout, unless your services may linger.")
				if linger, err = askYes(a, "Let them linger (loginctl enable-linger)?"); err != nil {
					return err
				}
			}
			if linger {
				if err := s.Linger(ctx); err != nil {
					return fmt.Errorf("the service is installed, and lingering is not on: %w", err)
				}
			}
			if st, err = s.Status(ctx); err != nil {
				return err
			}
			how := "installed already"
			if changed {
				how = "installed"
			}
			fmt.Fprintln(a.Out, a.Safe("%s: %s, pid %d (%s)", how, st.Name, st.PID, st.File))
			if st.Linger != nil && !*st.Linger {
				a.Tell("the system ends your services and sessions at your last logout: `ccdir service install --linger` keeps them")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&linger, "linger", false, "keep your services running after your last logout")
	return cmd
}

// handOver stops a daemon other than that of the service, whose pid is given.
func handOver(ctx context.Context, a *verb.App, pid int) error {
	c, err := a.NewClient("cli")
	if err != nil {
		return err
	}
	srv, err := c.Health(ctx)
	if err != nil || srv.PID == pid {
		return nil // none runs, or it is the service's
	}
	if err := stopDaemon(ctx, a, c, api.Stop{}); err != nil && !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	return nil
}

func newServiceUninstall(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:     "uninstall",
		Short:   "Stop the daemon's service and remove it; sessions keep running",
		Example: `  ccdir service uninstall`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := userService(a)
			if err != nil {
				return noManager(err)
			}
			was, err := s.Uninstall(cmd.Context())
			if err != nil {
				return err
			}
			said := "not installed"
			if was {
				said = "removed; sessions keep running, and the next verb starts the daemon"
			}
			_, err = fmt.Fprintln(a.Out, said)
			return err
		},
	}
}

func newServiceStatus(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status [--json]",
		Short:   "Show the daemon's service; fails if it is not installed",
		Example: `  ccdir service status`,
		Args:    verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := userService(a)
			if err != nil {
				return noManager(err)
			}
			st, err := s.Status(cmd.Context())
			if err != nil && (st.Installed || !errors.Is(err, service.ErrNoManager)) {
				return noManager(err)
			}
			if err := a.Output(st, func() error { return printService(a, st) }); err != nil {
				return err
			}
			if !st.Installed {
				return fmt.Errorf("the daemon is no service: `ccdir service install` makes it one")
			}
			return nil
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

func printService(a *verb.App, st service.Status) error {
	if !st.Installed {
		return nil
	}
	words := map[bool]string{true: "yes", false: "no"}
	linger := "not known"
	if st.Linger != nil {
		linger = words[*st.Linger]
	}
	t := verb.Table{}
	add := func(k, v string) { t.Row(verb.Plain(k, v)...) }
	add("service", st.Name+" ("+st.Manager+")")
	add("file", st.File)
	add("starts by itself", words[st.Enabled])
	add("runs", words[st.Active])
	add("pid", cmp.Or(verb.PidText(st.PID), "-"))
	add("after logout", linger)
	return t.Write(a.Out, a.Colours())
}
