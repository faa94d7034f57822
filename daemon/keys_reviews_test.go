package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/daemon/reviews"
	"ccdir/sessions"
)

// changedRepo makes a repository in which two lines of a file are changed.
func (p *place) changedRepo(name string) (dir string) {
	p.t.Helper()
	dir = filepath.Join(p.paths.Home, name)
	file := filepath.Join(dir, "a.txt")
	if err := os.Mkdir(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("1\n2\n3\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "one"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			p.t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := os.WriteFile(file, []byte("one\n2\nthree\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return dir
}

// TestKeysInReviews: wherever the daemon dies, comments are sent once and none is lost, and changes are put back and undone
// once.
func TestKeysInReviews(t *testing.T) {
	t.Parallel()
	each(t, around(reviews.PauseSend, reviews.PauseSent), func(p *place, n int, point string) {
		p.spawn()
		dir := p.changedRepo(fmt.Sprint("repo", n))
		s := p.create(api.NewSession{CWD: dir, Agent: "demo"})
		p.wait(s.ID, api.StateIdle)
		at := "/v1/sessions/" + s.ID
		for line := 1; line <= 3; line++ {
			p.call("POST", at+"/review/comments", api.NewComment{Path: "a.txt", Line: line, Text: fmt.Sprintf("words %d", line), Scope: api.DiffUncommitted}, nil)
		}
		p.kill9()
		p.once(point, fmt.Sprint("send", n), keyed{"POST", at + "/review/send", api.SendComments{}})
		p.settled()
		until(t, "the prompt", func() bool { return len(p.prompts(s.ID)) > 0 })
		var list []api.ReviewComment
		p.call("GET", at+"/review/comments", nil, &list)
		for _, c := range list {
			if c.Round != 1 || c.State == api.CommentDraft {
				t.Errorf("%s: %+v", point, c)
			}
		}
		got := p.prompts(s.ID)
		if text := strings.Join(got, "\n"); len(list) != 3 || len(got) != 1 || strings.Count(text, "words 1")+strings.Count(text, "words 2")+strings.Count(text, "words 3") != 3 {
			t.Errorf("%s: %d comments, the agent took %q", point, len(list), got)
		}
		if strings.HasPrefix(point, "review-") {
			return
		}
		var d api.ReviewDiff
		p.call("GET", at+"/diff?scope=uncommitted", nil, &d)
		p.kill9()
		one := &api.LineRange{From: 1, End: 1}
		p.once(point, fmt.Sprint("back", n), keyed{"POST", at + "/review/changes", api.ReviewChange{Do: api.ReviewPutBack, Base: d.Base, Head: d.Head, Path: "a.txt", Old: one, New: one}})
		if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "1\n2\nthree\n" {
			t.Errorf("%s: put back, it is %q %v", point, text, err)
		}
		p.kill9()
		p.once(point, fmt.Sprint("undo", n), keyed{"POST", at + "/review/undo", nil})
		if text, err := os.ReadFile(filepath.Join(dir, "a.txt")); err != nil || string(text) != "one\n2\nthree\n" {
			t.Errorf("%s: undone, it is %q %v", point, text, err)
		}
	})
}

// TestKeysInPlans: wherever the daemon dies, comments on a plan refuse it, once, and none is lost.
func TestKeysInPlans(t *testing.T) {
	t.Parallel()
	each(t, around(reviews.PauseSend, sessions.PauseRecorded, reviews.PauseRefused), func(p *place, n int, point string) {
		p.spawn()
		s := p.create(api.NewSession{Agent: "demo"})
		p.wait(s.ID, api.StateIdle)
		at := "/v1/sessions/" + s.ID
		p.call("POST", at+"/input", api.SendPrompt{Text: "permit ExitPlanMode # Plan | one | two", Wait: true}, nil)
		request := p.request(s)
		for line := 2; line <= 3; line++ {
			p.call("POST", at+"/review/comments", api.NewComment{Path: api.PlanPath, Line: line, Text: fmt.Sprintf("words %d", line), Scope: api.DiffPlan}, nil)
		}
		p.kill9()
		p.once(point, fmt.Sprint("plan", n), keyed{"POST", at + "/review/send", api.SendComments{Scope: api.DiffPlan}})
		p.settled()
		p.wait(s.ID, api.StateIdle)
		until(t, point+": the refusal", func() bool { return strings.Contains(p.screen(s.ID), "words 3") })
		var list []api.ReviewComment
		p.call("GET", at+"/review/comments", nil, &list)
		for _, c := range list {
			if c.Round != 1 || c.State != api.CommentSent || c.Head != request.ID {
				t.Errorf("%s: %+v", point, c)
			}
		}
		if text := p.screen(s.ID); len(list) != 2 || strings.Count(text, "words 2") != 1 || len(p.approvals()) > 0 {
			t.Errorf("%s: %d comments, %d requests, the agent shows\n%s", point, len(list), len(p.approvals()), text)
		}
		p.wantCode(api.CodeConflict, "POST", at+"/review/send", api.SendComments{}) // nothing is left to send
	})
}

// TestWrittenUnseen: outside of git, what a tool wrote while no daemon ran is not shown as if the file had been so before.
func TestWrittenUnseen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.spawn()
	dir := t.TempDir()
	s := p.create(api.NewSession{CWD: dir, Agent: "claude", Argv: sh("exec sleep 1000")})
	if err := p.hook(s, claude.HookUserPromptSubmit, "0001-id", hookJSON(claude.HookUserPromptSubmit, `"prompt":"write"`)); err != nil {
		t.Fatal(err)
	}
	token := p.token(s)
	p.kill9()
	write := func(id, name string) {
		t.Helper()
		file := filepath.Join(dir, name)
		p.spool(s, id, claude.HookPreToolUse, hookJSON(claude.HookPreToolUse, fmt.Sprintf(`"tool_name":"Write","tool_use_id":%q,"tool_input":{"file_path":%q,"content":"x"}`, id, file)), token)
		if err := os.WriteFile(file, []byte("by a tool\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0002-id", "unseen")
	p.spawn()
	seen := filepath.Join(dir, "seen")
	if err := p.hook(s, claude.HookPreToolUse, "0003-id", hookJSON(claude.HookPreToolUse, fmt.Sprintf(`"tool_name":"Write","tool_use_id":"t3","tool_input":{"file_path":%q,"content":"x"}`, seen))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(seen, []byte("by a tool\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.hook(s, claude.HookStop, "0004-id", hookJSON(claude.HookStop, "")); err != nil {
		t.Fatal(err)
	}
	var d api.ReviewDiff
	until(t, "the turn", func() bool {
		d = api.ReviewDiff{}
		return p.try("GET", "/v1/sessions/"+s.ID+"/diff?scope=turn", nil, &d) == nil && !d.Running
	})
	var got []string
	for _, f := range d.Files {
		got = append(got, f.Status+" "+f.Path+" "+f.LeftOut)
	}
	slices.Sort(got)
	if text := strings.Join(got, ", "); text != "added seen , changed unseen late" {
		t.Errorf("%s; %s", text, d.Note)
	}
}
