package worktrees

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// mergePlace has a branch topic with two commits beside main, which has one more.
func mergePlace(t *testing.T) (p *place, dir string) {
	p = newPlace(t)
	dir = p.tree("topic")
	writeIn(t, dir, "b.txt", "b\n")
	p.commitIn(dir, "add b")
	writeIn(t, dir, "a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n")
	p.gitIn(dir, "-c", "user.name=author", "commit", "-qam", "seven\n\nin capitals")
	return p, dir
}

// TestMerge: each way, where the target is checked out and has a change of its own.
func TestMerge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode string
		// ahead: main has a commit of its own.
		ahead bool
		// log is what main has afterwards, "refused" if nothing.
		log string
	}{
		"plain, forward":  {api.MergePlain, false, "seven|add b|first"},
		"plain, apart":    {api.MergePlain, true, "Merge branch 'topic' into main|seven|add b|other|first"},
		"no-ff":           {api.MergeNoFF, false, "Merge branch 'topic' into main|seven|add b|first"},
		"ff":              {api.MergeFF, false, "seven|add b|first"},
		"ff, apart":       {api.MergeFF, true, "refused"},
		"squash":          {api.MergeSquash, true, "topic|other|first"},
		"squash, forward": {api.MergeSquash, false, "topic|first"},
		"rebase":          {api.MergeRebase, true, "seven|add b|other|first"},
		"rebase, forward": {api.MergeRebase, false, "seven|add b|first"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, dir := mergePlace(t)
			if test.ahead {
				p.write("c.txt", "c\n")
				p.commit("other")
			}
			p.write("mine.txt", "not committed")
			was, topic := p.git("rev-parse", "main"), p.git("rev-parse", "topic")
			in := api.MergeWorktree{Dir: p.dir, Tree: "topic", Mode: test.mode, Plan: true, Env: os.Environ()}
			plan, err := p.k.Merge(t.Context(), in)
			if test.log == "refused" {
				if api.CodeOf(err) != api.CodeConflict {
					t.Errorf("%v %+v", err, plan)
				}
				return
			}
			if err != nil || plan.Done || plan.Into != "main" || len(plan.Commits) != 2 || len(plan.Files) != 2 || p.git("rev-parse", "main") != was {
				t.Fatalf("%v %+v", err, plan)
			}
			in.Plan, in.Head, in.Target = false, plan.Head, plan.Target
			done, err := p.k.Merge(t.Context(), in)
			if err != nil || !done.Done || p.git("rev-parse", "main") != done.Commit || p.git("rev-parse", done.Undo) != was || p.git("rev-parse", "topic") != topic {
				t.Fatalf("%v %+v", err, done)
			}
			if got := strings.ReplaceAll(p.git("log", "--topo-order", "--format=%s", "main"), "\n", "|"); got != test.log {
				t.Errorf("%s, want %s", got, test.log)
			}
			if got := p.git("status", "--porcelain"); got != "?? mine.txt" {
				t.Errorf("%q", got)
			}
			if test.mode == api.MergeRebase {
				if got := p.git("log", "-1", "--format=%an|%b"); got != "author|in capitals\n" && got != "author|in capitals" {
					t.Errorf("%q", got)
				}
			}
			if w := p.list()["topic"]; w.Merged == "" {
				t.Errorf("%+v", w)
			}
			// The undo brings main back.
			p.git("reset", "-q", "--keep", done.Undo)
			if got := p.git("rev-parse", "main"); got != was || exists(filepath.Join(p.dir, "b.txt")) {
				t.Error("the undo")
			}
			_ = dir
		})
	}
}

// TestMergeRefused: what is said beforehand, and that nothing changes.
func TestMergeRefused(t *testing.T) {
	t.Parallel()
	p, dir := mergePlace(t)
	in := api.MergeWorktree{Dir: p.dir, Tree: "topic", Env: os.Environ()}
	refused := func(code api.Code, why string) {
		t.Helper()
		was, said := p.git("rev-parse", "main"), p.git("status", "--porcelain")
		m, err := p.k.Merge(t.Context(), in)
		if api.CodeOf(err) != code || !strings.Contains(err.Error(), why) || m.Done {
			t.Errorf("%v (%s), want %s: %s", err, api.CodeOf(err), code, why)
		}
		if p.git("rev-parse", "main") != was || p.git("status", "--porcelain") != said || p.git("for-each-ref", "refs/ccdir") != "" {
			t.Error("something changed")
		}
	}
	writeIn(t, dir, "b.txt", "changed\n")
	refused(api.CodeConflict, "1 changed file that no commit has")
	p.gitIn(dir, "checkout", "-q", "b.txt")
	in.Head = p.git("rev-parse", "main")
	refused(api.CodePrecondition, "has moved on")
	in.Head, in.Into = "", "nothing"
	refused(api.CodeInvalid, "no branch")
	in.Into = "topic"
	refused(api.CodeInvalid, "into itself")
	in.Into, in.Mode = "", "octopus"
	refused(api.CodeInvalid, "no way to merge")
	in.Mode = ""
	p.write("b.txt", "in the way")
	refused(api.CodeConflict, "b.txt in "+p.dir+" would be overwritten")
	p.write(".git/info/exclude", "b.txt\n") // git itself would write over it
	refused(api.CodeConflict, "b.txt in "+p.dir+" would be overwritten")
	p.write(".git/info/exclude", "")
	if err := os.Remove(filepath.Join(p.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	p.write("b.txt/mine", "in the way")
	refused(api.CodeConflict, "b.txt/mine in "+p.dir+" would be overwritten")
	if err := os.RemoveAll(filepath.Join(p.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	p.write("a.txt", "changed")
	refused(api.CodeConflict, "stays as it was")
	p.git("checkout", "-q", "a.txt")
	p.write(".git/MERGE_HEAD", p.git("rev-parse", "main"))
	refused(api.CodeConflict, "a merge is under way")
	if err := os.Remove(filepath.Join(p.dir, ".git", "MERGE_HEAD")); err != nil {
		t.Fatal(err)
	}
	p.write(".git/index.lock", "")
	refused(api.CodeConflict, "index.lock")
	if err := os.Remove(filepath.Join(p.dir, ".git", "index.lock")); err != nil {
		t.Fatal(err)
	}
	p.write("a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nSieben\n")
	p.commit("sieben")
	refused(api.CodeConflict, "conflicts with main in a.txt")
	in.Mode = api.MergeRebase
	refused(api.CodeConflict, "conflicts with main in a.txt")
	in.Plan = true
	if m, err := p.k.Merge(t.Context(), in); err != nil || len(m.Conflicts) != 1 || m.Conflicts[0] != "a.txt" {
		t.Errorf("%v %+v", err, m)
	}
}

// TestMergeElsewhere: a target that is checked out nowhere, or where a session lives.
func TestMergeElsewhere(t *testing.T) {
	t.Parallel()
	p, _ := mergePlace(t)
	p.git("branch", "release")
	m, err := p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "topic", Into: "release", Mode: api.MergeSquash, Message: "all of it", Env: os.Environ()})
	if err != nil || p.git("log", "-1", "--format=%s", "release") != "all of it" || len(m.Asks) > 0 {
		t.Errorf("%v %+v", err, m)
	}
	p.sessions = []Session{{ID: "x", Name: "other", Live: true, Dirs: []string{p.dir}}}
	m, err = p.k.Merge(t.Context(), api.MergeWorktree{Dir: p.dir, Tree: "topic", Plan: true})
	if err != nil || len(m.Asks) != 1 || !strings.Contains(m.Asks[0], "where other lives") {
		t.Errorf("%v %+v", err, m)
	}
}
