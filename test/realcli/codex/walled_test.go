package codex

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sandbox"
	"ccdir/sandbox/wall"
	"ccdir/test/fakeapi"
)

// TestWalled: in a linked work tree behind the profile worktree, with its own sandbox off: a prompt, a
// command, a commit, and nothing of the home.
func TestWalled(t *testing.T) {
	if able := wall.Able(t.Context()); !able.Bubblewrap {
		t.Skip("this machine cannot hold the profile: " + able.Why)
	}
	agent := agent
	agent.Args = `["--sandbox", "danger-full-access"]`
	command := "cat $HOME/.ssh/id; echo x > $HOME/.bashrc; echo b > b && git add b && git -c user.name=a -c user.email=a@x commit -qm two && printf com%s mitted"
	ctx, p, fake := agent.Product(t, fakeapi.Turns(fakeapi.Tool("exec_command", map[string]any{"cmd": command}), fakeapi.Text("that was it")))
	p.Policy("[roles.dev]\nallow = [\"*\"]\n")
	tree, secret := filepath.Join(p.Place.CWD, "wt"), filepath.Join(p.Place.Home, ".ssh", "id")
	if err := os.MkdirAll(filepath.Dir(secret), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("the-secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", p.Place.CWD, "-c", "user.name=a", "-c", "user.email=a@x"}, args...)...)
		cmd.Env = p.Place.Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "-b", "feat", tree)
	id := p.New(ctx, "-C", tree, "--sandbox", sandbox.Worktree)
	if s := p.State(ctx, id, api.StateIdle); s.Sandbox == nil || s.Sandbox.Mechanism != sandbox.Bubblewrap || !s.Sandbox.Complete {
		t.Errorf("the session's sandbox is %+v", s.Sandbox)
	}
	p.Run(ctx, "send", id, "go")
	p.Answered(ctx, id, "that was it")
	if !fake.Heard("committed") || fake.Heard("the-secret") {
		t.Errorf("what the model was told is not what the walls let through\n%s", p.Dump())
	}
	if log := git("log", "--oneline", "feat"); !strings.Contains(log, "two") {
		t.Errorf("the commit is not in the repository: %s", log)
	}
	if _, err := os.Lstat(filepath.Join(p.Place.Home, ".bashrc")); err == nil {
		t.Error("the home was written")
	}
}
