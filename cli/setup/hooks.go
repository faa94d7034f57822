package setup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/cli/verb"
	"ccdir/client"
	"ccdir/hooks/usersettings"
	"ccdir/tui/widget/format"
)

// Hooks makes the verb `hooks`.
func Hooks(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "hooks install|uninstall|status",
		Short: "Hooks for agent sessions that are started outside ccdir",
		Long: `Put hooks into your own settings of Claude Code, so that sessions which you start
elsewhere report to ccdir too, and take them out again. Sessions of ccdir need
none of this. Where no daemon runs the hooks do nothing.

The settings file ($CLAUDE_CONFIG_DIR/settings.json, else ~/.claude/settings.json)
keeps its comments, its order and its other hooks.`,
		Example: `  ccdir hooks status
  ccdir hooks install
  ccdir hooks uninstall --yes`,
	}, newHooksInstall(a), newHooksUninstall(a), newHooksStatus(a))
}

// versionFlag is the flag with the agent's version.
const versionFlag = "claude-version"

// settingsFile returns the user's settings file. assumed is the value of versionFlag.
func settingsFile(ctx context.Context, a *verb.App, assumed string) (f usersettings.File, err error) {
	p, err := a.Paths()
	if err != nil {
		return f, err
	}
	path, err := usersettings.DefaultPath(a.Getenv)
	if err != nil {
		return f, err
	}
	shim, err := client.Shim(a.Exe, a.Daemon != nil, p.State)
	if err != nil {
		return f, err
	}
	f = usersettings.File{Path: path, Record: filepath.Join(p.State, "outside-hooks.json"), Shim: shim, Now: time.Now}
	if assumed == "" {
		assumed = claudeVersion(ctx, a)
	}
	f.Version, _ = agents.ParseVersion(assumed)
	return f, nil
}

// claudeVersion returns the version of the configured Claude Code; "" if it is not found.
func claudeVersion(ctx context.Context, a *verb.App) string {
	agent, ok := a.Config().Agents["claude"]
	if !ok {
		return ""
	}
	path, err := agents.FindExecutable(agent.Command, a.Dir, a.Env)
	if err != nil {
		return ""
	}
	var versions agents.Versions
	return versions.Of(ctx, path, a.Env)
}

func newHooksInstall(a *verb.App) *cobra.Command {
	var yes bool
	var version string
	cmd := &cobra.Command{
		Use:   "install [--yes]",
		Short: "Put the hooks into your settings of Claude Code",
		Long: `Put the hooks into your settings of Claude Code, after showing what will be
changed. Hooks of another version or place of ccdir are replaced. A copy of the
file is kept next to it.`,
		Example:           `  ccdir hooks install`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, ok := agents.ParseVersion(version); !ok && version != "" {
				return verb.Usagef(cmd, "--%s %q is not a version such as 2.1.329", versionFlag, version)
			}
			f, err := settingsFile(cmd.Context(), a, version)
			if err != nil {
				return err
			}
			if f.Version == (agents.Version{}) {
				// Old versions ignore the whole settings if they have an unknown event.
				return fmt.Errorf("the version of Claude Code is not known, since it was not found or does not tell: put claude into PATH, or say it with --%s", versionFlag)
			}
			if _, err := a.Shim(cmd.Context()); err != nil {
				return err
			}
			p, err := f.PlanInstall()
			switch {
			case err != nil:
				return err
			case !p.Change:
				fmt.Fprintln(a.Out, a.Safe("the hooks are installed in %s already", f.Path))
				return nil
			}
			verb := "change"
			if p.Create {
				verb = "make"
			}
			a.Tell("%s %s:", verb, f.Path)
			if len(p.Removed) > 0 {
				a.Tell("  take out the old hooks of %s: %s", format.Plural(len(p.Removed), "event", "events"), strings.Join(p.Removed, " "))
			}
			a.Tell("  put in hooks for %s: %s", format.Plural(len(p.Added), "event", "events"), strings.Join(p.Added, " "))
			a.Tell("  each calls %s hook EVENT --external", f.Shim)
			return applyHooks(a, f, p, yes, "installed")
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	cmd.Flags().StringVar(&version, versionFlag, "", "the `VERSION` of Claude Code (default: ask it)")
	return cmd
}

func newHooksUninstall(a *verb.App) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "uninstall [--yes]",
		Short: "Take the hooks out of your settings of Claude Code",
		Long: `Take the hooks out of your settings of Claude Code. If nobody else has changed the
file since they were put in, it becomes what it was, byte for byte; else only the
hooks of ccdir go, and a copy is kept next to it.`,
		Example:           `  ccdir hooks uninstall`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := settingsFile(cmd.Context(), a, "")
			if err != nil {
				return err
			}
			p, err := f.PlanUninstall()
			switch {
			case err != nil:
				return err
			case !p.Change:
				fmt.Fprintln(a.Out, a.Safe("there are no hooks of ccdir in %s", f.Path))
				return nil
			case p.Delete:
				a.Tell("remove %s, which was made by `ccdir hooks install`", f.Path)
			case p.Exact:
				a.Tell("put %s back as it was", f.Path)
			default:
				a.Tell("change %s, which was edited since:", f.Path)
				a.Tell("  take out the hooks of %s: %s", format.Plural(len(p.Removed), "event", "events"), strings.Join(p.Removed, " "))
			}
			return applyHooks(a, f, p, yes, "uninstalled")
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "don't ask")
	return cmd
}

// applyHooks makes the change, after a question unless yes.
func applyHooks(a *verb.App, f usersettings.File, p usersettings.Plan, yes bool, done string) error {
	if !yes {
		if err := a.Confirm("go on?"); err != nil {
			return err
		}
	}
	backup, err := f.Apply(p)
	if err != nil {
		return err
	}
	if backup != "" {
		a.Tell("the file as it was: %s", backup)
	}
	_, err = fmt.Fprintln(a.Out, done)
	return err
}

func newHooksStatus(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "status [--json]",
		Short:             "Tell whether the hooks are in your settings of Claude Code",
		Example:           `  ccdir hooks status --json | jq -r .state`,
		Args:              verb.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f, err := settingsFile(cmd.Context(), a, "")
			if err != nil {
				return err
			}
			s, err := f.Status()
			if err != nil {
				return err
			}
			if a.JSON {
				return a.PrintJSON(s)
			}
			return printHooks(a, s)
		},
	}
	a.JSONFlag(cmd, "print the status as JSON")
	return cmd
}

func printHooks(a *verb.App, s usersettings.Status) error {
	t := verb.Table{}
	add := func(key, value string) { t.Row(verb.Plain(key, value)...) }
	if s.State == usersettings.Not {
		add("state", "not installed: `ccdir hooks install` adds the hooks")
	} else {
		add("state", string(s.State))
	}
	add("file", s.Path)
	if s.State != usersettings.Not {
		add("calls", strings.Join(s.Shims, ", "))
		add("form", strings.Join(s.Forms, ", "))
	}
	if s.State == usersettings.Partly {
		for _, kv := range [][2]string{{"missing", strings.Join(s.Missing, " ")}, {"outdated", strings.Join(s.Outdated, " ")},
			{"wanted", s.WantShim + " (" + s.WantForm + ")"}} {
			if kv[1] != "" {
				add(kv[0], kv[1])
			}
		}
		add("to do", "`ccdir hooks install` brings them up to date")
	}
	if s.Disabled {
		add("but", "disableAllHooks is true in that file: no hook is called")
	}
	return t.Write(a.Out, a.Colours())
}
