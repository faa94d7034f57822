package cli

import (
	"encoding/json"
	"fmt"

	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"

	"ccdir/config"
)

func newConfigCmd(a *app) *cobra.Command {
	return family(&cobra.Command{
		Use:   "config get|path|check",
		Short: "Show and check the configuration",
		Example: `  ccdir config get
  ccdir config get max_sessions
  ccdir config check && ccdir daemon restart
  $EDITOR "$(ccdir config path)"`,
	}, newConfigGet(a), newConfigPath(a), newConfigCheck(a))
}

func newConfigGet(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get [KEY] [--json]",
		Short: "Print values, where each comes from, and what it means",
		Long: `Print every value with its origin, or the one of KEY. A key that has keys below it
prints them all. A single value is printed bare.`,
		Example: `  ccdir config get max_sessions
  ccdir config get mcp --json`,
		Args:              atMostOne,
		ValidArgsFunction: a.completeKey,
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.loaded()
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
			case a.json && single:
				return a.printJSON(entries[0])
			case a.json:
				return a.printJSON(entries)
			case single:
				_, err := fmt.Fprintln(a.out, plain(valueText(entries[0].Value))[0].text)
				return err
			}
			t := table{}
			t.row(plain("KEY", "VALUE", "FROM", "MEANING")...)
			for _, e := range entries {
				value := plain(valueText(e.Value))[0].text
				if cols := a.columns(); cols > 0 { // the whole value is printed for its key alone
					value = displaywidth.TruncateString(value, max(cols/4, minLastColumn), "…")
				}
				t.row(plain(e.Key, value, e.Source, e.Doc)...)
			}
			return t.writeWithin(a.out, a.colours(), a.columns())
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
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

func (a *app) completeKey(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	l, err := a.loaded()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []string
	for _, e := range l.Explain() {
		keys = append(keys, cobra.CompletionWithDesc(e.Key, e.Doc))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

func newConfigPath(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "path [--json]",
		Short:   "Print where the configuration file is",
		Example: `  $EDITOR "$(ccdir config path)"`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.paths()
			if err != nil {
				return err
			}
			return a.output(map[string]string{"file": p.ConfigFile()}, func() error {
				_, err := fmt.Fprintln(a.out, p.ConfigFile())
				return err
			})
		},
	}
	a.jsonFlag(cmd, "print as JSON")
	return cmd
}

func newConfigCheck(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [--json]",
		Short: "Check the configuration file; fails if something is wrong",
		Long: `Check the configuration file; fails if something is wrong. What was changed holds from
the next start of the daemon on (` + "`ccdir daemon restart`" + `: sessions and attached grids go
on). Keys, colours, notifications and the like hold at once, also in open grids.`,
		Example: `  ccdir config check && ccdir daemon restart`,
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := a.loaded()
			if err != nil {
				return err
			}
			if a.json {
				problems := l.Problems
				if problems == nil {
					problems = []config.Problem{}
				}
				if err := a.printJSON(struct {
					File     string           `json:"file"`
					Problems []config.Problem `json:"problems"`
				}{l.File, problems}); err != nil {
					return err
				}
			} else {
				for _, p := range l.Problems {
					fmt.Fprintln(a.out, plain(p.String())[0].text)
				}
			}
			if n := len(l.Problems); n > 0 {
				return fmt.Errorf("%d problem(s) in %s: defaults are used in their place; correct them and run `ccdir config check` again", n, l.File)
			}
			if !a.json {
				fmt.Fprintln(a.out, "ok:", l.File)
				a.tell("keys, colours and the like hold at once, what is the daemon's after `ccdir daemon restart`")
			}
			return nil
		},
	}
	a.jsonFlag(cmd, "print the problems as JSON")
	return cmd
}
