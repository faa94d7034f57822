package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Mechanisms.
const (
	Bubblewrap  = "bubblewrap"
	Landlock    = "landlock"
	SandboxExec = "sandbox-exec"
)

// Place is where a process runs: everything that a profile needs to become a plan. Paths are
// absolute, and free of symbolic links where the caller could resolve them.
type Place struct {
	// Home is the person's, Dir the directory of the process.
	Home, Dir string
	// Git is the repository around Dir; nil for none.
	Git *Git
	// Agent is what the agent's program needs; zero for a command.
	Agent Needs
	// Programs are directories and files of the programs to be run: the agent's package, the
	// directories of PATH.
	Programs []string
	// Own is what the process needs of ccdir: Read are files, Write directories, Sockets
	// directories of sockets that it may dial; Hide are ccdir's directories.
	Own Own
	// Allowed is what the person lets through besides the profile (Allowed).
	Allowed []string
	// Private is the directory for what only this session has: temporary files, caches.
	Private string
	// OS is a GOOS.
	OS string
}

// Own is what a process needs of ccdir.
type Own struct{ Read, Write, Sockets, Hide []string }

// Git is a work tree: Top is its root, Dir its own git directory, Common that of the repository,
// which is Dir in a main work tree.
type Git struct{ Top, Dir, Common string }

// Linked reports whether the work tree is not the repository's main one.
func (g *Git) Linked() bool { return g != nil && g.Dir != g.Common }

// Needs is what an agent's program writes and reads.
type Needs struct {
	// Write are directories and files of its state: made, if they are not there.
	Write []string
	// Keep are paths in them that stay as they are, since other sessions obey them.
	Keep []string
	// Read are further paths.
	Read []string
	// Unsure is what it may need besides and the walls hide, in words; "" if nothing is known of that.
	Unsure string
	// Hosts are those of its vendor (ParseHost): without them it does nothing.
	Hosts []string
}

// Plan is a profile for one process. Where paths are within one another, the longer one decides;
// of equal ones Hidden wins over Keep, Keep over Write, Write over Read.
type Plan struct {
	Profile string `json:"profile"`
	// Mechanism is what holds it; "" if nothing can.
	Mechanism string   `json:"mechanism"`
	Home      string   `json:"home"`
	Dir       string   `json:"dir"`
	Write     []string `json:"write"`
	Read      []string `json:"read"`
	// Make are those of Write that are made when they are missing: an agent's state.
	Make []string `json:"make,omitempty"`
	// Keep are read-only paths within Write; State are those of them in the agent's state and a
	// linked work tree's git directory, made empty if they are missing, because one that appears
	// would be obeyed too.
	Keep    []string `json:"keep,omitempty"`
	State   []string `json:"state,omitempty"`
	Hidden  []string `json:"hidden"`
	Sockets []string `json:"sockets,omitempty"`
	Git     *Git     `json:"git,omitempty"`
	Private string   `json:"private,omitempty"`
	Network string   `json:"network"`
	// Hosts are what NetworkHosts lets through; Proxy is the socket of what does so, set by who
	// runs it.
	Hosts []string `json:"hosts,omitempty"`
	Proxy string   `json:"proxy,omitempty"`
	// Tree is whether Dir may be written.
	Tree bool `json:"tree"`
	// Missing is what the mechanism cannot hold, a sentence each.
	Missing []string `json:"missing,omitempty"`
}

// Complete reports whether the mechanism holds all of the plan.
func (p Plan) Complete() bool { return p.Mechanism != "" && len(p.Missing) == 0 }

// Make resolves a profile for a place. The plan has no mechanism yet (Plan.For).
func Make(profile Profile, at Place) (Plan, error) {
	p := Plan{Profile: profile.Name, Home: at.Home, Dir: at.Dir, Git: at.Git, Private: at.Private, Network: profile.Network, Hosts: slices.Clone(profile.Hosts), Tree: profile.Tree}
	if p.Network != NetworkAll && len(at.Agent.Hosts) > 0 {
		p.Network, p.Hosts = NetworkHosts, append(p.Hosts, at.Agent.Hosts...)
	}
	for what, path := range map[string]string{"home": at.Home, "directory": at.Dir, "private directory": at.Private} {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			return p, fmt.Errorf("the %s %q is not an absolute path", what, path)
		}
	}
	top := at.Dir
	if at.Git != nil {
		top = at.Git.Top
	}
	if within(at.Home, top) {
		return p, fmt.Errorf("the sandbox profile %s cannot hold a session in %s, where the home itself is: start it in a directory below", profile.Name, top)
	}
	p.Read = slices.Concat(System(at.OS), below(at.Home, toolchains), at.Programs, at.Agent.Read, at.Own.Read, expand(at.Home, profile.Read))
	p.Write = slices.Concat(at.Agent.Write, at.Own.Write, expand(at.Home, profile.Write))
	p.Make = slices.Concat(at.Agent.Write, at.Own.Write)
	p.State = slices.Clone(at.Agent.Keep)
	p.Keep = slices.Clone(at.Agent.Keep)
	p.Hidden = slices.Concat(at.Own.Hide, expand(at.Home, profile.Hide))
	p.Sockets = slices.Clone(at.Own.Sockets)
	if profile.Tree {
		p.Write = append(p.Write, top)
		p.Keep = append(p.Keep, below(top, planted)...)
		p.gitFiles()
	} else {
		p.Read = append(p.Read, top)
		if at.Git != nil {
			p.Read = append(p.Read, at.Git.Common, at.Git.Dir)
		}
		p.Git = nil
	}
	p.allow(at.Allowed)
	p.Read = slices.DeleteFunc(p.Read, func(path string) bool { // a directory of PATH in the tree is written as the tree is
		return slices.ContainsFunc(p.Write, func(dir string) bool { return within(path, dir) })
	})
	for _, list := range []*[]string{&p.Write, &p.Read, &p.Make, &p.Keep, &p.State, &p.Hidden, &p.Sockets, &p.Hosts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return p, nil
}

// gitFiles keeps what makes git run programs: whoever calls git in this work tree or in the
// repository's others reads it.
func (p *Plan) gitFiles() {
	switch g := p.Git; {
	case g == nil:
	case g.Linked():
		p.Write = append(p.Write, g.Dir)
		p.Keep = append(p.Keep, below(g.Dir, []string{"commondir", "gitdir", "config.worktree"})...)
		p.Keep = append(p.Keep, filepath.Join(g.Top, ".git"))
		p.State = append(p.State, filepath.Join(g.Dir, "config.worktree"))
	default:
		p.Write = append(p.Write, g.Dir) // it may stand elsewhere, as those of submodules do
		p.Keep = append(p.Keep, below(g.Dir, []string{"config", "config.worktree", "hooks", "info", "modules", "worktrees"})...)
		if g.Dir != filepath.Join(g.Top, ".git") {
			p.Keep = append(p.Keep, filepath.Join(g.Top, ".git"))
		}
	}
}

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// Within reports whether path is dir or below it; both are clean and absolute.
func Within(path, dir string) bool { return within(path, dir) }

func below(dir string, names []string) (list []string) {
	for _, name := range names {
		list = append(list, filepath.Join(dir, name))
	}
	return list
}

func expand(home string, paths []string) (list []string) {
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		list = append(list, filepath.Clean(path))
	}
	return list
}
