// Package setup has the verbs that prepare a machine or a project: configuration, hooks, MCP,
// completion; and those that need no daemon.
package setup

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"ccdir/cli/verb"
	"ccdir/config"
)

// Config makes the verb `config`.
func Config(a *verb.App) *cobra.Command {
	return verb.Family(&cobra.Command{
		Use:   "config show|get|set|edit|path|check",
		Short: "Show, change and check the configuration",
		Example: `  ccdir config show
  ccdir config get max_sessions
  ccdir config set keys.prefix C-a
  ccdir config edit`,
	}, newConfigShow(a), newConfigGet(a), newConfigSet(a), newConfigEdit(a), newConfigPath(a), newConfigCheck(a))
}

func newConfigGet(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get [KEY] [--json]",
		Short: "Print values, where each comes from, and what it means",
		Long: `Print every value with its origin, or the one of KEY. A key that has keys below it
prints them all. A single value is printed bare.`,
		Example: `  ccdir config get max_sessions
  ccdir config get mcp --json`,
		Args:              verb.AtMostOne,
		ValidArgsFunction: verb.Completing(a, completeKey),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.Loaded()
			if err != nil {
				return err
			}
			entries := l.Explain()
			if len(args) == 1 {
				if entries, err = l.Get(args[0]); err != nil {
					return err
				}
			}
			single := len(args) == 1 && len(entries) == 1 && entries[0].Key == args[0]
			switch {
			case a.JSON && single:
				return a.PrintJSON(entries[0])
			case a.JSON:
				return a.PrintJSON(entries)
			case single:
				_, err := fmt.Fprintln(a.Out, verb.Plain(valueText(entries[0].Value))[0].Text)
				return err
			}
			return printEntries(a, entries)
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

func printEntries(a *verb.App, entries []config.Entry) error {
	t := verb.Table{}
	t.Row(verb.Plain("KEY", "VALUE", "FROM", "MEANING")...)
	for _, e := range entries {
		value, from := verb.Plain(valueText(e.Value))[0].Text, e.Source
		if cols := a.Columns(); cols > 0 { // the whole value is printed for its key alone
			value = displaywidth.TruncateString(value, max(cols/4, verb.MinLastColumn), "…")
			from = filepath.Base(from) // where it is, `ccdir config path` says
		}
		t.Row(verb.Plain(e.Key, value, from, e.Doc)...)
	}
	return t.WriteWithin(a.Out, a.Colours(), a.Columns())
}

// valueText formats a value: strings bare, others as JSON.
func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

func completeKey(a *verb.App, _ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	l, err := a.Loaded()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []string
	for _, e := range l.Explain() {
		keys = append(keys, cobra.CompletionWithDesc(e.Key, e.Doc))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

func newConfigPath(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "path [--json]",
		Short:   "Print where the configuration file is",
		Example: `  cp "$(ccdir config path)" ~/dotfiles`,
		Args:    verb.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.Paths()
			if err != nil {
				return err
			}
			return a.Output(map[string]string{"file": p.ConfigFile()}, func() error {
				_, err := fmt.Fprintln(a.Out, p.ConfigFile())
				return err
			})
		},
	}
	a.JSONFlag(cmd, "print as JSON")
	return cmd
}

func newConfigCheck(a *verb.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [--json]",
		Short: "Check the configuration file; fails if something is wrong",
		Long: `Check the configuration file; fails if something is wrong. What was changed holds from
the next start of the daemon on (` + "`ccdir daemon restart`" + `: sessions and attached grids go
on). Keys, colours, notifications and the like hold at once, also in open grids.`,
		Example: `  ccdir config check && ccdir daemon restart`,
		Args:    verb.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := a.Loaded()
			if err != nil {
				return err
			}
			if a.JSON {
				problems := l.Problems
				if problems == nil {
					problems = []config.Problem{}
				}
				if err := a.PrintJSON(struct {
					File     string           `json:"file"`
					Problems []config.Problem `json:"problems"`
				}{l.File, problems}); err != nil {
					return err
				}
			} else {
				for _, p := range l.Problems {
					fmt.Fprintln(a.Out, verb.Plain(p.String())[0].Text)
				}
			}
			if n := len(l.Problems); n > 0 {
				return fmt.Errorf("%d problem(s) in %s: defaults are used in their place; correct them and run `ccdir config check` again", n, l.File)
			}
			if !a.JSON {
				fmt.Fprintln(a.Out, "ok:", l.File)
				a.Tell("keys, colours and the like hold at once, what is the daemon's after `ccdir daemon restart`")
			}
			return nil
		},
	}
	a.JSONFlag(cmd, "print the problems as JSON")
	return cmd
}
