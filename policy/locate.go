package policy

import (
	"errors"
	"path"
	"strings"
	"syscall"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// locationsOf returns where the file of part i lies: the path as written, and the target of
// its links.
func (d *decider) locationsOf(i int) []location {
	if found, ok := d.locations[i]; ok {
		return found
	}
	d.findAnchors()
	p := &d.parts[i]
	found := d.locate(p)
	d.locations[i] = found
	return found
}

// findAnchors finds project and home, once.
func (d *decider) findAnchors() {
	if d.locations == nil {
		d.locations = map[int][]location{}
		d.anchors = d.newAnchors()
	}
}

func (d *decider) newAnchors() anchors {
	s := anchors{root: newLocation(d.r.Root), home: newLocation(path.Clean(d.r.Home))}
	s.realRoot, s.realHome = s.root, s.home
	if real, ok := resolve(d.r.FS, d.r.Root); ok {
		s.rootResolved = true
		if real != s.root.path {
			s.realRoot = newLocation(real)
		}
	}
	if d.set.home {
		if real, ok := resolve(d.r.FS, d.r.Home); ok && real != s.home.path {
			s.realHome = newLocation(real)
		}
	}
	s.linked = s.realRoot.path != s.root.path || s.realHome.path != s.home.path
	return s
}

func (d *decider) locate(p *shell.Part) []location {
	bases := p.File.From
	if path.IsAbs(p.Text) {
		bases = []string{""}
	} else if len(bases) == 0 {
		p.File.Anything = true
		p.Bar("the directory it runs in isn't known")
		return nil
	}
	var out []location
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
		plain := newLocation(path.Clean(full))
		out = append(out, plain)
		if other, ok := plain.firmlink(); ok {
			out = append(out, newLocation(other))
		}
		if plain.isDetour() {
			p.File.Anything = true
			p.Bar("its path is another name for files anywhere")
		}
		if p.File.Literal || p.Unclear && strings.Contains(full, glob.Wild) {
			continue
		}
		real, ok := d.follow(full, plain.path)
		switch {
		case !ok:
			p.File.Anything = true
			p.Bar("where its links lead can't be told")
		case real != plain.path:
			out = append(out, newLocation(real))
		}
	}
	return out
}

// follow is resolve, with the project's directory resolved in advance. cleaned is the path
// without "." and "..".
func (d *decider) follow(full, cleaned string) (string, bool) {
	if a := &d.anchors; a.rootResolved && a.realRoot.path == a.root.path && !strings.Contains(full, "..") && hasNoLinks(d.r.FS, cleaned, a.root.path) {
		return cleaned, true
	}
	if rest, ok := strings.CutPrefix(full, d.anchors.root.path+"/"); ok && d.anchors.rootResolved {
		return resolveFrom(d.r.FS, strings.TrimSuffix(d.anchors.realRoot.path, "/"), rest)
	}
	return resolve(d.r.FS, full)
}

// inside reports whether the directories of `git -C` lie in the project.
func (d *decider) inside(p *shell.Part) bool {
	d.findAnchors()
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
	return ok && hasPrefix(splitPath(path.Clean(dir)), d.anchors.root.segments) && hasPrefix(splitPath(real), d.anchors.realRoot.segments)
}

// bareRepository reports whether git would take a directory, or one above it but for the project and what is above that,
// for a repository without a work tree: anybody can make one of plain files, whose settings git runs.
func (d *decider) bareRepository(dir string) bool {
	exists := func(name string) bool {
		_, err := d.r.FS.Readlink(name)
		return err == nil || errors.Is(err, syscall.EINVAL)
	}
	for dir = path.Clean(dir); dir != d.r.Root && dir != "/" && dir != "." && !exists(dir+"/.git"); dir = path.Dir(dir) {
		if path.Base(dir) != ".git" && exists(dir+"/HEAD") && exists(dir+"/objects") && exists(dir+"/refs") {
			return true
		}
	}
	return false
}

// reachesBelow returns why a search is not allowed: a deny or ask rule is about files below
// its directory, or could be about one that its pattern finds. "" if none is.
func (d *decider) reachesBelow(i int) string {
	p := &d.parts[i]
	if p.Unclear && (p.Kind == shell.KindRead || p.Kind == shell.KindEdit) {
		if r := d.vaguely(i); r != nil {
			return d.show(i) + " may find what " + r.Text + " is about"
		}
	}
	if !p.File.Below && !p.File.Alias {
		return ""
	}
	var below []location // any file below
	for _, pl := range d.locationsOf(i) {
		below = append(below, newLocation(strings.TrimSuffix(pl.path, "/")+"/"+glob.AnyDepth))
	}
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		for _, r := range list.paths {
			path := r.match.path
			if !r.match.tools.matches(d.family(p), d.r.Tool) || p.File.NamePattern != "" && path.endsOtherwise(p.File.NamePattern) && !path.mayHoldMore() ||
				p.File.Names && path.ofFiles() || !p.File.Below && path.anyDepth || p.File.Visible && path.anyDepth && strings.HasPrefix(path.folded[0], ".") { // such names are found below any directory
				continue
			}
			for j := range below {
				if path.catches(&d.anchors, &below[j]) {
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

// vaguely returns a deny or ask rule that could be about a file which a pattern finds, where the pattern is too wide
// to ask for that; nil if there is none.
func (d *decider) vaguely(i int) *Rule {
	p := &d.parts[i]
	places := d.locationsOf(i)
	for _, list := range []*index{&d.set.deny, &d.set.ask} {
		for _, r := range list.paths {
			for j := range places {
				if r.match.tools.matches(d.family(p), d.r.Tool) && r.match.path.vague(&places[j]) && r.match.path.catchesFile(&d.anchors, p, &places[j]) {
					return r
				}
			}
		}
	}
	return nil
}

// isDetour reports whether the path begins with a directory in which any file has a second
// name: files of other processes, and on macOS file numbers and open modes.
func (p *location) isDetour() bool {
	switch {
	case len(p.folded) == 0:
		return false
	case p.folded[0] == "dev":
		return len(p.folded) > 1 && p.folded[1] == "fd"
	}
	return p.folded[0] == "proc" || p.folded[0] == ".vol" || p.folded[0] == ".nofollow" || p.folded[0] == ".resolve"
}

// firmlink returns the usual path of a file on the data volume of macOS.
func (p *location) firmlink() (string, bool) {
	if len(p.folded) < 4 || !hasPrefix(p.folded, []string{"system", "volumes", "data"}) {
		return "", false
	}
	return "/" + strings.Join(p.segments[3:], "/"), true
}
