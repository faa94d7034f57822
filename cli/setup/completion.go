package setup

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
)

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

// Completion makes the verb `completion`.
func Completion(a *verb.App) *cobra.Command {
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
		Args:      cobra.MatchAll(verb.Exactly(1, "SHELL (bash, zsh, fish, powershell)"), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return bashCompletion(root, a.Out)
			case "zsh":
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.Out)
			}
		},
	}
}
