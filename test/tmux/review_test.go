package tmux

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changed makes a repository in which a file differs from what is committed, and returns its directory.
func (r *rig) changed() string {
	r.t.Helper()
	dir := filepath.Join(r.home, "repo")
	write := func(text string) {
		if err := os.MkdirAll(filepath.Join(dir, "pool"), 0o755); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "pool", "pool.go"), []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	write("package pool\n\nvar size = 8\n\nfunc Open() {}\n")
	r.run("git", "-C", dir, "init", "-q")
	r.run("git", "-C", dir, "add", ".")
	r.run("git", "-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "first")
	write("package pool\n\nvar size = 16\n\nfunc Open() {}\n\n// Close \x1b]0;title\x07 ends it.\nfunc Close() {}\n")
	return dir
}

// TestReview: the focused session's changes, in another scope, a search in them, and the file in the editor at the line.
func TestReview(t *testing.T) {
	r := newRig(t)
	dir := r.changed()
	note := filepath.Join(r.home, "edited")
	editor := filepath.Join(r.home, "vi")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho \"$@\" >"+note+"\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	r.env = append(r.env, "EDITOR="+editor)
	r.run("ccdir", "new", "-n", "work", "-C", dir, "--", "sh")
	g := r.grid(120, 36)
	g.shows("work", "PANE")
	g.keys("C-b", "v")
	g.shows("REVIEW", "pool/pool.go", "var size = 16", "1 file +4 −1", "uncommitted", "␛]0;title␇")
	g.keys("BTab")
	g.shows("compared with where the branch left")
	g.keys("/")
	g.text("close()")
	g.shows("FIND")
	g.keys("Enter")
	g.shows("next place", "pool.go:8")
	g.keys("E")
	r.eventually("the editor", func() bool {
		text, _ := os.ReadFile(note)
		return strings.TrimSpace(string(text)) == "+8 "+filepath.Join(dir, "pool", "pool.go")
	})
	g.shows("REVIEW", "func Close()")
}

// TestReviewComments: a draft is there again after a detach, and the step before sending says how many go to whom.
func TestReviewComments(t *testing.T) {
	r := newRig(t)
	r.run("ccdir", "new", "-n", "work", "-C", r.changed(), "--", "sh")
	g := r.grid(120, 36)
	g.shows("work", "PANE")
	g.keys("C-b", "v")
	g.shows("REVIEW", "var size = 16")
	g.keys("j", "j", "j", "j", "j", "c")
	g.shows("comment on pool/pool.go:3", "COMMENT")
	g.text("why twice as many?")
	g.keys("Tab")
	g.shows("question on pool/pool.go:3")
	g.keys("Enter")
	g.shows("question, draft: why twice as many?", "1 draft")
	g.keys("q")
	g.shows("PANE")
	g.detach()
	g = r.open("again", 120, 36, "exec ccdir")
	g.shows("work", "PANE")
	g.keys("C-b", "v")
	g.shows("question, draft: why twice as many?", "1 draft")
	g.keys("S")
	g.shows("send 1 comment (1 question) as one prompt", "to work, whose work it is")
}

// TestReviewKilled: a comment that is being written outlives the grid, which is killed.
func TestReviewKilled(t *testing.T) {
	r := newRig(t)
	r.run("ccdir", "new", "-n", "work", "-C", r.changed(), "--", "sh")
	g := r.shell("first")
	g.text("ccdir\n")
	g.shows("work", "PANE")
	g.keys("C-b", "v")
	g.shows("REVIEW", "var size = 16")
	g.keys("j", "j", "j", "j", "j", "c")
	g.shows("comment on pool/pool.go:3", "COMMENT")
	g.text("why twice as ")
	r.eventually("the daemon to have it", func() bool {
		return strings.Contains(r.run("ccdir", "review", "work", "--list"), "why twice as")
	})
	r.run("kill", "-KILL", g.process())
	g = r.open("again", 120, 36, "exec ccdir")
	g.shows("work", "PANE")
	g.keys("C-b", "v")
	g.shows("draft: why twice as", "1 draft")
	g.keys(")", "e")
	g.shows("COMMENT", "why twice as")
	g.text(" many?")
	g.keys("Enter")
	g.shows("draft: why twice as many?", "1 draft")
}
