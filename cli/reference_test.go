package cli

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ccdir/cli/verb"
)

var update = flag.Bool("update", false, "write docs/cli.md")

const referenceIntro = `# The command line

<!-- Written by ` + "`go test ./cli -run TestReference -update`" + `. -->

Every verb has ` + "`--help`" + `, with examples. The exit code is 0 if it is done, 1 if it failed (one line on
standard error says why, and what to do), 2 if it was called wrongly, 3 if an agent asks a person
(` + "`ccdir wait --or-asks`" + ` alone). SESSION is an id, a unique
prefix of one, or a name; TASK an id or a name. With ` + "`--json`" + ` a verb prints one JSON document,
` + "`events`" + ` one object a line; fields are added, and none is renamed. ` + "`ccdir completion`" + ` prints what
lets the Tab key complete all of this.
`

// TestReference: docs/cli.md has every verb and every flag, as the help tells them.
func TestReference(t *testing.T) {
	const file = "../docs/cli.md"
	want := reference(newRoot(&verb.App{}))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not what the verbs are: `go test ./cli -run TestReference -update` writes it (%v)", file, err)
	}
}

func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(referenceIntro)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				describe(&b, cmd)
				eachCommand(cmd, func(sub *cobra.Command) { describe(&b, sub) })
			}
		}
	}
	return b.String()
}

// describe writes what a verb does, and its flags.
func describe(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n    %s\n", cmd.CommandPath(), cmd.Short, cmd.UseLine())
	head := "\n| flag | |\n|---|---|\n"
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + "`, `" + name
		}
		fmt.Fprintf(b, "%s| `%s` | %s |\n", head, strings.TrimSpace(name+" "+value), strings.ReplaceAll(usage, "|", "\\|"))
		head = ""
	})
}
