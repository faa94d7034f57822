package cli

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
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

// bashWords replaces what cobra's script needs of the package bash-completion, which slim
// images and macOS lack: the words of the line, where the shell splits at = and :, and
// names of files.
const bashWords = `
__ccdir_words()
{
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local line=$COMP_LINE word gap i n=0
    words=()
    cword=0
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]}
        gap=${line%%[! $'\t']*}
        line=${line#"$gap"}
        line=${line#"$word"}
        if ((n > 0)) && [[ -z $gap && ( $word == [=:]* || ${words[n-1]} == *[=:] ) ]]; then
            words[n-1]+=$word
        else
            words[n]=$word
            n=$((n + 1))
        fi
        if ((i == COMP_CWORD)); then
            cword=$((n - 1))
        fi
    done
    cur=${words[cword]}
    prev=
    if ((cword > 0)); then
        prev=${words[cword-1]}
    fi
}

__ccdir_files()
{
    if declare -F _filedir >/dev/null 2>&1; then
        _filedir "$@"
        return
    fi
    local kind=-f
    if [[ ${1-} == -d ]]; then
        kind=-d
    fi
    if [[ $(type -t compopt) == builtin ]]; then
        compopt -o filenames 2>/dev/null
    fi
    IFS=$'\n' read -ra COMPREPLY -d '' < <(compgen $kind -- "$cur")
}
`

// bashCompletion prints cobra's script for bash, made to work without bash-completion.
func bashCompletion(root *cobra.Command, w io.Writer) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, true); err != nil {
		return err
	}
	text := strings.NewReplacer(`_get_comp_words_by_ref "$@" cur prev words cword`, `__ccdir_words "$@"`, "_filedir", "__ccdir_files").Replace(script.String())
	first, rest, _ := strings.Cut(text, "\n")
	_, err := io.WriteString(w, first+"\n"+bashWords+rest)
	return err
}

func newCompletionCmd(a *app) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for a shell",
		Long: `Print the script that lets the Tab key complete verbs, flags and session names in
bash, zsh, fish or powershell. The one for bash works with the package bash-completion
and without it.`,
		Example: `  source <(ccdir completion bash)
  ccdir completion zsh > "${fpath[1]}/_ccdir"
  ccdir completion fish > ~/.config/fish/completions/ccdir.fish`,
		Args:      cobra.MatchAll(exactly(1, "SHELL (bash, zsh, fish, powershell)"), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return bashCompletion(root, a.out)
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
