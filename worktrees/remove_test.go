package worktrees

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

// same fails unless two sets of paths are the same.
func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got[path] != want[path] {
			t.Errorf("%q: %.80q, want %.80q", path, got[path], want[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok {
			t.Errorf("%q is new", path)
		}
	}
}

// state is what git says of a tree.
func (p *place) stateOf(dir string) string {
	p.t.Helper()
	log, _ := os.ReadFile(filepath.Join(p.gitIn(dir, "rev-parse", "--absolute-git-dir"), "logs", "HEAD")) // none before the first commit
	return p.gitIn(dir, "status", "--porcelain=v2", "--branch", "--ignored") + "\n" + p.gitIn(dir, "ls-files", "--stage", "--debug") + "\n" + p.gitIn(dir, "stash", "list") + "\n" + string(log)
}

// TestRemoveAndRestore: everything is back byte by byte, and git says the same.
func TestRemoveAndRestore(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write(".gitignore", "*.o\n")
	p.write("gone.txt", "x")
	p.write("moved.txt", strings.Repeat("moved\n", 20))
	p.commit("second")
	dir := p.tree("topic")
	writeIn(t, dir, "a.txt", "staged\n")
	p.gitIn(dir, "add", "a.txt")
	writeIn(t, dir, "a.txt", "staged, then changed\r\n")
	p.gitIn(dir, "mv", "moved.txt", "here.txt")
	if err := os.Remove(filepath.Join(dir, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, "new\nline \xff.txt", "untracked")
	writeIn(t, dir, "x.o", "ignored")
	if err := os.Symlink("/nowhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	files, said := paths(t, dir), p.stateOf(dir)
	in := api.RemoveWorktree{Dir: p.dir, Tree: "topic"}
	if _, err := p.k.Remove(t.Context(), in); api.CodeOf(err) != api.CodeAsks {
		t.Fatalf("a question: %v", err)
	}
	in.Yes = true
	gone, err := p.k.Remove(t.Context(), in)
	if err != nil || gone.Path != dir || exists(dir) || !exists(filepath.Join(gone.Trash, "x.o")) || len(gone.Left) > 0 || !gone.BranchDeleted {
		t.Fatalf("%v %+v", err, gone)
	}
	if list := p.list(); len(list) != 1 {
		t.Errorf("%+v", list)
	}
	if out := p.git("branch", "--list", "topic"); out != "" {
		t.Errorf("the branch is left: %s", out)
	}
	// The snapshot alone has everything, too.
	for path, content := range map[string]string{"a.txt": "staged, then changed\r\n", "new\nline \xff.txt": "untracked", "x.o": "ignored", "link": "/nowhere", "here.txt": strings.Repeat("moved\n", 20)} {
		if got := p.git("cat-file", "blob", gone.Ref+":"+path); got != strings.TrimSuffix(content, "\n") {
			t.Errorf("%q in the snapshot: %.40q", path, got)
		}
	}
	if got := p.git("cat-file", "blob", gone.Ref+"^2:a.txt"); got != "staged" {
		t.Errorf("staged: %q", got)
	}
	list, err := p.k.Trash(t.Context(), p.dir)
	if err != nil || len(list) != 1 || list[0].ID != gone.ID {
		t.Errorf("%v %+v", err, list)
	}
	p.git("gc", "-q", "--prune=now")
	p.git("worktree", "prune", "--expire=now")
	back, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.Trash})
	if err != nil || back.Path != dir || len(back.Notes) > 0 {
		t.Fatalf("%v %+v", err, back)
	}
	same(t, paths(t, dir), files)
	if now := p.stateOf(dir); now != said {
		t.Errorf("git says:\n%s\nand before:\n%s", now, said)
	}
	if left, err := p.k.Trash(t.Context(), ""); err != nil || len(left) > 0 {
		t.Errorf("%v %+v", err, left)
	}
	if refs := p.git("for-each-ref", "refs/ccdir"); refs != "" {
		t.Errorf("refs are left: %s", refs)
	}
	if _, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID}); api.CodeOf(err) != api.CodeNotFound || !strings.Contains(err.Error(), "was restored to "+dir) {
		t.Errorf("once more: %v", err)
	}
}

// TestStays: what nothing overrides.
func TestStays(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	remove := func(ref string) error {
		_, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: ref, Yes: true})
		return err
	}
	refused := func(ref, why string) {
		t.Helper()
		if err := remove(ref); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %s", ref, err, why)
		}
		if !exists(p.dir) || !exists(dir) {
			t.Fatal("a directory is gone")
		}
	}
	refused("main", "main work tree")
	refused(p.dir, "main work tree")
	link := filepath.Join(t.TempDir(), "topic")
	if err := os.Symlink(p.dir, link); err != nil {
		t.Fatal(err)
	}
	refused(link, "main work tree") // by inode, not by name
	p.sessions = []Session{{ID: "s1", Name: "worker", Live: true, Dirs: []string{"/", dir}}}
	refused("topic", "worker lives there")
	refused("worker", "worker lives there")
	p.sessions[0].Live = false
	p.git("worktree", "lock", "--reason", "mine", dir)
	refused("worker", "locked it (mine)")
	p.git("worktree", "unlock", dir)
	refused("nothing", "is no work tree")
	if err := remove("worker"); err != nil || exists(dir) {
		t.Error(err)
	}
}

