package cli_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/test/programs"
)

// TestBashCompletionAlone: the script for bash works without the package
// bash-completion, also where the shell splits words at = and :.
func TestBashCompletionAlone(t *testing.T) {
	programs.Need(t, "bash")
	home := t.TempDir()
	for _, dir := range []string{"direct", "dirty"} {
		if err := exec.Command("mkdir", filepath.Join(home, dir)).Run(); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		words []string // as bash splits them
		line  string
		want  []string
	}{
		{[]string{"ccdir", "resi"}, "ccdir resi", []string{"resize"}},
		{[]string{"ccdir", "wait", "a", "--state", "=", "exited"}, "ccdir wait a --state=exited", []string{"exited"}},
		{[]string{"ccdir", "wait", "a", "--state", "exite"}, "ccdir wait a --state  exite", []string{"exited"}},
		{[]string{"ccdir", "new", "--agent", "cla"}, "ccdir new --agent cla", []string{"claude"}},
		{[]string{"ccdir", "new", "-n", "a", ":", "b", "--agent", "=", "cla"}, "ccdir new -n a:b --agent=cla", []string{"claude"}},
		{[]string{"ccdir", "new", "-C", "dire"}, "ccdir new -C dire", []string{"direct"}},
		{[]string{"ccdir", "completion", ""}, "ccdir completion ", []string{"bash", "zsh", "fish", "powershell"}},
	} {
		script := `compopt() { :; } # works within a completion alone
source <(ccdir completion bash); COMP_WORDS=("${@:2}"); COMP_LINE=$1; COMP_CWORD=$(($#-2)); COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
__start_ccdir ccdir; printf '%s\n' "${COMPREPLY[@]}"`
		cmd := exec.Command("bash", append([]string{"--norc", "--noprofile", "-c", script, "bash", test.line}, test.words...)...)
		cmd.Dir = home
		cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home, "CCDIR_HOME=" + filepath.Join(home, "none")}
		var complaints strings.Builder
		cmd.Stderr = &complaints
		out, err := cmd.Output()
		var got []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			got = append(got, word)
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if err != nil || complaints.Len() > 0 || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q (%v), want %q; %s", test.line, got, err, test.want, complaints.String())
		}
	}
}
