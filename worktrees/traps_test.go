package worktrees

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/gitstatus"
	"ccdir/internal/gitstatus/traptest"
)

// TestTraps: no program that a repository names runs when ccdir lists, compares, saves or removes
// its work trees, also of files as young as the index, which git has to read. It uses the git that
// comes first in PATH.
func TestTraps(t *testing.T) {
	t.Parallel()
	for name := range traptest.Traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			mark := filepath.Join(filepath.Dir(p.dir), "mark")
			dirs := p.trap(name, "touch "+mark)
			looks := map[string]func() error{
				"ls":     func() error { _, err := p.k.List(t.Context(), p.dir, true); return err },
				"radar":  func() error { _, err := NewRadar(p.k).Conflicts(t.Context(), p.dir, ""); return err },
				"status": func() error { _, err := gitstatus.Read(t.Context(), dirs[0]); return err },
				"diff":   func() error { _, err := gitstatus.Run(t.Context(), dirs[0], "diff", "-p", "HEAD"); return err },
				"pr":     func() error { _, err := p.k.Branch(t.Context(), p.dir, "a"); return err },
				"merge": func() error { // only a plan: it may find changes in the tree
					_, _ = p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "a", Mode: api.MergeNoFF, Plan: true})
					return nil
				},
			}
			for verb, look := range looks {
				if err := look(); err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				if exists(mark) {
					t.Fatalf("%s ran a program of the repository", verb)
				}
			}
			p.sessions = nil
			if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "a", Yes: true}); err != nil {
				t.Error("rm:", err)
			}
			if exists(mark) {
				t.Error("rm ran a program of the repository")
			}
		})
	}
}

// trap makes two work trees with sessions that have changed the same file, one of them also a
// file that git has to read because it is as young as the index, and sets a trap in the
// repository.
func (p *place) trap(trap, command string) (dirs []string) {
	p.t.Helper()
	for _, name := range []string{"a", "b"} {
		dir := p.tree(name)
		dirs = append(dirs, dir)
		p.sessions = append(p.sessions, Session{ID: "s" + name, Name: name, Live: true, Dirs: []string{dir}})
		writeIn(p.t, dir, "a.txt", name+"\n")
		p.commitIn(dir, name)
		writeIn(p.t, dir, "young.txt", name+"\n")
		when := time.Now().Add(-time.Hour).Truncate(time.Second)
		touch := func(file string) {
			if err := os.Chtimes(file, when, when); err != nil {
				p.t.Fatal(err)
			}
		}
		touch(filepath.Join(dir, "young.txt"))
		p.gitIn(dir, "add", "-A")
		touch(filepath.Join(p.dir, ".git", "worktrees", name, "index"))
		writeIn(p.t, dir, "a.txt", name+"!\n")
	}
	traptest.Set(p.t, p.dir, trap, command)
	return dirs
}

// TestTrapSetMeanwhile: a filter that a session adds to the settings after git listed them, and
// before it compares the files.
func TestTrapSetMeanwhile(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	mark := filepath.Join(filepath.Dir(p.dir), "mark")
	dirs := p.trap("", "true")
	bin := t.TempDir()
	writeIn(t, bin, "git", fmt.Sprintf("#!/bin/sh\n%s \"$@\"; s=$?\ncase \"$*\" in *--get-regexp*|*--list*) %s -C %s config filter.t.clean 'touch %s; cat';; esac\nexit $s\n", real, real, p.dir, mark))
	if err := os.Chmod(filepath.Join(bin, "git"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if _, err := gitstatus.Read(t.Context(), dirs[0]); err != nil {
		t.Error(err)
	}
	if exists(mark) {
		t.Error("a filter that was set meanwhile ran")
	}
}
