package worktrees

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// fullVariable makes TestFullDisk do its work, in a mount namespace of its own.
const fullVariable = "WORKTREES_TEST_FULL"

// TestFullDisk: the disk is full in the middle of anything. What fails leaves everything as it
// was, and what is done can be undone byte by byte.
func TestFullDisk(t *testing.T) {
	disk := os.Getenv(fullVariable)
	if disk == "" {
		disk = t.TempDir()
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		mounted := `mount -t tmpfs -o size=6m none "$1" || { echo cannot mount; exit 0; }; shift; exec "$@"`
		cmd := exec.Command("unshare", "-rm", "sh", "-c", mounted, "sh", disk, exe, "-test.run=^TestFullDisk$", "-test.v", "-rounds", fmt.Sprint(*rounds))
		cmd.Env = append(os.Environ(), fullVariable+"="+disk)
		out, err := cmd.CombinedOutput()
		switch {
		case strings.Contains(string(out), "cannot mount"), err != nil && !strings.Contains(string(out), "FAIL"):
			t.Skipf("no small file system can be mounted here: %v: %s", err, out)
		case err != nil:
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	t.Setenv("TMPDIR", disk)
	step := 120
	if *rounds > 50 {
		step = 20
	}
	for _, kind := range []string{kindRemove, kindRestore, kindMerge, kindAdd} {
		for free := 0; free <= 600; free += step {
			t.Run(fmt.Sprint(kind, " ", free, "K"), func(t *testing.T) { fullDisk(t, kind, free<<10) })
		}
	}
}

// fullDisk does one operation with so many bytes free.
func fullDisk(t *testing.T, kind string, free int) {
	p := newPlace(t)
	p.git("config", "core.looseCompression", "0")
	p.write(".gitignore", "*.o\n")
	for i := range 12 {
		p.write(fmt.Sprint("f", i), strings.Repeat(fmt.Sprintln("old", i), 2000))
	}
	p.commit("many")
	dir := p.tree("topic")
	for i := range 8 {
		writeIn(t, dir, fmt.Sprint("f", i), strings.Repeat(fmt.Sprintln("new", i), 2000))
		writeIn(t, dir, fmt.Sprint("g", i), strings.Repeat(fmt.Sprintln("more", i), 2000))
	}
	p.commitIn(dir, "topic")
	if kind != kindMerge {
		writeIn(t, dir, "f1", strings.Repeat("changed\n", 2000))
		writeIn(t, dir, "x.o", strings.Repeat("ignored\n", 2000))
	}
	p.write("mine", "not committed")
	for i := range 12 { // with the rights that git gives
		if err := os.Remove(filepath.Join(p.dir, fmt.Sprint("f", i))); err != nil {
			t.Fatal(err)
		}
	}
	p.git("checkout-index", "-q", "-a")
	files, said, main := paths(t, dir), p.stateOf(dir), paths(t, p.dir)
	var gone api.RemovedWorktree
	if kind == kindRestore {
		var err error
		if gone, err = p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true}); err != nil {
			t.Fatal(err)
		}
	}
	filler := p.fill(free)
	var err error
	switch kind {
	case kindRemove:
		gone, err = p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: dir, Yes: true})
	case kindRestore:
		_, err = p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID})
	case kindMerge:
		_, err = p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "topic", Mode: api.MergeNoFF, Env: os.Environ()})
	case kindAdd:
		_, err = p.k.Add(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "another"})
	}
	t.Logf("%d bytes free: %v", free, err)
	if e := os.Remove(filler); e != nil {
		t.Fatal(e)
	}
	if out, e := p.k.Prune(t.Context(), p.dir); e != nil || len((&Repo{Common: filepath.Join(p.dir, ".git")}).records()) > 0 {
		t.Fatalf("%v %+v", e, out)
	}
	if kind == kindMerge {
		if err != nil {
			same(t, paths(t, p.dir), main)
		}
		if got := p.git("status", "--porcelain"); got != "?? mine" {
			t.Errorf("%q", got)
		}
		return
	}
	if trash, e := p.k.Trash(t.Context(), p.dir); e != nil || !exists(dir) && len(trash) != 1 {
		t.Fatalf("%v %+v", e, trash)
	} else if !exists(dir) {
		if _, e := p.k.Restore(t.Context(), api.RestoreWorktree{ID: trash[0].ID}); e != nil {
			t.Fatal(e)
		}
	}
	same(t, paths(t, dir), files)
	if now := p.stateOf(dir); now != said {
		t.Errorf("git says:\n%s\nand before:\n%s", now, said)
	}
	same(t, paths(t, p.dir), main)
	p.git("fsck", "--no-dangling", "--connectivity-only")
}

// fill fills the disk but for some bytes.
func (p *place) fill(free int) string {
	p.t.Helper()
	file := filepath.Join(filepath.Dir(p.dir), "filler")
	f, err := os.Create(file)
	if err != nil {
		p.t.Fatal(err)
	}
	block := make([]byte, 4096)
	var size int64
	for {
		n, err := f.Write(block)
		if size += int64(n); err != nil {
			break
		}
	}
	if err := f.Truncate(max(0, size-int64(free))); err != nil {
		p.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		p.t.Fatal(err)
	}
	return file
}
