package daemon

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ccdir/api"
	"ccdir/sandbox"
	walls "ccdir/sandbox/wall"
)

// walledHome is a home with a secret, a repository and a linked work tree of it.
func walledHome(t *testing.T) (home, tree, repo string) {
	t.Helper()
	if able := walls.Able(t.Context()); !able.Bubblewrap {
		t.Skip("this machine cannot hold a whole profile: " + able.Why)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, tree, repo = filepath.Join(root, "home"), filepath.Join(root, "tree"), filepath.Join(root, "repo")
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ssh", "id"), []byte("the-secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("git init -q %s && cd %s && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m one && git worktree add -q -b feat %s", repo, repo, tree)
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return home, tree, repo
}

// TestWalledTools: what ccdir runs for a walled session runs behind its walls: commands of tools, and
// what the project's .ccdir.toml names. Its files are not written by ccdir.
func TestWalledTools(t *testing.T) {
	t.Parallel()
	home, tree, _ := walledHome(t)
	p := newPlace(t)
	p.run()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	s := p.create(api.NewSession{Name: "one", Argv: sh("exec sleep 1000"), CWD: tree, Env: env, Sandbox: sandbox.Worktree})
	if s.Sandbox == nil || !s.Sandbox.Complete || s.Sandbox.Mechanism != sandbox.Bubblewrap {
		t.Fatalf("its sandbox is %+v", s.Sandbox)
	}
	b := p.bridge(s, "/")
	toml := fmt.Sprintf("[commands.compile]\nrun = [\"sh\", \"-c\", \"cat %s/.ssh/id; touch %s/pwned-toml; touch built\"]\n", home, home)
	if err := os.WriteFile(filepath.Join(tree, ".ccdir.toml"), []byte(toml), 0o600); err != nil {
		t.Fatal(err)
	}
	said := b.call("bash", fmt.Sprintf(`{"command":"cat %s/.ssh/id; touch %s/pwned-bash; touch here; exit 3"}`, home, home))
	want(t, "bash", said, `"exit_code":3`)
	said += b.call("run", fmt.Sprintf(`{"command":"cat","args":["%s/.ssh/id"]}`, home)) + b.call("compile", `{}`)
	if strings.Contains(said, "the-secret") {
		t.Errorf("the secret came out: %s", said)
	}
	for name, there := range map[string]bool{home + "/pwned-bash": false, home + "/pwned-toml": false, tree + "/here": true, tree + "/built": true} {
		if _, err := os.Lstat(name); (err == nil) != there {
			t.Errorf("%s: %v; it should be there: %v\n%s", name, err, there, said)
		}
	}
	want(t, "write", b.call("write", `{"path":".envrc","content":"x"}`), "behind a sandbox")
	want(t, "read", b.call("read", `{"path":".ccdir.toml"}`), "pwned-toml")
}

// TestWalledOver: a restart keeps the walls, and what begins behind them ends politely; a repository's
// main work tree is not held in full, which is said, and refused where the configuration is strict.
func TestWalledOver(t *testing.T) {
	t.Parallel()
	home, tree, repo := walledHome(t)
	p := newPlace(t)
	p.run()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	s := p.create(api.NewSession{Name: "one", Argv: sh("cat ~/.ssh/id; echo ready; exec sleep 1000"), CWD: tree, Env: env, Sandbox: sandbox.Worktree})
	p.call(http.MethodPost, "/v1/sessions/one/restart", nil, &s)
	if s.Sandbox == nil || !s.Sandbox.Complete {
		t.Errorf("after a restart its sandbox is %+v", s.Sandbox)
	}
	until(t, "its words", func() bool { return strings.Contains(p.screen("one"), "ready") })
	if text := p.screen("one"); strings.Contains(text, "the-secret") || !strings.Contains(text, "No such file") {
		t.Errorf("it shows %s", text)
	}
	main := p.create(api.NewSession{Name: "main", Argv: sh("exec sleep 1000"), CWD: repo, Env: env, Sandbox: sandbox.Worktree})
	if main.Sandbox == nil || main.Sandbox.Complete || !strings.Contains(main.Sandbox.Lacks(), "commondir") {
		t.Errorf("in the main work tree its sandbox is %+v", main.Sandbox)
	}
	p.config("[sandbox]\nstrict = true\n")
	until(t, "the configuration", func() bool {
		return p.try(http.MethodPost, "/v1/sessions", api.NewSession{Argv: sh("exec sleep 1000"), CWD: repo, Env: env, Sandbox: sandbox.Worktree}, nil) != nil
	})
	p.wantCode(api.CodeInvalid, http.MethodPost, "/v1/sessions", api.NewSession{Argv: sh("exec sleep 1000"), CWD: home, Env: env, Sandbox: sandbox.Worktree})
	p.wantCode(api.CodeInvalid, http.MethodPost, "/v1/sessions", api.NewSession{Argv: sh("exec sleep 1000"), CWD: tree, Env: env, Sandbox: "unknown"})
}

// TestWalledAllowed: what a person lets through the walls of a session holds from its next start on, of
// a network with a list at once; ccdir's own directories are never let through.
func TestWalledAllowed(t *testing.T) {
	t.Parallel()
	home, tree, _ := walledHome(t)
	p := newPlace(t)
	p.config("[sandbox.web]\nbase = \"worktree\"\nnetwork = [\"a.example\"]\n")
	p.run()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	s := p.create(api.NewSession{Name: "one", Argv: sh("cat ~/.ssh/id; echo x > ~/.ssh/new && echo ready; exec sleep 1000"), CWD: tree, Env: env, Sandbox: "web"})
	if s.Sandbox == nil || s.Sandbox.Network != sandbox.NetworkHosts || !s.Sandbox.Complete {
		t.Fatalf("its sandbox is %+v", s.Sandbox)
	}
	allow := func(what string) {
		t.Helper()
		p.call(http.MethodPost, "/v1/sessions/one/sandbox", api.AllowInSandbox{Allow: what}, &s)
	}
	if allow("B.example"); !slices.Contains(s.Sandbox.Hosts, "b.example") || len(s.Sandbox.Waiting) != 0 {
		t.Errorf("with a host allowed its sandbox is %+v", s.Sandbox)
	}
	for range 2 {
		if allow("~/.ssh"); !slices.Equal(s.Sandbox.Waiting, []string{home + "/.ssh"}) {
			t.Errorf("with a path allowed its sandbox is %+v", s.Sandbox)
		}
	}
	for _, what := range []string{"~/", "/", p.paths.State, "*", ""} {
		p.wantCode(api.CodeInvalid, http.MethodPost, "/v1/sessions/one/sandbox", api.AllowInSandbox{Allow: what})
	}
	if _, err := os.Lstat(filepath.Join(home, ".ssh", "new")); err == nil {
		t.Error("it was written before it was allowed")
	}
	s = api.Session{}
	p.call(http.MethodPost, "/v1/sessions/one/restart", nil, &s)
	until(t, "its words", func() bool { return strings.Contains(p.screen("one"), "ready") })
	if _, err := os.Lstat(filepath.Join(home, ".ssh", "new")); err != nil || !strings.Contains(p.screen("one"), "the-secret") || len(s.Sandbox.Waiting) != 0 || !slices.Contains(s.Sandbox.Hosts, "b.example") {
		t.Errorf("after the restart: %v, sandbox %+v, shows %s", err, s.Sandbox, p.screen("one"))
	}
	p.create(api.NewSession{Name: "free", Argv: sh("exec sleep 1000"), CWD: tree, Env: env})
	p.wantCode(api.CodeConflict, http.MethodPost, "/v1/sessions/free/sandbox", api.AllowInSandbox{Allow: "/srv"})
}

// TestWalledByItself: tasks in linked work trees and reviewers have walls though nobody names any; where they are not held
// whole, or are known to hide what the work needs, there are none, and it is said why. What had walls has them at each start.
func TestWalledByItself(t *testing.T) {
	t.Parallel()
	home, tree, repo := walledHome(t)
	p := newPlace(t)
	p.config("queue_mode = \"auto\"\n")
	p.run()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	task := func(dir string) (task api.Task, s api.Session) {
		t.Helper()
		var list []api.Task
		p.call(http.MethodPost, "/v1/tasks", []api.NewTask{{Prompt: "say one.", Agent: "demo", CWD: dir, Env: env, Keep: true}}, &list)
		until(t, "its end", func() bool {
			p.call(http.MethodGet, "/v1/tasks/"+list[0].ID, nil, &task)
			return task.State == api.TaskDone
		})
		return task, p.get(task.Session)
	}
	done, s := task(tree)
	if s.Sandbox == nil || !s.Sandbox.Complete || s.Sandbox.Name != sandbox.Worktree || done.Result.Sandbox != sandbox.Worktree || s.Unwalled != "" {
		t.Errorf("in a linked work tree: task %q, session %+v %q", done.Result.Sandbox, s.Sandbox, s.Unwalled)
	}
	if done, s := task(repo); s.Sandbox != nil || !strings.Contains(s.Unwalled, "start it in a linked work tree") || !strings.HasPrefix(done.Result.Sandbox, "none: ") {
		t.Errorf("in the main work tree: task %q, session %+v %q", done.Result.Sandbox, s.Sandbox, s.Unwalled)
	}
	reviewer := p.create(api.NewSession{Agent: "demo", Role: api.RoleReviewer, CWD: repo, Env: env})
	if reviewer.Sandbox == nil || !reviewer.Sandbox.Complete || reviewer.Sandbox.Name != sandbox.ReadOnly {
		t.Errorf("a reviewer's sandbox is %+v, %q", reviewer.Sandbox, reviewer.Unwalled)
	}
	if mine := p.create(api.NewSession{Agent: "demo", CWD: tree, Env: env}); mine.Sandbox != nil || mine.Unwalled != "" {
		t.Errorf("a person's session has %+v, %q", mine.Sandbox, mine.Unwalled)
	}
	if out, err := exec.Command("git", "-C", repo, "config", "commit.gpgsign", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, s := task(tree); s.Sandbox != nil || !strings.Contains(s.Unwalled, "commit.gpgsign") {
		t.Errorf("where commits are signed: %+v %q", s.Sandbox, s.Unwalled)
	}
	p.call(http.MethodPost, "/v1/sessions/"+s.ID+"/restart", nil, &s)
	if s.Sandbox == nil || !s.Sandbox.Complete {
		t.Errorf("after a restart the walls of the first one are %+v", s.Sandbox)
	}
}