// TestBranchMovedOn: a restore changes nothing in the tree even if its branch is elsewhere.
func TestBranchMovedOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	writeIn(t, dir, "b.txt", "b")
	head := p.commitIn(dir, "b")
	gone, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true})
	if err != nil || gone.BranchDeleted || p.git("rev-parse", "topic") != head {
		t.Fatalf("a branch that is not merged stays: %v %+v", err, gone)
	}
	p.git("branch", "-f", "topic", "main")
	back, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID, Path: dir + "-2"})
	if err != nil || len(back.Notes) != 1 || !strings.Contains(back.Notes[0], "moved on") {
		t.Fatalf("%v %+v", err, back)
	}
	if out := p.gitIn(dir+"-2", "status", "--porcelain=v2", "--branch"); !strings.Contains(out, "branch.oid "+head) || !strings.Contains(out, "(detached)") || strings.Contains(out, "\n1 ") {
		t.Error(out)
	}
}

// TestExpires: the trash is emptied after its time, and not before.
func TestExpires(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	now := time.Now()
	p.k.o.Now = func() time.Time { return now }
	dir := p.tree("topic")
	writeIn(t, dir, "ro/x", "x")
	if err := os.Chmod(filepath.Join(dir, "ro"), 0o500); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	gone, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(TrashTime - time.Second)
	if out := p.k.EmptyTrash(t.Context()); len(out) > 0 || !exists(gone.Trash) {
		t.Errorf("%q", out)
	}
	now = now.Add(time.Second)
	if out, err := p.k.Prune(t.Context(), p.dir); err != nil || len(out.Expired) != 1 || exists(gone.Trash) || p.git("for-each-ref", "refs/ccdir") != "" {
		t.Errorf("%v %+v", err, out)
	}
}

// TestPrune: an entry whose directory is gone, with a commit and something staged that
// nothing else has.
func TestPrune(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := filepath.Join(filepath.Dir(p.dir), "det")
	p.git("worktree", "add", "-q", "--detach", dir)
	writeIn(t, dir, "b.txt", "b")
	commit := p.commitIn(dir, "b")
	writeIn(t, dir, "c.txt", "staged")
	p.gitIn(dir, "add", "c.txt")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	out, err := p.k.Prune(t.Context(), p.dir)
	if err != nil || len(out.Forgotten) != 1 || len(p.list()) != 1 {
		t.Fatalf("%v %+v", err, out)
	}
	p.git("gc", "-q", "--prune=now")
	p.git("cat-file", "-e", commit)
	if ref := strings.Fields(p.git("for-each-ref", "refs/ccdir")); len(ref) != 3 {
		t.Errorf("%q", ref)
	}
}

// TestMove: a tree goes elsewhere, and git follows.
func TestMove(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	to := filepath.Join(filepath.Dir(p.dir), "elsewhere", "t")
	if _, err := p.k.Move(t.Context(), api.MoveWorktree{Dir: p.dir, Tree: "topic", Path: to}); err != nil {
		t.Fatal(err)
	}
	if w := p.list()["topic"]; w.Path != to || w.Missing || exists(dir) {
		t.Errorf("%+v", w)
	}
	p.gitIn(to, "status")
	p.git("worktree", "prune", "--expire=now")
	p.sessions = []Session{{ID: "s", Live: true, Dirs: []string{to}}}
	if _, err := p.k.Move(t.Context(), api.MoveWorktree{Dir: p.dir, Tree: "topic", Path: dir}); api.CodeOf(err) != api.CodeConflict {
		t.Errorf("%v", err)
	}
}

// TestRestoreAgain: a call that a crash interrupted is answered when it comes again, and no
// other.
func TestRestoreAgain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	gone, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true})
	if err != nil {
		t.Fatal(err)
	}
	p.pause = func(point string) {
		if point == PauseRestoreGit {
			panic("a crash")
		}
	}
	in := api.RestoreWorktree{ID: gone.ID, Request: "call"}
	func() {
		defer func() { _ = recover() }()
		_, _ = p.k.Restore(t.Context(), in)
	}()
	p.pause = nil
	back, err := p.k.Restore(t.Context(), in)
	if err != nil || back.Path != dir || len(back.Notes) != 1 || !exists(dir) {
		t.Errorf("%v %+v", err, back)
	}
	in.Request = "another call"
	if _, err := p.k.Restore(t.Context(), in); api.CodeOf(err) != api.CodeNotFound {
		t.Errorf("%v", err)
	}
	p.k.o.Now = func() time.Time { return time.Now().Add(TrashTime) }
	if out := p.k.EmptyTrash(t.Context()); len(out) > 0 || len(p.k.trashedAll()) > 0 {
		t.Errorf("%q", out)
	}
}

// TestMoveIntoTheRepository: a tree that would be untracked in another one is not moved there; a
// place that git ignores is one.
func TestMoveIntoTheRepository(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.tree("topic")
	for _, to := range []string{filepath.Join(p.dir, "grid2"), filepath.Join(p.dir, "deep", "grid2")} {
		_, err := p.k.Move(t.Context(), api.MoveWorktree{Dir: p.dir, Tree: "topic", Path: to})
		if api.CodeOf(err) != api.CodeInvalid || !strings.Contains(err.Error(), "name an absolute path outside, such as "+p.dir+".grid2") || !exists(dir) || exists(filepath.Join(p.dir, "deep")) {
			t.Errorf("%s: %v", to, err)
		}
	}
	p.write(".gitignore", "/trees/\n")
	if _, err := p.k.Move(t.Context(), api.MoveWorktree{Dir: p.dir, Tree: "topic", Path: filepath.Join(p.dir, "trees", "grid2")}); err != nil {
		t.Errorf("to an ignored place: %v", err)
	}
}
