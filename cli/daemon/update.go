package daemon

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/api"
	"ccdir/cli/verb"
	"ccdir/client/installed"
)

// newestTimeout bounds how long the newest version is asked for.
const newestTimeout = 30 * time.Second

// updateInfo is `ccdir update --check --json`.
type updateInfo struct {
	Version string `json:"version"`
	installed.Install
	// Newest is the version that would be installed; "" if that is not known: only the
	// install script's place of releases is asked.
	Newest string `json:"newest"`
}

// Update makes the verb `update`.
func Update(a *verb.App) *cobra.Command {
	var check bool
	var version string
	cmd := &cobra.Command{
		Use:   "update [--check [--json]] [--version V]",
		Short: "Install the newest release, or say what does",
		Long: `Install the newest release in place of this ccdir, if it was installed by the install
script; its checksum is verified. What Homebrew, apt, dnf, Nix, pacman, go install or
make install put there is left to them, and their command is named. Sessions, the daemon and
open grids go on with the old programs, until ccdir daemon restart, which
interrupts no agent.`,
		Example: `  ccdir update
  ccdir update --check --json | jq -r .kind
  ccdir update --version 1.2.3`,
		Args: verb.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.JSON && !check {
				return verb.Usagef(cmd, "--json needs --check")
			}
			in := installed.Find(a.Exe, a.Getenv)
			if check {
				return checkUpdate(cmd.Context(), a, in)
			}
			if err := a.Personal(cmd.Context(), "update"); err != nil {
				return err
			}
			if in.Kind != installed.Script {
				return fmt.Errorf("ccdir was installed %s; then `ccdir daemon restart` takes the new version, and no agent is interrupted", in.Words())
			}
			return update(cmd.Context(), a, in, version)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "only say how ccdir was installed, what updates it, and the newest version")
	cmd.Flags().StringVar(&version, "version", "", "install version `V`, also an older one")
	a.JSONFlag(cmd, "with --check: print as JSON")
	return cmd
}

// installScript is the command line of the script that installed ccdir.
func installScript(ctx context.Context, a *verb.App, in installed.Install, args ...string) *exec.Cmd {
	script := filepath.Join(in.Prefix, installed.ScriptFile)
	cmd := exec.CommandContext(ctx, "sh", append([]string{script, "--prefix", in.Prefix, "--from", in.From}, args...)...) //nolint:gosec // it installed this program
	cmd.Env, cmd.Stderr = a.Env, a.Stderr
	return cmd
}

// checkUpdate tells how ccdir was installed and what there is.
func checkUpdate(ctx context.Context, a *verb.App, in installed.Install) error {
	info := updateInfo{Version: api.Version, Install: in}
	if in.Kind == installed.Script {
		ctx, cancel := context.WithTimeout(ctx, newestTimeout)
		defer cancel()
		out, err := installScript(ctx, a, in, "--newest").Output()
		if err != nil {
			return fmt.Errorf("the newest version is not known, because the releases cannot be read (above): try again, or look at %s", in.From)
		}
		info.Newest = strings.TrimSpace(string(out))
	}
	return a.Output(info, func() error {
		said := fmt.Sprintf("ccdir %s, installed %s", api.Version, in.Words())
		if in.Kind == installed.Script {
			said = fmt.Sprintf("ccdir %s is the newest", api.Version)
			if info.Newest != api.Version {
				said = fmt.Sprintf("ccdir %s; the newest is %s: run `ccdir update`", api.Version, info.Newest)
			}
		}
		_, err := fmt.Fprintln(a.Out, a.Safe("%s", said))
		return err
	})
}

// update runs the install script, and says what is left to do.
func update(ctx context.Context, a *verb.App, in installed.Install, version string) error {
	script := filepath.Join(in.Prefix, installed.ScriptFile)
	if _, err := os.Stat(script); err != nil {
		return fmt.Errorf("the script that installed ccdir is gone (%s): fetch it again from %s and run it", script, in.From)
	}
	var args []string
	if version != "" {
		args = []string{"--version", version}
	}
	cmd := installScript(ctx, a, in, args...)
	cmd.Stdout = a.Out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("nothing was updated (the reason is above): %w", err)
	}
	out, err := exec.CommandContext(ctx, a.Exe, "--version").Output() //nolint:gosec // just installed
	if err != nil {
		return fmt.Errorf("the new ccdir does not run: %w: `ccdir update --version %s` goes back", err, api.Version)
	}
	now := strings.TrimSpace(strings.TrimPrefix(string(out), "ccdir "))
	if running := daemonVersion(ctx, a); running != "" && running != now {
		a.Tell("the daemon that runs is still %s: `ccdir daemon restart` takes the new version, and no agent is interrupted", running)
	}
	return nil
}
