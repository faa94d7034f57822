package enforce

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ccdir/api"
)

// TestTaskFacts: conditions about labels, cost and tokens get those of the task
// that runs in the session, as it is now.
func TestTaskFacts(t *testing.T) {
	p := newRig(t, `
[[roles.dev.rule]]
match = "Bash"
effect = "deny"
when = '"frozen" in labels'
[[roles.dev.rule]]
match = "Bash"
effect = "ask"
when = 'cost > 2 || tokens > 1000 || label == "risky"'
`, nil)
	task := api.Task{ID: "t1"}
	p.o.Task = func(id string) (api.Task, bool) { return task, id == task.ID }
	use := func(task string) string {
		c := p.sessions["dev"]
		c.Task = task
		return p.Use(c, api.ToolUse{Tool: "Bash", Input: bash("ls")}).Effect
	}
	for _, c := range []struct {
		change func()
		task   string
		want   string
	}{
		{func() {}, "t1", api.EffectNone},
		{func() { task.Labels = []string{"risky", "other"} }, "t1", api.EffectAsk},
		{func() {}, "t2", api.EffectNone},
		{func() {}, "", api.EffectNone},
		{func() { task.Labels = []string{"other", "risky"} }, "t1", api.EffectNone},
		{func() { task.Result.Cost = 2.5 }, "t1", api.EffectAsk},
		{func() { task.Result = api.TaskResult{Tokens: 1001} }, "t1", api.EffectAsk},
		{func() { task.Labels = []string{"other", "frozen"} }, "t1", api.EffectDeny},
	} {
		c.change()
		if got := use(c.task); got != c.want {
			t.Errorf("%+v, task %q: %s, want %s", task, c.task, got, c.want)
		}
	}
}

// TestBranch: the branch is that of the directory or of one above it, and nothing that
// lies in the place of git's files holds the decision up.
func TestBranch(t *testing.T) {
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	file := func(name, text string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(at(name)), 0o700), os.WriteFile(at(name), []byte(text), 0o600))
	}
	dir := func(name string) error { return os.MkdirAll(at(name), 0o700) }
	if err := errors.Join(
		file(".git/HEAD", "ref: refs/heads/feature/x\n"), dir("below/deep"),
		file("tree/.git", "gitdir: ../.git/worktrees/tree\n"), file(".git/worktrees/tree/HEAD", "ref: refs/heads/tree\n"),
		file("detached/.git/HEAD", strings.Repeat("0", 40)+"\n"),
		dir("pipe"), syscall.Mkfifo(at("pipe/.git"), 0o600),
		dir("zero"), os.Symlink("/dev/zero", at("zero/.git")),
		dir("head/.git"), syscall.Mkfifo(at("head/.git/HEAD"), 0o600),
		file("elsewhere/.git", "gitdir: /dev\n"),
		file("large/.git/HEAD", "ref: refs/heads/"+strings.Repeat("x", maxGitFile)),
	); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"": "feature/x", "below/deep": "feature/x", "tree": "tree", "detached": "",
		"pipe": "feature/x", "zero": "feature/x", "head": "feature/x", "elsewhere": "feature/x", "large": "feature/x",
	} {
		if got := Branch(at(name)); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestAnswerIsRecorded: the ledger keeps the text that answered a question, without
// secrets.
func TestAnswerIsRecorded(t *testing.T) {
	p := newRig(t, "", nil)
	err := p.Record(api.Decision{
		Request: api.Request{ID: "r1", Kind: api.RequestQuestion, Tool: "AskUserQuestion"}, Outcome: api.OutcomeAnswered, By: api.ByPerson,
		Answer: &api.Answer{Behavior: api.AnswerAllow, Text: "the\nsecond"},
	})
	if err != nil || len(p.rows) != 1 || p.rows[0].Reason != "the␊second" {
		t.Errorf("%+v (%v)", p.rows, err)
	}
}
