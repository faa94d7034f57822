package cli

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

// completeTimeout bounds a call made for the Tab key.
const completeTimeout = time.Second

// completeSession completes the first argument with names of sessions. It
// starts no daemon: where none runs there is nothing to complete.
func (a *app) completeSession(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeSessions(cmd, args, prefix)
}

// completeSessions completes every argument with names that are not there yet.
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

func newCompletionCmd(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for a shell",
		Long:  "Print the script that lets the Tab key complete verbs, flags and session names in bash, zsh, fish or powershell.",
		Example: `  source <(ccdir completion bash)
  ccdir completion zsh > "${fpath[1]}/_ccdir"
  ccdir completion fish > ~/.config/fish/completions/ccdir.fish`,
		Args:      cobra.MatchAll(exactly(1, "SHELL (bash, zsh, fish, powershell)"), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.out)
			}
		},
	}
}
