package worktrees

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"

	"golang.org/x/sys/unix"
)

// BenchmarkLarge: work trees of a repository of 100,000 files: made by git and by ccdir, listed, and
// compared by the radar; with the time that passes and that of processors. CCDIR_TREES is their
// number (default 10); those after the first ten have all files in the index and few on the disk.
func BenchmarkLarge(b *testing.B) {
	p := newPlace(b)
	for d := range 1000 {
		for f := range 100 {
			writeIn(b, p.dir, fmt.Sprintf("dir%d/sub%d/file%d.txt", d/50, d, f), fmt.Sprintf("%d %d\n", d, f))
		}
	}
	p.commit("all")
	trees := 10
	if n := os.Getenv("CCDIR_TREES"); n != "" {
		_, _ = fmt.Sscan(n, &trees)
	}
	timed := func(what string, do func()) {
		began, used := time.Now(), processors()
		do()
		b.Logf("%-28s %8s %8s", what, time.Since(began).Round(time.Millisecond), (processors() - used).Round(time.Millisecond))
	}
	for i := range trees {
		name := fmt.Sprint("t", i)
		if i >= 10 {
			p.git("worktree", "add", "-q", "--no-checkout", "-b", name, filepath.Join(p.state, name))
			p.gitIn(filepath.Join(p.state, name), "sparse-checkout", "set", "dir1/sub51")
			p.gitIn(filepath.Join(p.state, name), "checkout", "-q")
			continue
		}
		if i < 2 {
			timed("git worktree add", func() { p.git("worktree", "add", "-q", "-b", name, filepath.Join(p.state, name)) })
			continue
		}
		do := func() {
			if _, err := p.k.Add(b.Context(), api.NewWorktree{Dir: p.dir, Branch: name, Env: os.Environ()}); err != nil {
				b.Fatal(err)
			}
		}
		if i < 4 {
			timed("worktree add", do)
		} else {
			do()
		}
	}
	for i := range 4 {
		timed(fmt.Sprint("worktree ls, run ", i+1), func() { p.list() })
	}
	for _, w := range p.list() {
		if !w.Main {
			writeIn(b, w.Path, "dir1/sub51/file1.txt", w.Branch)
			p.sessions = append(p.sessions, Session{ID: w.Branch, Live: true, Dirs: []string{w.Path}})
		}
	}
	radar := NewRadar(p.k)
	look := func(at string) {
		if v, err := radar.Conflicts(b.Context(), p.dir, at); err != nil || len(v.Conflicts) != trees*(trees-1)/2 {
			b.Fatal(err, len(v.Conflicts))
		}
	}
	timed("radar, all trees", func() { look("") })
	for range 3 {
		timed("radar, nothing changed", func() { look(p.sessions[0].Dirs[0]) })
	}
	for i := range 3 {
		writeIn(b, p.sessions[0].Dirs[0], fmt.Sprintf("new%d.txt", i), "new")
		timed("radar, after a turn in one", func() { look(p.sessions[0].Dirs[0]) })
	}
	radar = NewRadar(p.k)
	writeIn(b, p.sessions[0].Dirs[0], "new.txt", "new")
	timed("radar, after a restart", func() { look(p.sessions[0].Dirs[0]) })
}

// processors is the processor time of this process and of those that it has waited for.
func processors() (used time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			used += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return used
}
