package worktrees

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// rounds is how many random repositories TestAnyTree makes, kills how many random kills
// TestKilled does besides those at the named points.
var (
	rounds = flag.Int("rounds", 6, "random repositories")
	kills  = flag.Int("kills", 12, "kills at random moments")
	seed   = flag.Uint64("seed", 1, "of the random numbers")
)

// TestAnyTree: of any tree, a snapshot and a removal followed by a restore leave everything
// as it was, byte by byte, and for git too.
func TestAnyTree(t *testing.T) {
	t.Parallel()
	for i := range *rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(*seed, uint64(i))) //nolint:gosec // for tests
			p := newPlace(t)
			dir := p.anyTree(r)
			files, said := paths(t, dir), p.stateOf(dir)
			before := p.git("for-each-ref")
			gone, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true})
			if err != nil {
				t.Fatal(err)
			}
			if exists(dir) {
				t.Fatal("it is still there")
			}
			p.snapshotHas(gone, files)
			p.git("gc", "-q", "--prune=now")
			p.git("worktree", "prune", "--expire=now")
			back, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID})
			if err != nil || len(back.Notes) > 0 {
				t.Fatalf("%v %+v", err, back)
			}
			same(t, paths(t, dir), files)
			if now := p.stateOf(dir); now != said {
				t.Errorf("git says:\n%s\nand before:\n%s", now, said)
			}
			if now := p.git("for-each-ref"); now != before {
				t.Errorf("refs: %s, before: %s", now, before)
			}
			p.git("fsck", "--no-dangling")
		})
	}
}

// snapshotHas fails unless the snapshot commit has each regular file and link that is not in a
// repository of its own.
func (p *place) snapshotHas(gone api.RemovedWorktree, files map[string]string) {
	p.t.Helper()
	for path, is := range files {
		mode, content, _ := strings.Cut(is, " ")
		if mode[0] != '-' && mode[0] != 'L' || strings.HasPrefix(path, "own/") || strings.HasPrefix(path, "module/") {
			continue
		}
		// A file that git sees as unchanged is in the snapshot as git has it: with its own line ends.
		unix := strings.ReplaceAll(content, "\r\n", "\n")
		if got := p.git("cat-file", "blob", gone.Ref+":"+path); got != strings.TrimSuffix(content, "\n") && got != strings.TrimSuffix(unix, "\n") {
			p.t.Errorf("%q in the snapshot: %.60q, want %.60q", path, got, content)
		}
	}
}

// names are of files, as people and programs make them.
var names = []string{"plain.txt", "with blank.txt", "new\nline", "tab\t", "\xff\xfe", "-dash", "\"quoted\"", "ünï", "sub/deep/x", "CASE", "case", "cr\r", "x.o", "*star", "sub/[x]", ".hidden"}

// anyTree makes a repository with a random history and a random state of one work tree.
func (p *place) anyTree(r *rand.Rand) (dir string) {
	p.t.Helper()
	p.write(".gitignore", "*.o\n")
	if r.IntN(2) == 0 {
		p.write(".gitattributes", "*.txt text eol=crlf\nplain.txt filter=lfs\n")
	}
	p.write("lfs.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n")
	for range 2 + r.IntN(4) {
		p.scribble(r, p.dir)
		p.commit("some")
	}
	module := r.IntN(3) == 0
	if module {
		other := newPlace(p.t)
		p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.dir, "module")
		p.commit("module")
	}
	bare := r.IntN(5) == 0
	if bare { // the main tree goes
		repo := filepath.Join(filepath.Dir(p.dir), "bare.git")
		if err := os.Rename(filepath.Join(p.dir, ".git"), repo); err != nil {
			p.t.Fatal(err)
		}
		p.dir = repo
		p.git("config", "core.bare", "true")
	}
	dir = filepath.Join(filepath.Dir(p.dir), "trees", "a tree")
	if r.IntN(4) == 0 {
		dir = filepath.Join(elsewhere(p.t), "a tree")
	}
	switch r.IntN(4) {
	case 0:
		p.git("worktree", "add", "-q", "--detach", dir)
	default:
		p.git("worktree", "add", "-q", "-b", "topic", dir)
	}
	if module && r.IntN(2) == 0 {
		p.gitIn(dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	}
	if r.IntN(4) == 0 {
		p.gitIn(dir, "sparse-checkout", "set", "sub")
	}
	for range 1 + r.IntN(3) {
		p.scribble(r, dir)
		switch r.IntN(4) {
		case 0:
			p.gitIn(dir, "add", "--sparse", "-A")
		case 1:
			p.commitSparse(dir)
		}
	}
	if r.IntN(3) == 0 {
		p.gitIn(dir, "stash", "push", "-q", "--include-untracked")
		p.scribble(r, dir)
	}
	if r.IntN(5) == 0 { // no commit yet
		p.gitIn(dir, "checkout", "-q", "--orphan", "unborn")
		p.scribble(r, dir)
	}
	p.odd(r, dir, bare)
	return dir
}

