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

// TestTraps: no program that a repository names runs when ccdir lists, compares, saves, removes,
// restores or forgets its work trees, or plans to merge one, also of files as young as the index,
// which git has to read. It uses the git that comes first in PATH.
func TestTraps(t *testing.T) {
	t.Parallel()
	for name := range traptest.Traps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			mark := filepath.Join(filepath.Dir(p.dir), "mark")
			dirs := p.trap(name, "touch "+mark)
			plan := func(tree string) error {
				_, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: tree, Into: "main", Mode: api.MergeNoFF, Plan: true})
				return err
			}
			looks := map[string]func() error{
				"ls":     func() error { _, err := p.k.List(t.Context(), p.dir, true); return err },
				"radar":  func() error { _, err := NewRadar(p.k).Conflicts(t.Context(), p.dir, ""); return err },
				"status": func() error { _, err := gitstatus.Read(t.Context(), dirs[0]); return err },
				"diff":   func() error { _, err := gitstatus.Run(t.Context(), dirs[0], "diff", "-p", "HEAD"); return err },
				"log":    func() error { _, err := gitstatus.Run(t.Context(), dirs[0], "log", "-p", "HEAD"); return err },
				"pr":     func() error { _, err := p.k.Branch(t.Context(), p.dir, "a"); return err },
				"apart":  func() error { p.k.Apart(t.Context(), dirs[0]); return nil },
				"setup": func() error {
					_, err := p.k.SetupOf(t.Context(), api.NewWorktree{Dir: p.dir, Branch: "new"})
					return err
				},
				"merge":                      func() error { _ = plan("a"); return nil }, // it may find changes in the tree
				"merge of what is committed": func() error { return plan("c") },
			}
			for verb, look := range looks {
				if err := look(); err != nil {
					t.Errorf("%s: %v", verb, err)
				}
				if os.Remove(mark) == nil {
					t.Errorf("%s ran a program of the repository", verb)
				}
			}
			p.sessions = nil
			gone, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "a", Yes: true})
			if err != nil || exists(mark) {
				t.Fatalf("rm ran a program of the repository: %v %v", exists(mark), err)
			}
			if _, err := p.k.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID}); err != nil || exists(mark) {
				t.Fatalf("restore ran a program of the repository: %v %v", exists(mark), err)
			}
			if _, err := p.k.Remove(t.Context(), api.RemoveWorktree{Dir: p.dir, Tree: "c", Yes: true}); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(dirs[1]); err != nil {
				t.Fatal(err)
			}
			p.k.o.Now = func() time.Time { return time.Now().Add(TrashTime) }
			pruned, err := p.k.Prune(t.Context(), p.dir)
			if err != nil || exists(mark) || len(pruned.Forgotten) != 1 || len(pruned.Expired) != 1 {
				t.Errorf("prune ran a program of the repository: %v; %+v %v", exists(mark), pruned, err)
			}
		})
	}
}

// trap makes two work trees with sessions that have changed the same file, one of them also a
// file that git has to read because it is as young as the index, and one whose changes are
// committed, and sets a trap in the repository. The commits have signatures.
func (p *place) trap(trap, command string) (dirs []string) {
	p.t.Helper()
	for _, name := range []string{"a", "b"} {
		dir := p.tree(name)
		dirs = append(dirs, dir)
		p.sessions = append(p.sessions, Session{ID: "s" + name, Name: name, Live: true, Dirs: []string{dir}})
		writeIn(p.t, dir, "a.txt", name+"\n")
		p.commitIn(dir, name)
		traptest.Sign(p.t, dir)
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
	clean := p.tree("c")
	writeIn(p.t, clean, "a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n")
	p.commitIn(clean, "c")
	traptest.Sign(p.t, clean)
	p.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n")
	p.commit("main")
	traptest.Sign(p.t, p.dir)
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
