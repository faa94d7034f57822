package cli

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

// completeTimeout bounds a call for a completion.
const completeTimeout = time.Second

// completeSession completes the first argument with names of sessions. It starts no daemon:
// without one there are no completions.
func (a *app) completeSession(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeSessions(cmd, args, prefix)
}

// completeSessions completes every argument with names that are not given yet.
func (a *app) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTimeout)
	defer cancel()
	c, err := a.newClient("cli")
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

// completePending completes ids of prompts that are pending.
func (a *app) completePending(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTimeout)
	defer cancel()
	c, err := a.newClient("cli")
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

// completeAgent completes names of configured agents. It asks no daemon.
func (a *app) completeAgent(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return slices.Sorted(maps.Keys(a.config().Agents)), cobra.ShellCompDirectiveNoFileComp
}

// completeModel completes names of models of the agent that -a names, or of the default one.
func (a *app) completeModel(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	cfg := a.config()
	name, _ := cmd.Flags().GetString("agent") // "" if the verb has none
	if adapter, ok := adapters.Lookup(cfg.Agents[cmp.Or(name, cfg.DefaultAgent)].Kind); ok {
		if m, ok := adapter.(agents.ModelChooser); ok {
			return m.Models(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}
