package cli

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
)

// flags are the flags in a line of use; refWord is its first argument if it takes a reference.
var (
	flags   = regexp.MustCompile(`\[-[^][]*(\[[^][]*\][^][]*)*\]…?`)
	refWord = regexp.MustCompile(`^\S+ +\[?(?:SESSION|TASK|SCHEDULE|WATCH|REQUEST|ID)(…?)(?:\]| |$)`)
)

// TestRefsDeclared: a verb whose help says that it takes a session, a task, a request or an id
// declares a reference, so that NODE/REF leads to the node; no other does.
func TestRefsDeclared(t *testing.T) {
	refs := 0
	eachCommand(Verbs(), func(cmd *cobra.Command) {
		want := 0
		if m := refWord.FindStringSubmatch(flags.ReplaceAllString(cmd.Use, "")); m != nil {
			want = 1
			if m[1] != "" {
				want = 1000
			}
			refs++
		}
		if got := verb.Refs(cmd); got != want {
			t.Errorf("%s declares %d references, and its help has %d: %s", cmd.CommandPath(), got, want, cmd.Use)
		}
	})
	if refs < 40 {
		t.Errorf("only %d verbs take a reference", refs)
	}
}

// TestLocalVerbs: what is about this machine's files and programs never goes to a node.
func TestLocalVerbs(t *testing.T) {
	root := Verbs()
	for _, path := range [][]string{
		{"node", "add"}, {"config", "get"}, {"hooks", "install"}, {"service", "install"}, {"completion"}, {"screen"}, {"demo"}, {"init"}, {"mcp"}, {"doctor"}, {"version"}, {"update"},
	} {
		cmd, _, err := root.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		if !verb.IsLocal(cmd) {
			t.Errorf("%s may be sent to a node", cmd.CommandPath())
		}
	}
	if cmd, _, _ := root.Find([]string{"ls"}); verb.IsLocal(cmd) {
		t.Error("ls is of this machine alone")
	}
}
