package host

import (
	"path/filepath"

	"ccdir/internal/lineage"
)

// fromSession reports whether the process pid runs inside a session
// of the same installation: an agent must not type into its own dialogs, nor into
// others'. The daemon says the same before it gives tickets away; this holds for
// tickets that were read from the disk.
func (h *host) fromSession(pid int) bool {
	from, ok := lineage.Session(pid, filepath.Dir(h.spec.Dir))
	return ok && !from.Spec.Yours
}
