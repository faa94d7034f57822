package files

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/internal/gitstatus"
)

const (
	// maxRepos bounds the nested repositories that a search enters.
	maxRepos = 100
	// gitListTime is git's time limit to list the files of a directory.
	gitListTime = 10 * time.Second
)

// unsearched directories hold dependencies and build output; they are searched only if
// they are named.
var unsearched = []string{".git", "node_modules", "target", ".venv", "venv", "__pycache__", "_build"}

// lister finds the files to search.
type lister struct {
	ctx   context.Context
	root  *os.Root
	rel   string // where the search begins
	repos int    // how many more may be entered
	names []string
	cut   bool
}

// candidates lists the files below rel, by their path from there: in a git repository
// those that are not ignored, including nested repositories (submodules, and untracked
// clones). Elsewhere .gitignore files apply too, and the usual directories of
// dependencies and build output are skipped. The same holds in a directory that is
// itself ignored: a caller who names it wants to search it.
func (m *Matches) candidates(ctx context.Context, root *os.Root, rel string) []string {
	l := &lister{ctx: ctx, root: root, rel: rel, repos: maxRepos}
	if !l.repository("") && !l.directory("") {
		l.walk("")
	}
	m.Truncated = m.Truncated || l.cut
	slices.Sort(l.names)
	return slices.Compact(l.names)
}

// repository lists the files of a git repository below a directory; false: the
// directory is in none, or is ignored.
func (l *lister) repository(below string) bool {
	if l.repos--; l.repos < 0 {
		l.cut = true
		return true
	}
	tracked, ok := l.git(below, "ls-files", "-s", "-z")
	if !ok {
		return false
	}
	others, ok := l.git(below, "ls-files", "-o", "--exclude-standard", "-z")
	if !ok {
		return false
	}
	if len(tracked)+len(others) == 0 && below == "" {
		if _, ignored := l.git(below, "check-ignore", "-q", "."); ignored {
			return false
		}
	}
	for _, entry := range tracked {
		info, name, _ := strings.Cut(entry, "\t")
		if strings.HasPrefix(info, "160000 ") { // a submodule
			name += "/"
		}
		l.add(below, name)
	}
	for _, name := range others {
		l.add(below, name)
	}
	return true
}

// directory lists a directory outside of repositories as git would if it were one, with
// the help of an empty repository.
func (l *lister) directory(below string) bool {
	ctx, cancel := context.WithTimeout(l.ctx, gitListTime)
	defer cancel()
	empty, err := gitstatus.NewEmpty(ctx, l.path(below))
	if err != nil {
		return false
	}
	defer empty.Close()
	args := []string{"ls-files", "-o", "--exclude-standard", "-z"}
	for _, name := range unsearched {
		args = append(args, "--exclude="+name+"/")
	}
	out, err := empty.Run(ctx, args...)
	for _, name := range fields(out) {
		l.add(below, name)
	}
	return err == nil
}

// add adds a name that git listed; a directory is a repository of its own.
func (l *lister) add(below, name string) {
	name = filepath.Join(below, name) + name[len(strings.TrimSuffix(name, "/")):]
	dir, isDir := strings.CutSuffix(name, "/")
	switch {
	case len(l.names) >= maxVisited:
		l.cut = true
	case !isDir:
		l.names = append(l.names, name)
	case !l.hasGit(dir): // a submodule that is not checked out
	case !l.repository(dir):
		l.walk(dir)
	}
}

func (l *lister) hasGit(dir string) bool {
	_, err := l.root.Lstat(filepath.Join(l.rel, dir, ".git"))
	return err == nil
}

// git runs git in a directory and returns the names in its output.
func (l *lister) git(below string, args ...string) ([]string, bool) {
	ctx, cancel := context.WithTimeout(l.ctx, gitListTime)
	defer cancel()
	out, err := gitstatus.Run(ctx, l.path(below), args...)
	return fields(out), err == nil
}

func (l *lister) path(below string) string { return filepath.Join(l.root.Name(), l.rel, below) }

// fields are the names in git's output.
func fields(out string) []string {
	if out = strings.TrimRight(out, "\x00"); out == "" {
		return nil
	}
	return strings.Split(out, "\x00")
}

// walk lists without git.
func (l *lister) walk(below string) {
	visited := 0
	_ = fs.WalkDir(l.root.FS(), filepath.ToSlash(filepath.Join(l.rel, below)), func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited || len(l.names) >= maxVisited || l.ctx.Err() != nil {
			l.cut = true
			return fs.SkipAll
		}
		if err != nil {
			return nil // unreadable: skipped
		}
		rel, _ := filepath.Rel(l.rel, filepath.FromSlash(name))
		if d.IsDir() && rel != "." && slices.Contains(unsearched, d.Name()) {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			l.names = append(l.names, rel)
		}
		return nil
	})
}
