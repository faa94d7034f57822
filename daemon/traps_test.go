package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ccdir/api"
	"ccdir/internal/gitstatus/traptest"
)

// TestTraps: when a task begins, and when its turn ends, the daemon looks for changed files, states
// of branches and conflicts, and runs no program that the repository names.
func TestTraps(t *testing.T) {
	t.Parallel()
	p := newQueuePlace(t)
	home, err := filepath.EvalSymlinks(p.paths.Home)
	if err != nil {
		t.Fatal(err)
	}
	at := func(name ...string) string { return filepath.Join(append([]string{home}, name...)...) }
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "HOME="+home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repo, mark := at("repo"), at("mark")
	git(home, "init", "-q", "-b", "main", repo)
	write(at("repo", "a.txt"), "main\n")
	git(repo, "add", "-A")
	git(repo, "commit", "-q", "-m", "main")
	for _, name := range []string{"topic", "side"} {
		git(repo, "worktree", "add", "-q", "-b", name, at(name))
		write(at(name, "a.txt"), name+"\n")
		git(at(name), "commit", "-q", "-a", "-m", name)
		traptest.Sign(t, at(name))
	}
	traptest.SetAll(t, repo, "touch "+mark)
	p.run()
	side := p.create(api.NewSession{Argv: sh("sleep 600"), CWD: at("side")})
	list := p.addTasks(api.NewTask{Prompt: "await " + at("go") + "\nsay done", CWD: at("topic")})
	p.queue(api.QueueChange{Mode: api.QueueAuto})
	p.wait(p.waitTask(list[0].ID, api.TaskRunning).Session, api.StateWorking)
	write(at("topic", "a.txt"), "changed\n")
	write(at("topic", "new.txt"), "new\n")
	write(at("go"), "")
	task := p.waitTask(list[0].ID, api.TaskDone)
	if want := []string{"a.txt", "new.txt"}; !slices.Equal(task.Result.Files, want) {
		t.Errorf("the task's files: %q, want %q", task.Result.Files, want)
	}
	until(t, "the conflict to be shown", func() bool { return len(p.get(side.ID).Clashes) > 0 })
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program that the repository names was run")
	}
}
