package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestVerbsHaveRights: every verb that can be run has a row that says who decides about calls from
// inside a session, and no row is left over.
func TestVerbsHaveRights(t *testing.T) {
	root := newRoot(&app{})
	root.InitDefaultHelpCmd()
	left := map[string]bool{}
	for verb := range rights {
		left[verb] = true
	}
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
			verb := verbOf(sub)
			if _, ok := rights[verb]; !ok && (sub.RunE != nil || sub.Run != nil) && !sub.HasSubCommands() {
				t.Errorf("%q has no row in rights", verb)
			}
			delete(left, verb)
		}
	}
	look(root)
	for verb := range left {
		t.Errorf("no verb is %q", verb)
	}
}
