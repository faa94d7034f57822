package worktrees

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ccdir/api"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/gitstatus"
	"ccdir/internal/text/textsafe"
)

// Repo is a git repository with its work trees.
type Repo struct {
	// Common is the directory that all its work trees share (.git), Root the main work
	// tree, or Common if the repository is bare.
	Common, Root string
	Bare         bool
	// Trees are its work trees, the main one first.
	Trees []Tree
	// held is our lock of it, nil unless this is a change.
	held *os.File
}

// Tree is a work tree as git lists it.
type Tree struct {
	// Path is its directory, GitDir its own directory in the repository.
	Path, GitDir string
	// Branch is a name below refs/heads/, "" for none; Head is "" before the first commit.
	Branch, Head string
	Main         bool
	// Missing: the directory is gone, or is another one.
	Missing bool
	// Locked is git's reason why it must stay.
	Locked string
	// id identifies the directory; zero if it is missing. top is Path without symbolic links.
	id  inode
	top string
}

// inode identifies a directory whatever its name is.
type inode struct{ dev, ino uint64 }

// identity tells a tree from others that had its name.
func (t *Tree) identity() string { return fmt.Sprintf("%d:%d", t.id.dev, t.id.ino) }

func inodeOf(path string) inode {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return inode{}
	}
	return inodeOfFile(info)
}

func inodeOfFile(info os.FileInfo) inode {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{}
	}
	return inode{dev: uint64(st.Dev), ino: st.Ino} //nolint:unconvert,gosec // Dev is an int32 on macOS
}

// maxPointer bounds a .git file and git's files about a work tree, in bytes.
const maxPointer = 8 << 10

// Open finds the repository around a directory, and its work trees.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r, err := locate(ctx, dir)
	if err != nil {
		return nil, err
	}
	return r, r.read(ctx)
}

// locate finds the repository around a directory without its work trees.
func locate(ctx context.Context, dir string) (*Repo, error) {
	if !filepath.IsAbs(dir) {
		return nil, api.Errorf(api.CodeInvalid, "the directory %q is not absolute", textsafe.Cut(dir, 200))
	}
	common, err := run{dir: dir}.line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, api.Errorf(api.CodeInvalid, "%s is in no git repository that can be read (%v): change into one, or name it by -C", textsafe.Cut(textsafe.Line(dir), 200), err)
	}
	return &Repo{Common: filepath.Clean(common)}, nil
}

// read reads the list of work trees.
func (r *Repo) read(ctx context.Context) error {
	out, err := run{dir: r.Common}.git(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return err
	}
	r.Root, r.Bare, r.Trees = "", false, nil
	r.parse(out)
	if len(r.Trees) == 0 && !r.Bare {
		return api.Errorf(api.CodeInternal, "git lists no work trees in %s", r.Common)
	}
	if r.Root == "" {
		r.Root = r.Common
	}
	for i := range r.Trees {
		r.Trees[i].locate(r)
		r.Trees[i].top = resolved(r.Trees[i].Path)
	}
	return nil
}

// parse reads the output of git worktree list --porcelain -z.
func (r *Repo) parse(out string) {
	first := true
	for entry := range strings.SplitSeq(out, "\x00\x00") {
		t := Tree{Main: first}
		bare := false
		for line := range strings.SplitSeq(entry, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				t.Path = value
			case "HEAD":
				if strings.Trim(value, "0") != "" {
					t.Head = value
				}
			case "branch":
				t.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "bare":
				bare = true
			case "locked":
				if t.Locked = value; value == "" {
					t.Locked = "no reason given"
				}
			}
		}
		if t.Path == "" {
			continue
		}
		if first = false; bare {
			r.Bare, r.Root = true, r.Common
			continue
		}
		if t.Main {
			r.Root = t.Path
		}
		r.Trees = append(r.Trees, t)
	}
}

// locate finds the tree's own directory in the repository, and whether both know each
// other.
func (t *Tree) locate(r *Repo) {
	if t.Main {
		t.GitDir, t.id = r.Common, inodeOf(t.Path)
		t.Missing = t.id == inode{}
		return
	}
	t.Missing = true
	if dir, ok := pointer(filepath.Join(t.Path, ".git")); ok && inodeOf(filepath.Dir(dir)) == inodeOf(filepath.Join(r.Common, "worktrees")) {
		back, err := readLine(filepath.Join(dir, "gitdir"))
		if err == nil && !filepath.IsAbs(back) {
			back = filepath.Join(dir, back)
		}
		if err == nil && inodeOf(filepath.Dir(back)) == inodeOf(t.Path) {
			t.GitDir, t.id, t.Missing = dir, inodeOf(t.Path), false
			return
		}
	}
	// The directory is gone or another one: git's entry is found by what it points to.
	entries, _ := os.ReadDir(filepath.Join(r.Common, "worktrees"))
	for _, e := range entries {
		dir := filepath.Join(r.Common, "worktrees", e.Name())
		if back, err := readLine(filepath.Join(dir, "gitdir")); err == nil && filepath.Dir(back) == t.Path {
			t.GitDir = dir
		}
	}
}

// pointer reads a .git file: the directory that it names.
func pointer(file string) (dir string, ok bool) {
	line, err := readLine(file)
	if err != nil {
		return "", false
	}
	dir, ok = strings.CutPrefix(line, "gitdir: ")
	if ok && !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return filepath.Clean(dir), ok
}

// readLine reads a file of one line.
func readLine(file string) (string, error) {
	data, err := untrusted.Read(file, maxPointer)
	return strings.TrimRight(string(data), "\n"), err
}

