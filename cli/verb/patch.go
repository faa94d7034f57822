package verb

import (
	"ccdir/api"
	"ccdir/internal/text/textsafe"
)

// PrintPatch prints the patch of a difference, and tells which files are not in it. On a terminal control
// characters are made visible.
func PrintPatch(a *App, d api.ReviewDiff) error {
	for _, line := range d.NotInPatch() {
		a.Tell("note: %s", line)
	}
	patch := d.Patch
	if Terminal(a.Stdout) {
		patch = []byte(textsafe.Block(string(patch)))
	}
	_, err := a.Out.Write(patch)
	return err
}
