package cli

import "github.com/spf13/cobra"

// addGrid adds the verbs of the grid, and the grid itself as what ccdir does
// without a verb.
func addGrid(a *app, root *cobra.Command, add func(group string, cmds ...*cobra.Command)) {
	add(groupGrid, newFocusCmd(a))
}
