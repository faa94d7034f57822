package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ccdir/cli"
)

// TestPages: every verb that the help shows has a page, of ASCII and of macros that the
// man package knows; pages of verbs that are gone are removed.
func TestPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "ccdir-gone.1")
	if err := os.WriteFile(gone, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := cli.Verbs()
	if err := write(root, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the page of a verb that is gone is still there")
	}
	macro := regexp.MustCompile(`^\.(TH|SH|SS|TP|PP|B|I|BR|nf|fi)( |$)`)
	err := each(root, func(cmd *cobra.Command) error {
		page, err := os.ReadFile(filepath.Join(dir, name(cmd)+".1"))
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(page)) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !macro.MatchString(line) {
				t.Errorf("%s: %q is no macro", name(cmd), line)
			}
			for _, r := range line {
				if r < ' ' || r > '~' {
					t.Errorf("%s: %q has the character %q", name(cmd), line, r)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestSynopsis(t *testing.T) {
	parent, root := &cobra.Command{Use: "task"}, &cobra.Command{Use: "ccdir"}
	root.AddCommand(parent)
	for _, c := range []struct{ use, want string }{
		{"add PROMPT | add -f FILE", "ccdir task add PROMPT\nccdir task add -f FILE"},
		{"log [--tool T] | --verify", "ccdir task log [--tool T]\nccdir task log --verify"},
		{"go [--a A | --b B] [--c]", "ccdir task go [--a A | --b B] [--c]"},
	} {
		cmd := &cobra.Command{Use: c.use, DisableFlagsInUseLine: true}
		parent.AddCommand(cmd)
		if got := synopsis(cmd); got != c.want {
			t.Errorf("%q is written as %q, want %q", c.use, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	const help = "Say it.\n.hidden and a \\ -x …\n\n  a  table\n  'of rows\n\nAnd so on."
	const want = "Say it.\n\\&.hidden and a \\e \\-x \\[u2026]\n.PP\n.PP\n.nf\n  a  table\n  'of rows\n.fi\n.PP\nAnd so on.\n"
	if got := text(help); got != want {
		t.Errorf("the text is\n%q, want\n%q", got, want)
	}
}
