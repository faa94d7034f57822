package setup

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
	"ccdir/config"
	"ccdir/internal/disk/atomicfile"
)

func newConfigShow(a *verb.App) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use:   "show [--changed] [--json]",
		Short: "Print the settings in effect, and where each comes from",
		Example: `  ccdir config show --changed
  ccdir config show --json | jq -r '.[] | select(.source != "default") | .key'`,
		Args: verb.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := a.Loaded()
			if err != nil {
				return err
			}
			entries := []config.Entry{}
			for _, e := range l.Explain() {
				if !changed || e.Source != "default" {
					entries = append(entries, e)
				}
			}
			if len(entries) == 0 && !a.JSON {
				a.Tell("nothing is changed: `ccdir config edit` opens %s", a.ShortPath(l.File))
				return nil
			}
			return a.Output(entries, func() error { return printEntries(a, entries) })
		},
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only what the file sets")
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

func newConfigSet(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set KEY VALUE [--json]",
		Short: "Write a setting into the configuration file",
		Long: `Write a value for KEY into config.toml, whose comments and order stay. VALUE is TOML
(5, true, ["a", "b"]) or a text without quotes. A value that would not load is
refused. Keys, colours and the like hold at once, also in open grids.`,
		Example: `  ccdir config set keys.prefix C-a
  ccdir config set max_sessions 50
  ccdir config set notify.done '["bell"]'`,
		Args:              verb.Exactly(2, "KEY and VALUE"),
		ValidArgsFunction: verb.Completing(a, completeSetting),
		RunE:              func(_ *cobra.Command, args []string) error { return setConfig(a, args[0], args[1]) },
	}
	a.JSONFlag(cmd, "print the setting as JSON")
	return cmd
}

func setConfig(a *verb.App, key, value string) error {
	p, err := a.Paths()
	if err != nil {
		return err
	}
	l, now, err := config.Write(p.ConfigFile(), a.Getenv("HOME"), key, value)
	if err != nil {
		return err
	}
	entry := config.Entry{Key: key, Value: value, Source: l.File} // a part of a table
	if entries, err := now.Get(key); err == nil && len(entries) == 1 {
		entry = entries[0]
	}
	return a.Output(entry, func() error {
		_, err := fmt.Fprintln(a.Out, a.Safe("%s = %s (%s)", entry.Key, valueText(entry.Value), entry.Source))
		if err == nil && len(config.AtStart(l.Config, now.Config)) > 0 {
			a.Tell("it holds after `ccdir daemon restart`: sessions and grids go on")
		}
		return err
	})
}

func completeSetting(a *verb.App, cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	keys, directive := completeKey(a, cmd, args, prefix)
	if len(args) == 0 {
		keys = append(keys, "keys.prefix", "theme")
	}
	return keys, directive
}

func newConfigEdit(a *verb.App) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Open the configuration file in $EDITOR, and check it afterwards",
		Long: `Open config.toml in $VISUAL, $EDITOR or vi. A file that does not exist is made, with
every key as a comment. What is wrong with it afterwards is printed, and you are
asked whether you want to go on editing.`,
		Example: `  EDITOR=nano ccdir config edit`,
		Args:    verb.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return editConfig(cmd.Context(), a) },
	}
}

func editConfig(ctx context.Context, a *verb.App) error {
	p, err := a.Paths()
	if err != nil {
		return err
	}
	file, text, err := config.File(p.ConfigFile())
	if err == nil && text == "" {
		err = atomicfile.Replace(file, []byte(config.Template()))
	}
	if err != nil {
		return fmt.Errorf("cannot make %s: %w", p.ConfigFile(), err)
	}
	for {
		if err := openEditor(ctx, a, file); err != nil {
			return err
		}
		l := config.Load(p.ConfigFile(), a.Getenv("HOME"))
		if len(l.Problems) == 0 {
			a.Tell("ok: %s", l.File)
			return nil
		}
		for _, problem := range l.Problems {
			a.Tell("%s", problem)
		}
		if !verb.Terminal(a.Stdin) || !editAgain(a) {
			return fmt.Errorf("%d problem(s) in %s: defaults are used in their place; `ccdir config edit` opens it again", len(l.Problems), l.File)
		}
	}
}

// editAgain asks whether the file is to be edited again; the default is yes.
func editAgain(a *verb.App) bool {
	fmt.Fprint(a.Stderr, "edit again? [Y/n] ")
	line, err := bufio.NewReader(io.LimitReader(a.Stdin, verb.MaxAnswer)).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "" || answer == "y" || answer == "yes")
}

// openEditor runs $VISUAL, $EDITOR or vi as git does: the variable may hold arguments.
func openEditor(ctx context.Context, a *verb.App, file string) error {
	editor := cmp.Or(a.Getenv("VISUAL"), a.Getenv("EDITOR"), "vi")
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", editor+` "$@"`, "sh", file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = a.Stdin, a.Stdout, a.Stderr, a.Env
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the editor %q failed (%w): set EDITOR, or edit %s yourself", editor, err, file)
	}
	return nil
}
