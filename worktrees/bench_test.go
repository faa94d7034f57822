package worktrees

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
)

// BenchmarkLarge: work trees of a repository of 100,000 files: made by git and by ccdir, listed, and
// compared by the radar. CCDIR_TREES is their number (default 10).
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
		began := time.Now()
		do()
		b.Logf("%-28s %s", what, time.Since(began).Round(time.Millisecond))
	}
	for i := range trees {
		name := fmt.Sprint("t", i)
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
		if _, list, err := radar.Conflicts(b.Context(), p.dir, at); err != nil || len(list) != trees*(trees-1)/2 {
			b.Fatal(err, len(list))
		}
	}
	timed("radar, all trees", func() { look("") })
	for range 3 {
		timed("radar, after a turn in one", func() { look(p.sessions[0].Dirs[0]) })
	}
}
