package verb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"ccdir/agents"
	"ccdir/agents/adapters"
	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// CompleteTimeout bounds a call for a completion.
const CompleteTimeout = time.Second

// CompleteSession completes the first argument with names of sessions. It starts no daemon:
// without one there are no completions.
func (a *App) CompleteSession(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.CompleteSessions(cmd, args, prefix)
}

// CompleteSessions completes every argument with names that are not given yet.
func (a *App) CompleteSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), CompleteTimeout)
	defer cancel()
	c, err := a.NewClient("cli")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if _, err := c.Health(ctx); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, err := c.Sessions(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, s := range list {
		if !slices.Contains(args, s.Name) && !slices.Contains(args, s.ID) {
			out = append(out, cobra.CompletionWithDesc(s.Name, string(s.State)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// CompletePending completes ids of prompts that are pending.
func (a *App) CompletePending(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), CompleteTimeout)
	defer cancel()
	c, err := a.NewClient("cli")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if _, err := c.Health(ctx); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	list, _ := c.Pending(ctx, "")
	var out []string
	for _, p := range list {
		if p.State == api.PendingWaits {
			out = append(out, cobra.CompletionWithDesc(p.ID, textsafe.Line(textsafe.Cut(p.Text, 40))))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// CompleteAgent completes names of configured agents. It asks no daemon.
func (a *App) CompleteAgent(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return slices.Sorted(maps.Keys(a.Config().Agents)), cobra.ShellCompDirectiveNoFileComp
}

// CompleteAccount completes names of accounts.
func (a *App) CompleteAccount(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(a.Config().AccountNames(""), api.AccountDefault), cobra.ShellCompDirectiveNoFileComp
}

// CompleteModel completes names of models of the agent that -a names, or of the default one.
func (a *App) CompleteModel(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	cfg := a.Config()
	name, _ := cmd.Flags().GetString("agent") // "" if the verb has none
	if adapter, ok := adapters.Lookup(cfg.Agents[cmp.Or(name, cfg.DefaultAgent)].Kind); ok {
		if m, ok := adapter.(agents.ModelChooser); ok {
			return m.Models(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// Completing makes a function that completes arguments for this run.
func Completing(a *App, complete func(*App, *cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return complete(a, cmd, args, prefix)
	}
}
