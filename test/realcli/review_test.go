package realcli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ccdir/api"
	"ccdir/test/fakeapi"
)

// reviewed is a script: the first turn writes a file, the turn of a review changes one line of it and replies
// to a comment by ccdir's tool.
type reviewed struct {
	mu      sync.Mutex
	file    string
	prompts []string // those that have comments
	steps   []fakeapi.Reply
	told    noted
}

func (s *reviewed) reply(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
	if !r.Main() {
		return fakeapi.Echo(ctx, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case strings.Contains(r.Prompt, "begin"):
		s.steps = []fakeapi.Reply{fakeapi.Tool("Write", map[string]any{"file_path": s.file, "content": "one\ntwo\nthree\n"})}
	case strings.Contains(r.Prompt, "a.txt:2"):
		s.prompts = append(s.prompts, r.Prompt)
		id := commentID(r.Prompt, "why one")
		s.steps = []fakeapi.Reply{
			fakeapi.Tool("Edit", map[string]any{"file_path": s.file, "old_string": "two", "new_string": "zwei"}),
			fakeapi.Tool("mcp__ccdir__git_diff", map[string]any{"scope": "turn"}),
			fakeapi.Tool("mcp__ccdir__review_reply", map[string]any{"id": id, "text": "because it is the first"}),
		}
	}
	if len(s.steps) == 0 {
		return fakeapi.Text("Done.")
	}
	next := s.steps[0]
	s.steps = s.steps[1:]
	return next
}

// commentID is the id in brackets of the comment with that text in a prompt.
func commentID(prompt, text string) string {
	before, _, ok := strings.Cut(prompt, text)
	open := strings.LastIndex(before, "[c")
	if !ok || open < 0 {
		return ""
	}
	id, _, _ := strings.Cut(before[open+1:], "]")
	return id
}

// TestReview: three comments on what a turn wrote reach the real CLI once, as one prompt; the next round shows
// what changed since, and each comment what became of it.
func TestReview(t *testing.T) {
	t.Parallel()
	s := &reviewed{}
	ctx, p := policed(t, "acceptEdits", "[roles.dev]\nallow = [\"*\"]\n", s.told.script(fakeapi.Connected(s.reply)))
	s.file = filepath.Join(p.Place.CWD, "a.txt")
	if err := os.WriteFile(filepath.Join(p.Place.CWD, "README"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "README"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", p.Place.CWD}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %s", out)
		}
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "begin")
	p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)
	if stat := p.Run(ctx, "diff", id, "--stat"); !strings.Contains(stat, "1 file +3") {
		t.Errorf("the first turn changed %q", stat)
	}
	p.Run(ctx, "diff", id, "--scope", "seen") // it was looked at
	p.Run(ctx, "review", id, "--comment", "a.txt:2", "in German, please", "--comment", "a.txt:3", "this one is good")
	p.Run(ctx, "review", id, "--comment", "a.txt:1", "why one", "--question")
	last := p.Event(ctx, id, 0, "Stop", hookEvent("Stop")).Seq
	p.Run(ctx, "review", id, "--send")
	p.Event(ctx, id, last, "the second Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)

	diff := p.Run(ctx, "diff", id)
	if !strings.Contains(diff, "-two") || !strings.Contains(diff, "+zwei") || strings.Contains(diff, "+three") {
		t.Errorf("round two shows\n%s", diff)
	}
	var list []api.ReviewComment
	if err := json.Unmarshal([]byte(p.Run(ctx, "review", id, "--list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	fates := map[string]string{}
	for _, c := range list {
		fates[c.Text] = string(c.State)
	}
	want := map[string]string{"in German, please": "changed", "this one is good": "untouched", "why one": "answered"}
	for text, state := range want {
		if fates[text] != state {
			t.Errorf("%q is %q, wanted %q", text, fates[text], state)
		}
	}
	if !s.told.has(`-two\n+zwei`) || s.told.has("README") {
		t.Errorf("the tool git_diff said of the turn\n%s", s.told.text.String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.prompts) != 1 {
		t.Errorf("the comments reached the model %d times\n%s", len(s.prompts), p.Dump())
	}
}

// TestPlanReviewed: comments on lines of a plan are the words with which the real CLI's request for approval is refused, also after
// the daemon was another one since; the next plan shows what became of them, and is approved.
func TestPlanReviewed(t *testing.T) {
	t.Parallel()
	var told noted
	ctx, p := policed(t, "plan", "[roles.dev]\nallow = [\"*\"]\n", told.script(planner("# Plan\n\nfirst the pool\nthen the tests", "# Plan\n\nfirst the tests\nthen the tests")))
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "make a plan")
	first, since := p.Request(ctx, id, 0)
	if first.Kind != api.RequestPlan {
		t.Fatalf("it asks %+v", first)
	}
	if text := p.Run(ctx, "diff", id, "--scope", "plan"); !strings.Contains(text, "first the pool") {
		t.Errorf("the plan is shown as\n%s", text)
	}
	p.Run(ctx, "review", id, "--scope", "plan", "--comment", "plan.md:3", "the tests are first", "--comment", "plan.md:4", "good")
	p.Run(ctx, "daemon", "restart")
	p.Run(ctx, "review", id, "--scope", "plan", "--send")
	second, _ := p.Request(ctx, id, since)
	if second.ID == first.ID {
		t.Fatalf("the same request asks again: %+v\n%s", second, p.Dump())
	}
	if !told.has("1. the plan:3 [") || !told.has("> first the pool") || !told.has("the tests are first") || !told.has("2. the plan:4 [") {
		t.Errorf("the agent was told\n%s", told.text.String())
	}
	var list []api.ReviewComment
	if err := json.Unmarshal([]byte(p.Run(ctx, "review", id, "--list", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].State != api.CommentChanged || list[1].State != api.CommentUntouched {
		t.Errorf("the comments are %+v", list)
	}
	p.Run(ctx, "approve", second.ID)
	p.Event(ctx, id, since, "Stop", hookEvent("Stop"))
}

// TestReviewOutsideGit: in a directory without git, what the real CLI's tools write is compared with what it was before, by turns; a
// comment on it is sent, and its fate told; nothing of the directory is touched.
func TestReviewOutsideGit(t *testing.T) {
	t.Parallel()
	s := &reviewed{}
	ctx, p := policed(t, "acceptEdits", "[roles.dev]\nallow = [\"*\"]\n", fakeapi.Connected(s.reply))
	s.file = filepath.Join(p.Place.CWD, "a.txt")
	if err := os.RemoveAll(filepath.Join(p.Place.CWD, ".git")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Place.CWD, "by-hand"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := p.New(ctx)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", id, "begin")
	last := p.Event(ctx, id, 0, "Stop", hookEvent("Stop")).Seq
	p.State(ctx, id, api.StateIdle)
	if stat := p.Run(ctx, "diff", id, "--stat"); !strings.Contains(stat, "1 file +3") || !strings.Contains(stat, "a.txt") {
		t.Errorf("the first turn changed %q", stat)
	}
	p.Run(ctx, "review", id, "--comment", "a.txt:2", "in German, please", "--comment", "a.txt:1", "why one")
	p.Run(ctx, "review", id, "--send")
	p.Event(ctx, id, last, "the second Stop", hookEvent("Stop"))
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "daemon", "restart")
	var d api.ReviewDiff
	if err := json.Unmarshal([]byte(p.Run(ctx, "diff", id, "--json")), &d); err != nil {
		t.Fatal(err)
	}
	if d.Turn == nil || *d.Turn != 2 || d.Added != 1 || d.Removed != 1 || !strings.Contains(d.Note, "outside of git") {
		t.Errorf("the second turn changed %+v", d)
	}
	if all := p.Run(ctx, "diff", id, "--scope", "session"); !strings.Contains(all, "+zwei") || strings.Contains(all, "by-hand") || strings.Contains(all, "-two") {
		t.Errorf("the session changed\n%s", all)
	}
	if list := p.Run(ctx, "review", id, "--list"); !strings.Contains(list, "changed") || !strings.Contains(list, "answered") {
		t.Errorf("the comments:\n%s", list)
	}
	entries, err := os.ReadDir(p.Place.CWD)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "a.txt" && e.Name() != "by-hand" && e.Name() != ".claude" {
			t.Errorf("there is %s", e.Name())
		}
	}
}