// resolved is a directory without symbolic links, or itself if that is not possible.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return filepath.Clean(dir)
}

// inside reports whether a directory is top or below it.
func inside(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, strings.TrimSuffix(top, "/")+"/")
}

// around is the innermost tree that contains a directory; nil: none does.
func (r *Repo) around(dir string) (found *Tree) {
	dir = resolved(dir)
	for i := range r.Trees {
		t := &r.Trees[i]
		if !t.Missing && inside(dir, t.top) && (found == nil || len(t.top) > len(found.top)) {
			found = t
		}
	}
	return found
}

// residents are the sessions that are, or were when they ended, inside each tree, by the tree's
// path. A session may be in several.
func (r *Repo) residents(sessions []Session) map[string][]Session {
	in := map[string][]Session{}
	for _, s := range sessions {
		var paths []string
		for _, dir := range s.Dirs {
			if t := r.around(dir); t != nil && !slices.Contains(paths, t.Path) {
				paths = append(paths, t.Path)
				in[t.Path] = append(in[t.Path], s)
			}
		}
	}
	return in
}

// live are those of sessions that run.
func live(sessions []Session) (run []Session) {
	for _, s := range sessions {
		if s.Live {
			run = append(run, s)
		}
	}
	return run
}

// occupants are the sessions that run inside a tree.
func (r *Repo) occupants(t *Tree, sessions []Session) (in []Session) {
	for _, s := range sessions {
		if s.Live && r.hosts(t, s) {
			in = append(in, s)
		}
	}
	return in
}

// hosts reports whether a session is, or was when it ended, inside a tree.
func (r *Repo) hosts(t *Tree, s Session) bool {
	for _, dir := range s.Dirs {
		if at := r.around(dir); at != nil && at.Path == t.Path {
			return true
		}
	}
	return false
}

// find finds a tree by path, branch or session.
func (r *Repo) find(ref, dir string, sessions []Session) (*Tree, error) {
	if ref == "" {
		return nil, api.Errorf(api.CodeInvalid, "no work tree is named: give a path, a branch or a session")
	}
	path := ref
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if id := inodeOf(resolved(path)); id != (inode{}) {
		for i := range r.Trees {
			if r.Trees[i].id == id {
				return &r.Trees[i], nil
			}
		}
	}
	for i := range r.Trees {
		t := &r.Trees[i]
		if t.Path == path || t.Branch != "" && t.Branch == strings.TrimPrefix(ref, "refs/heads/") {
			return t, nil
		}
	}
	if s, ok := sessionOf(ref, sessions); ok {
		for i := range r.Trees {
			if r.hosts(&r.Trees[i], s) {
				return &r.Trees[i], nil
			}
		}
		return nil, api.Errorf(api.CodeNotFound, "the session %s is in no work tree of %s: `ccdir worktree ls` lists them", s.Name, r.Root)
	}
	return nil, api.Errorf(api.CodeNotFound, "%q is no work tree, branch of one, or session in one: `ccdir worktree ls` lists them", textsafe.Cut(textsafe.Line(ref), 200))
}

// sessionOf finds a session by name, id, or a prefix that only its id has; of several with
// a name, the one that runs.
func sessionOf(ref string, sessions []Session) (Session, bool) {
	var named, prefixed []Session
	for _, s := range sessions {
		switch {
		case s.ID == ref:
			return s, true
		case s.Name == ref:
			named = append(named, s)
		case strings.HasPrefix(s.ID, ref):
			prefixed = append(prefixed, s)
		}
	}
	slices.SortStableFunc(named, func(a, b Session) int { return cmp.Compare(btoi(b.Live), btoi(a.Live)) })
	switch {
	case len(named) > 0:
		return named[0], true
	case len(prefixed) == 1:
		return prefixed[0], true
	}
	return Session{}, false
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxNested bounds the repositories inside a tree that are named.
const maxNested = 20

// nested are the repositories below a tree that are not its submodules, or are submodules
// with something of their own: the trash alone keeps what is in them.
func nested(ctx context.Context, t *Tree, status gitstatus.Status) (paths []string) {
	if t.Missing || t.Main {
		return nil
	}
	for _, path := range status.Folders {
		if isRepository(filepath.Join(t.Path, path)) && len(paths) < maxNested {
			paths = append(paths, strings.TrimSuffix(path, "/"))
		}
	}
	for _, sub := range submodules(ctx, t) {
		dir := filepath.Join(t.Path, sub.path)
		if !isRepository(dir) || len(paths) >= maxNested {
			continue
		}
		s, err := gitstatus.ReadWith(ctx, dir)
		if err != nil || s.Changed+s.Untracked+s.Conflicts > 0 || s.Commit != sub.commit || s.Branch != "(detached)" {
			paths = append(paths, sub.path)
		}
	}
	return paths
}

// isRepository reports whether a directory has a .git of its own.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// submodule is an entry of the index that stands for a commit of another repository.
type submodule struct{ path, commit string }

// submodules are those of a tree's index.
func submodules(ctx context.Context, t *Tree) (list []submodule) {
	if _, err := os.Lstat(filepath.Join(t.Path, ".gitmodules")); err != nil {
		return nil // without it, reading the whole index is not worth it
	}
	out, err := run{dir: t.Path}.git(ctx, "ls-files", "-z", "--stage")
	if err != nil {
		return nil
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && fields[0] == "160000" {
			list = append(list, submodule{path: path, commit: fields[1]})
		}
	}
	return list
}
