package policy

import (
	"slices"
	"strings"

	"ccdir/policy/glob"
	"ccdir/policy/shell"
)

// holdsPolicy reports whether a policy file or one of ccdir's directories lies below dir, so
// that removing or moving dir changes these.
func (d *decider) holdsPolicy(dir []string) bool {
	for _, f := range d.p.files {
		if hasPrefix(splitPath(glob.Fold(f)), dir) {
			return true
		}
	}
	holds := func(own []string) bool { return hasPrefix(own, dir) }
	return slices.ContainsFunc(d.p.protect, holds) || slices.ContainsFunc(d.movedSettings(), holds)
}

// protected returns the index of a part that changes a file of the policy, of ccdir or of
// the agent's settings.
func (d *decider) protected() (int, bool) {
	if len(d.p.files) == 0 {
		return 0, false
	}
	for i := range d.parts {
		if p := &d.parts[i]; p.Kind == shell.KindEdit && d.changesProtected(p, d.locationsOf(i)) {
			return i, true
		}
	}
	return 0, false
}

// changesProtected reports whether changing the file at places always asks.
func (d *decider) changesProtected(p *shell.Part, places []location) bool {
	if len(d.p.files) == 0 {
		return false
	}
	for i := range places {
		pl := &places[i]
		for _, f := range d.p.files {
			if strings.EqualFold(f, pl.path) {
				return true
			}
		}
		for _, dir := range d.p.protect {
			if hasPrefix(pl.folded, dir) && !d.p.inTree(pl) {
				return true
			}
		}
		n := len(pl.folded)
		if n > 0 && (pl.folded[n-1] == ".ccdir" || pl.unclear && mayMatchSeg(".ccdir", pl.folded[n-1])) || n > 1 && pl.folded[n-1] == "policy.toml" && pl.folded[n-2] == ".ccdir" {
			return true
		}
		if n > 0 && pl.folded[n-1] == ".git" && !p.Covered {
			return true // written as a file: in a linked work tree that says which project's policy holds
		}
		if pl.ofAgent() || slices.ContainsFunc(d.movedSettings(), pl.mayBeBelow) {
			return true // it can bring hooks, plugins, servers and permissions
		}
		if pl.holdsSettings() || (p.File.Receives || p.File.Below && mayBeSettings(p.File.NamePattern)) && n > 0 && mayMatchSeg(".claude", pl.folded[n-1]) {
			return true // settings can remove ccdir's hooks
		}
		if strings.HasPrefix(p.File.NamePattern, "settings") && mayBeSettings(p.File.NamePattern) && hasPrefix(d.anchors.root.folded, pl.folded) {
			return true // of the project: a search for them by name
		}
		if p.File.Whole && d.holdsPolicy(pl.folded) {
			return true
		}
	}
	return false
}

// movedSettings are Request.Settings in the form of locations.
func (d *decider) movedSettings() [][]string {
	if !d.foundMoved {
		d.foundMoved = true
		for _, path := range d.r.Settings {
			for _, at := range d.locate(&shell.Part{Kind: shell.KindEdit, Text: path}) {
				d.moved = append(d.moved, at.folded)
			}
		}
	}
	return d.moved
}

// mayBeBelow reports whether the location is, or may be, a file or folder or below it.
func (p *location) mayBeBelow(own []string) bool {
	if !p.unclear || len(p.folded) < len(own) {
		return hasPrefix(p.folded, own)
	}
	for i, seg := range own {
		if p.folded[i] != seg && !mayMatchSeg(seg, p.folded[i]) {
			return false
		}
	}
	return true
}

// treeDepth is how many names below a directory of trees the files in one lie at least:
// repository, branch, file.
const treeDepth = 3

// inTree reports whether a location is certainly inside of a work tree that ccdir made.
func (p *Policy) inTree(at *location) bool {
	if at.unclear {
		return false
	}
	for _, dir := range p.trees {
		if len(at.folded) >= len(dir)+treeDepth && hasPrefix(at.folded, dir) {
			return true
		}
	}
	return false
}

// Files by which agents are set up, besides Claude Code's settings: whoever changes one can
// remove ccdir's hooks, allow what the agent asks about, or have it run programs.
var (
	// agentDirs hold nothing else.
	agentDirs = map[string]bool{".codex": true, ".gemini": true, ".opencode": true}
	// dirsBelow are those in a directory with other things. Agents, skills and commands of Claude Code
	// (2.1.329) can have hooks of their own; opencode starts what lies in its folders of plugins.
	dirsBelow = map[string]map[string]bool{
		".claude": {"hooks": true, "plugins": true, "agents": true, "skills": true, "commands": true},
		".agents": {"plugins": true}, ".config": {"opencode": true},
	}
	// agentFiles are names of files, wherever they lie.
	agentFiles = []string{"opencode.json", "opencode.jsonc", ".mcp.json", ".claude.json"}
)

// ofAgent reports whether the location is, or may be, a file by which an agent is set up.
func (p *location) ofAgent() bool {
	for i, seg := range p.folded {
		if agentDirs[seg] || i > 0 && dirsBelow[p.folded[i-1]][seg] {
			return true
		}
	}
	if len(p.folded) == 0 {
		return false
	}
	last := p.folded[len(p.folded)-1]
	for _, name := range agentFiles {
		// A name that may begin with anything, such as *.json, is taken for another file's.
		if last == name || p.unclear && strings.HasPrefix(last, name[:1]) && mayMatchSeg(name, last) {
			return true
		}
	}
	return false
}

// settingsFiles are the names of the agent's settings.
const settingsFiles = "settings*.json"

// mayBeSettings reports whether files with names of a pattern may be the agent's settings.
func mayBeSettings(pattern string) bool {
	return pattern == "" || glob.MayMatch(settingsFiles, pattern, true)
}

// holdsSettings reports whether the location is, or may be, a settings file of the agent.
func (p *location) holdsSettings() bool {
	n := len(p.folded)
	return n > 1 && mayMatchSeg(".claude", p.folded[n-2]) && mayMatchSeg(settingsFiles, p.folded[n-1])
}