// elsewhere is a directory on another file system than the tests' usual one, if there is one.
func elsewhere(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "trees")
	if err != nil {
		return resolved(t.TempDir())
	}
	t.Cleanup(func() { makeWritable(dir); _ = os.RemoveAll(dir) })
	return dir
}

func (p *place) commitSparse(dir string) {
	p.gitIn(dir, "add", "--sparse", "-A")
	p.gitIn(dir, "commit", "-q", "--allow-empty", "-m", "in the tree")
}

// scribble changes some files.
func (p *place) scribble(r *rand.Rand, dir string) {
	p.t.Helper()
	for range 1 + r.IntN(6) {
		name := names[r.IntN(len(names))]
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		switch {
		case err == nil && info.IsDir():
		case r.IntN(5) == 0:
			_ = os.Remove(path)
		case r.IntN(5) == 0 && err == nil && strings.EqualFold(name, "case") && !exists(filepath.Join(dir, "Case")):
			_ = os.Rename(path, filepath.Join(dir, "Case"))
		case r.IntN(5) == 0 && err == nil:
			_ = os.Rename(path, filepath.Join(dir, fmt.Sprint("moved", r.IntN(3))))
		case r.IntN(6) == 0:
			_ = os.Remove(path)
			_ = os.MkdirAll(filepath.Dir(path), 0o700)
			_ = os.Symlink([]string{"plain.txt", "/nowhere", "sub"}[r.IntN(3)], path)
		default:
			_ = os.Remove(path)
			text := strings.Repeat(fmt.Sprintf("line %d\r\n", r.IntN(9)), r.IntN(40)) + string([]byte{byte(r.IntN(256))})
			writeIn(p.t, dir, name, text)
			if r.IntN(4) == 0 {
				_ = os.Chmod(path, 0o755) //nolint:gosec // a program
			}
		}
	}
}

// odd adds what git does not know, or what is in its way.
func (p *place) odd(r *rand.Rand, dir string, bare bool) {
	p.t.Helper()
	if r.IntN(3) == 0 && !bare { // a merge with conflicts under way
		writeIn(p.t, dir, "both", "mine\n")
		p.commitSparse(dir)
		p.write("both", "theirs\n")
		p.commit("theirs")
		_, _ = run{dir: dir, user: true, env: os.Environ()}.git(p.t.Context(), "merge", "--no-edit", "main") // it may conflict
	}
	if r.IntN(3) == 0 {
		writeIn(p.t, dir, "own/x", "x")
		p.gitIn(filepath.Join(dir, "own"), "init", "-q")
	}
	if r.IntN(3) == 0 {
		_ = syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600)
	}
	if r.IntN(3) == 0 {
		writeIn(p.t, dir, "locked/x", "read only")
		_ = os.Chmod(filepath.Join(dir, "locked", "x"), 0o400)
		_ = os.Chmod(filepath.Join(dir, "locked"), 0o500) //nolint:gosec // a folder
		p.t.Cleanup(func() { makeWritable(dir) })
	}
	if r.IntN(3) == 0 {
		_ = os.MkdirAll(filepath.Join(dir, "empty", "folder"), 0o700)
	}
	_, _ = run{dir: dir}.git(p.t.Context(), "update-index", "-q", "--really-refresh", "--unmerged") // it fails where something differs
	if r.IntN(3) == 0 {
		gitDir := p.gitIn(dir, "rev-parse", "--absolute-git-dir")
		writeIn(p.t, gitDir, "index.lock", "")
	}
}
