package policy

import (
	"path"
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// placesOf finds where a file part lies: as it is written and where links lead.
func (d *decider) placesOf(i int) []place {
	if found, ok := d.places[i]; ok {
		return found
	}
	d.findSpot()
	p := &d.parts[i]
	found := d.locate(p)
	d.places[i] = found
	return found
}

// findSpot finds the project and the home, once.
func (d *decider) findSpot() {
	if d.places == nil {
		d.places = map[int][]place{}
		d.spot = d.newSpot()
	}
}

func (d *decider) newSpot() spot {
	s := spot{root: newPlace(d.r.Root), home: newPlace(path.Clean(d.r.Home))}
	s.realRoot, s.realHome = s.root, s.home
	if real, ok := resolve(d.r.FS, d.r.Root); ok {
		s.rooted = true
		if real != s.root.path {
			s.realRoot = newPlace(real)
		}
	}
	if d.set.home {
		if real, ok := resolve(d.r.FS, d.r.Home); ok && real != s.home.path {
			s.realHome = newPlace(real)
		}
	}
	s.apart = s.realRoot.path != s.root.path || s.realHome.path != s.home.path
	return s
}

func (d *decider) locate(p *shell.Part) []place {
	bases := p.File.From
	if path.IsAbs(p.Text) {
		bases = []string{""}
	} else if len(bases) == 0 {
		p.File.Anything = true
		p.Bar("the directory it runs in isn't known")
		return nil
	}
	var out []place
	for _, b := range bases {
		full := b + "/" + p.Text
		if b == "" {
			full = p.Text
		}
		if strings.Count(full, "/") > maxSegments || len(full) > 1<<14 {
			p.File.Anything = true
			p.Bar("its path is too deep")
			return out
		}
		plain := newPlace(path.Clean(full))
		out = append(out, plain)
		if other, ok := plain.firmlink(); ok {
			out = append(out, newPlace(other))
		}
		if plain.isDetour() {
			p.File.Anything = true
			p.Bar("its path is another name for files anywhere")
		}
		if p.Unclear && strings.Contains(full, glob.Wild) {
			continue
		}
		real, ok := d.follow(full)
		switch {
		case !ok:
			p.File.Anything = true
			p.Bar("where its links lead can't be told")
		case real != plain.path:
			out = append(out, newPlace(real))
		}
	}
	return out
}

// follow is resolve with the project's own place known already.
func (d *decider) follow(full string) (string, bool) {
	if rest, ok := strings.CutPrefix(full, d.spot.root.path+"/"); ok && d.spot.rooted {
		return resolveFrom(d.r.FS, strings.TrimSuffix(d.spot.realRoot.path, "/"), rest)
	}
	return resolve(d.r.FS, full)
}

// inside reports whether the directories of `git -C` lie in the project.
func (d *decider) inside(p *shell.Part) bool {
	d.findSpot()
	dir := d.r.Cwd
	for _, w := range p.Command.Dirs {
		if !w.Known() || strings.HasPrefix(w.Text, "~") {
			return false
		}
		if dir = dir + "/" + w.Text; path.IsAbs(w.Text) {
			dir = w.Text
		}
	}
	real, ok := resolve(d.r.FS, dir)
	return ok && hasPrefix(segments(path.Clean(dir)), d.spot.root.segs) && hasPrefix(segments(real), d.spot.realRoot.segs)
}

// reachesBelow says why a search isn't allowed: below its directory lies what a
// deny or ask rule is about.
func (d *decider) reachesBelow(i int) string {
	p := &d.parts[i]
	if !p.File.Below && !p.File.Alias || p.Possible {
		return ""
	}
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		for _, r := range list.paths {
			if !r.match.tools.matches(d.family(p), d.r.Tool) || p.File.NamePattern != "" && r.match.path.endsOtherwise(p.File.NamePattern) && !r.match.path.mayHoldMore() ||
				!p.File.Below && r.match.path.floating { // such a name is found below any other
				continue
			}
			for _, pl := range d.placesOf(i) {
				under := newPlace(strings.TrimSuffix(pl.path, "/") + "/" + glob.AnyDepth)
				if r.match.path.catches(&d.spot, &under) {
					what := "a search in "
					if !p.File.Below {
						what = "another name for "
					}
					return what + d.show(i) + " reaches what " + r.Text + " is about"
				}
			}
		}
	}
	return ""
}

// holdsPolicy reports whether a directory holds a file that the policy came from, so
// that whoever removes or moves it as a whole changes that.
func (d *decider) holdsPolicy(dir []string) bool {
	for _, f := range d.p.files {
		if hasPrefix(segments(glob.Fold(f)), dir) {
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
		for _, pl := range d.placesOf(i) {
			for _, f := range d.p.files {
				if strings.EqualFold(f, pl.path) {
					return i, true
				}
			}
			for _, dir := range d.p.protect {
				if hasPrefix(pl.fold, dir) {
					return i, true
				}
			}
			n := len(pl.fold)
			if n > 0 && (pl.fold[n-1] == ".ccdir" || pl.wild && mayMatchSeg(".ccdir", pl.fold[n-1])) || n > 1 && pl.fold[n-1] == "policy.toml" && pl.fold[n-2] == ".ccdir" {
				return i, true
			}
			if pl.holdsSettings() || d.parts[i].File.Receives && n > 0 && mayMatchSeg(".claude", pl.fold[n-1]) {
				return i, true // they can take the agent's hooks away from ccdir
			}
			if d.parts[i].File.Whole && d.holdsPolicy(pl.fold) {
				return i, true
			}
		}
	}
	return 0, false
}

// holdsSettings reports whether the place is, or may be, a file of the agent's settings.
func (p *place) holdsSettings() bool {
	n := len(p.fold)
	return n > 1 && mayMatchSeg(".claude", p.fold[n-2]) && mayMatchSeg("settings*.json", p.fold[n-1])
}

// isDetour reports whether the path begins where every file has another name: another
// process's files, and what macOS has for numbers of files and ways to open them.
func (p *place) isDetour() bool {
	switch {
	case len(p.fold) == 0:
		return false
	case p.fold[0] == "dev":
		return len(p.fold) > 1 && p.fold[1] == "fd"
	}
	return p.fold[0] == "proc" || p.fold[0] == ".vol" || p.fold[0] == ".nofollow" || p.fold[0] == ".resolve"
}

// firmlink is the usual name of a file on the data volume of macOS.
func (p *place) firmlink() (string, bool) {
	if len(p.fold) < 4 || !hasPrefix(p.fold, []string{"system", "volumes", "data"}) {
		return "", false
	}
	return "/" + strings.Join(p.segs[3:], "/"), true
}
