package policy

import (
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// holdsPolicy reports whether a directory holds a file that the policy came from, so
// that whoever removes or moves it as a whole changes that.
func (d *decider) holdsPolicy(dir []string) bool {
	for _, f := range d.p.files {
		if hasPrefix(splitPath(glob.Fold(f)), dir) {
			return true
		}
	}
	return false
}

// protected reports whether a part changes a file that the policy came from.
func (d *decider) protected() (int, bool) {
	if len(d.p.files) == 0 {
		return 0, false
	}
	for i := range d.parts {
		if d.parts[i].Kind != shell.KindEdit {
			continue
		}
		for _, pl := range d.locationsOf(i) {
			for _, f := range d.p.files {
				if strings.EqualFold(f, pl.path) {
					return i, true
				}
			}
			for _, dir := range d.p.protect {
				if hasPrefix(pl.folded, dir) {
					return i, true
				}
			}
			n := len(pl.folded)
			if n > 0 && (pl.folded[n-1] == ".ccdir" || pl.unclear && mayMatchSeg(".ccdir", pl.folded[n-1])) || n > 1 && pl.folded[n-1] == "policy.toml" && pl.folded[n-2] == ".ccdir" {
				return i, true
			}
			if pl.holdsSettings() || d.parts[i].File.Receives && n > 0 && mayMatchSeg(".claude", pl.folded[n-1]) {
				return i, true // they can take the agent's hooks away from ccdir
			}
			if d.parts[i].File.Whole && d.holdsPolicy(pl.folded) {
				return i, true
			}
		}
	}
	return 0, false
}

// holdsSettings reports whether the place is, or may be, a file of the agent's settings.
func (p *location) holdsSettings() bool {
	n := len(p.folded)
	return n > 1 && mayMatchSeg(".claude", p.folded[n-2]) && mayMatchSeg("settings*.json", p.folded[n-1])
}
