package cli

import (
	"testing"

	"github.com/spf13/cobra"

	"ccdir/cli/verb"
)

// TestVerbsHaveRights: every verb that can be run has a row that says who decides about calls from
// inside a session, and no row is left over.
func TestVerbsHaveRights(t *testing.T) {
	root := newRoot(&verb.App{})
	root.InitDefaultHelpCmd()
	left := map[string]bool{}
	for path := range verb.Rights {
		left[path] = true
	}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
			path := verb.PathOf(sub)
			if _, ok := verb.Rights[path]; !ok && (sub.RunE != nil || sub.Run != nil) && !sub.HasSubCommands() {
				t.Errorf("%q has no row in rights", path)
			}
			delete(left, path)
		}
	}
	look(root)
	for path := range left {
		t.Errorf("no verb is %q", path)
	}
}
