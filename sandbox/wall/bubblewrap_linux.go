package wall

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/sandbox"
)

// Places inside.
const (
	innerShim = "/run/ccdir/shim"       // the shim's program
	innerGit  = "/run/ccdir/repository" // the repository's common directory, as it is now, read-only
)

// mounts collects what is mounted where; a later put of the same place wins.
type mounts struct {
	plan sandbox.Plan
	how  map[string][]string // the options of a place
}

func (m *mounts) bind(option string, paths ...string) {
	for _, path := range paths {
		if source(m.plan, path) {
			m.how[path] = []string{option, path, path}
		}
	}
}

func (m *mounts) hide(paths ...string) {
	for _, path := range paths {
		info, err := os.Lstat(path)
		switch {
		case err != nil || info.Mode()&os.ModeSymlink != 0: // not there; its target is hidden or not by its own name
		case info.IsDir():
			m.how[path] = []string{"--perms", "0700", "--tmpfs", path}
		default:
			m.how[path] = []string{"--ro-bind", "/dev/null", path}
		}
	}
}

// args are the options in the order of mounting: what contains something comes before it.
func (m *mounts) args() (args []string) {
	paths := make([]string, 0, len(m.how))
	for path := range m.how {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, path := range paths {
		if to, err := os.Readlink(path); err == nil && strings.Count(path, "/") == 1 { // /bin is usr/bin
			args = append(args, "--symlink", to, path)
			continue
		}
		args = append(args, m.how[path]...)
	}
	return args
}

// bubblewrap is the command line up to the command: a root in which only what the plan names
// appears. tmp becomes /tmp. There is no pid namespace: hooks, session files and signals name
// pids of the machine.
func bubblewrap(program string, p sandbox.Plan, self, tmp string) []string {
	a := []string{program, "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL"}
	if p.Network != sandbox.NetworkAll {
		a = append(a, "--unshare-net")
	}
	a = append(a, "--tmpfs", "/run", "--perms", "0700", "--tmpfs", p.Home, "--dev", "/dev", "--ro-bind", "/proc", "/proc", "--bind", tmp, "/tmp")
	m := &mounts{plan: p, how: map[string][]string{}}
	m.bind("--ro-bind", p.Read...)
	m.bind("--bind", p.Write...)
	m.git()
	if g := p.Git; g.Linked() { // links may be made there (linkPlaces)
		for _, name := range []string{".config", ".local/share", ".local/state"} {
			if path := filepath.Join(p.Home, name); m.how[path] == nil {
				m.how[path] = []string{"--dir", path}
			}
		}
	}
	m.bind("--ro-bind", p.Sockets...)
	m.bind("--ro-bind", p.Keep...)
	for _, c := range sandbox.Caches {
		path := filepath.Join(p.Home, c.Path)
		if !slices.Contains(p.Write, path) {
			m.how[path] = []string{"--bind", filepath.Join(p.Private, c.Name), path}
		}
	}
	m.hide(p.Hidden...)
	a = append(a, m.args()...)
	if p.Git.Linked() {
		a = append(a, "--ro-bind", p.Git.Common, innerGit)
	}
	return append(a, "--ro-bind", self, innerShim, "--remount-ro", "/run", "--remount-ro", "/", "--setenv", "TMPDIR", "/tmp", "--chdir", p.Dir)
}

// gitDeep is one link more than git follows before it makes the lock of a file.
const gitDeep = 6

// git gives the repository's common directory a private top, in which only objects, references
// and their logs are the repository's: a file that could be made in the real one (commondir)
// would make git of others run programs. What is read there is seen as it is now, by links.
//
// packed-refs is the end of a chain of links, longer than git follows before it makes the
// lock: the lock is made in the private top, so that loose references can be deleted. Writing
// the file fails, because a directory stands where git writes the new one: packed into a
// private file, references would be lost to all others.
func (m *mounts) git() {
	g := m.plan.Git
	if !g.Linked() {
		return
	}
	m.how[g.Common] = []string{"--perms", "0700", "--tmpfs", g.Common}
	entries, _ := os.ReadDir(g.Common)
	for _, e := range entries {
		path := filepath.Join(g.Common, e.Name())
		switch name := e.Name(); {
		case name == "objects" || name == "refs" || name == "logs" || name == "lfs":
			m.bind("--bind", path)
		case name == "config" || name == "shallow":
			m.how[path] = []string{"--symlink", innerGit + "/" + name, path}
		case name == "HEAD" || e.IsDir(): // a link HEAD is another thing for git
			m.bind("--ro-bind", path)
		}
	}
	m.bind("--bind", g.Dir)
	at := filepath.Join(g.Common, "packed-refs")
	for i := range gitDeep {
		next := filepath.Join(g.Common, "packed-refs-"+strings.Repeat("i", i+1))
		if i == gitDeep-1 {
			next = innerGit + "/packed-refs"
		}
		m.how[at] = []string{"--symlink", next, at}
		m.how[at+".new"] = []string{"--dir", at + ".new"}
		at = next
	}
}
