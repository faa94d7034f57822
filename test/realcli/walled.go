package realcli

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sandbox"
	"ccdir/sandbox/wall"
	"ccdir/test/fakeapi"
)

// secretText is in a file of the home that no wall lets through.
const secretText = "the-secret"

// NeedWalls skips a test where the machine does not hold the ready profiles whole.
func NeedWalls(t testing.TB) {
	t.Helper()
	if able := wall.Able(t.Context()); !able.Bubblewrap {
		t.Skip("this machine cannot hold the profile: " + able.Why)
	}
}

// LinkedTree makes a secret in the home of a place, and a linked work tree of its project; git runs in the project.
func (p Place) LinkedTree(t testing.TB) (tree string, git func(args ...string) string) {
	t.Helper()
	home := agents.Getenv(p.Env, "HOME")
	tree = filepath.Join(p.CWD, "wt")
	secret := filepath.Join(home, ".ssh", "id")
	if err := os.MkdirAll(filepath.Dir(secret), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte(secretText), 0o600); err != nil {
		t.Fatal(err)
	}
	git = func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", p.CWD, "-c", "user.name=a", "-c", "user.email=a@x"}, args...)...)
		cmd.Env = p.Env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "-b", "feat", tree)
	return tree, git
}

// WalledCalls are the calls of an agent's tools that Walled makes; paths are relative to its directory.
// SignIn is the file of the agent's sign-in, as a session's shell names it, and below the home of the
// person: a CLI that renews its sign-in writes it in place. "" where a test of its own renews one.
type WalledCalls struct {
	SignIn, SignInOf string

	Shell, Bridge func(command string) fakeapi.Reply
	Write         func(path, content string) fakeapi.Reply
}

// Walled plays the agent in a linked work tree behind the profile worktree: a prompt, its shell with a commit, a call that
// the policy denies, its edit, the bridge, a restart of daemon and agent in the same conversation; and what none of them may.
func (o Other) Walled(t *testing.T, calls WalledCalls) {
	NeedWalls(t)
	try := "cat $HOME/.ssh/id; echo x > $HOME/.bashrc; echo b > b && git add b && git -c user.name=a -c user.email=a@x commit -qm two && printf zeb%s ra-committed"
	const renewed = `{"renewed":{"type":"api","key":"k"}}`
	if calls.SignIn != "" {
		try = "sh renew.sh; " + try // the policy asks about a command that names the file
	}
	ctx, p, fake := o.Product(t, fakeapi.Turns(calls.Shell(try), calls.Shell("touch denied"), calls.Write("written", "w\n"),
		calls.Bridge("cat $HOME/.ssh/id; echo x > $HOME/pwned; echo from-the-bridge > bridged"), fakeapi.Text("that was it"),
		calls.Shell("echo x > again"), fakeapi.Text("and again")))
	p.Policy("[roles.dev]\nallow = [\"*\"]\ndeny = [\"Bash(touch *)\"]\n")
	tree, git := p.Place.LinkedTree(t)
	signIn := filepath.Join(agents.Getenv(p.Place.Env, "HOME"), calls.SignInOf)
	if err := os.WriteFile(filepath.Join(tree, "renew.sh"), []byte("printf %s '"+renewed+"' > "+calls.SignIn+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kept := p.Place.settings(t)
	id := p.New(ctx, "-C", tree, "--sandbox", sandbox.Worktree)
	s := p.State(ctx, id, api.StateIdle)
	if s.Sandbox == nil || s.Sandbox.Mechanism != sandbox.Bubblewrap || !s.Sandbox.Complete {
		t.Errorf("the session's sandbox is %+v", s.Sandbox)
	}
	p.Run(ctx, "send", id, "go")
	before := p.Answered(ctx, id, "that was it")
	if !fake.Heard("zebra-committed") || fake.Heard(secretText) {
		t.Errorf("what the model was told is not what the walls let through\n%s", p.Dump())
	}
	p.Run(ctx, "daemon", "restart")
	p.Run(ctx, "restart", id)
	after := p.Until(ctx, id, "idle again", func(v api.Session) bool { return v.State == api.StateIdle && v.Launch != s.Launch })
	if after.Conversation != before.Conversation || after.Sandbox == nil || !after.Sandbox.Complete {
		t.Errorf("after a restart: conversation %s, before %s; sandbox %+v", after.Conversation, before.Conversation, after.Sandbox)
	}
	p.Run(ctx, "send", id, "once more")
	p.Answered(ctx, id, "and again")
	for name, want := range map[string]bool{"written": true, "bridged": true, "again": true, "denied": false, "../../home/.bashrc": false, "../../home/pwned": false} {
		if _, err := os.Lstat(filepath.Join(tree, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if data, err := os.ReadFile(signIn); calls.SignIn != "" && string(data) != renewed {
		t.Errorf("a sign-in that was renewed is %q, %v", data, err)
	}
	if log := git("log", "--oneline", "feat"); !strings.Contains(log, "two") {
		t.Errorf("the commit is not in the repository: %s", log)
	}
	if now := p.Place.settings(t); !maps.Equal(kept, now) {
		t.Errorf("the settings were %q and are %q", kept, now)
	}
	if t.Failed() {
		t.Log(p.Dump())
	}
}

// settings are the files that the test wrote into the agent's folder of settings, by name.
func (p Place) settings(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"settings.json", "config.toml", "opencode.json", "AGENTS.md", "GEMINI.md"} {
		if data, err := os.ReadFile(filepath.Join(p.Config, name)); err == nil && len(data) > 0 {
			out[name] = string(data)
		}
	}
	return out
}
