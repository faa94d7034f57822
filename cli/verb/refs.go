package verb

import (
	"github.com/spf13/cobra"
)

// A verb declares what of its command line is a reference: SESSION, TASK, REQUEST or ID, which may
// be NODE/REF. Annotations of commands:
const (
	refsNote  = "ccdir_refs" // which arguments: refsFirst, refsAll or refsFirstOrBranch
	localNote = "ccdir_local"
)

const (
	refsFirst         = "first"
	refsFirstOrBranch = "first or branch"
	refsAll           = "all"
)

// FirstRef are the annotations of a verb whose first argument is a reference.
func FirstRef() map[string]string { return map[string]string{refsNote: refsFirst} }

// FirstRefOrBranch is FirstRef for a verb that also takes a branch of git: fix/login names a node
// only if there is a node fix.
func FirstRefOrBranch() map[string]string { return map[string]string{refsNote: refsFirstOrBranch} }

// AllRefs are the annotations of a verb whose arguments are all references. It runs once for each
// machine that they name.
func AllRefs() map[string]string { return map[string]string{refsNote: refsAll} }

// RefFlag declares that the value of a flag is a reference, or a name that may have a node.
func RefFlag(cmd *cobra.Command, name string) {
	_ = cmd.Flags().SetAnnotation(name, refsNote, []string{"1"})
}

// Local declares that a verb, and all below it, act on this machine only.
func Local(cmd *cobra.Command) *cobra.Command {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[localNote] = "1"
	return cmd
}

// Refs returns how many of a verb's first arguments are references: 0, 1, or 1000 for all.
func Refs(cmd *cobra.Command) int {
	switch cmd.Annotations[refsNote] {
	case refsFirst, refsFirstOrBranch:
		return 1
	case refsAll:
		return 1000
	}
	return 0
}

// IsLocal reports whether the verb acts on this machine only.
func IsLocal(cmd *cobra.Command) bool {
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Annotations[localNote] != "" {
			return true
		}
	}
	return false
}
