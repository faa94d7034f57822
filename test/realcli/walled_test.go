package realcli

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/client"
	"ccdir/sandbox"
	"ccdir/test/fakeapi"
)

// TestWalled: the real CLI in a linked work tree behind the profile worktree: prompt, its Bash, its Write,
// a commit, the bridge, hooks, a restart in the same conversation; and what none of them may.
func TestWalled(t *testing.T) {
	t.Parallel()
	NeedWalls(t)
	const rules = "[roles.dev]\nallow = [\"*\"]\n"
	var mu sync.Mutex
	var results strings.Builder
	var turns func(context.Context, fakeapi.Request) fakeapi.Reply
	ctx, p := policed(t, "default", rules, func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		for _, text := range r.Results {
			results.WriteString(text + "\n")
		}
		return turns(ctx, r)
	})
	p.Place.Configure(t, map[string]string{"settings.json": `{"permissions":{"allow":["Bash","Write","mcp__ccdir"]},"sandbox":{"enabled":true,"failIfUnavailable":true,"allowUnsandboxedCommands":false}}`})
	home := agents.Getenv(p.Env, "HOME")
	tree, git := p.Place.LinkedTree(t)
	if err := os.WriteFile(filepath.Join(tree, "try.sh"), []byte("cat ~/.ssh/id; echo x > ~/.bashrc; echo b > b && git add b && git -c user.name=a -c user.email=a@x commit -qm two && echo committed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	scripted := fakeapi.Turns(
		fakeapi.Tool("Bash", map[string]any{"command": "sh try.sh", "description": "try"}),
		fakeapi.Tool("Write", map[string]any{"file_path": filepath.Join(tree, "written"), "content": "w"}),
		fakeapi.Tool("mcp__ccdir__bash", map[string]any{"command": "cat ~/.ssh/id; echo x > ~/pwned; echo from-the-bridge > bridged"}),
		fakeapi.Tool("mcp__ccdir__write", map[string]any{"path": filepath.Join(tree, ".envrc"), "content": "evil"}),
	)
	mu.Lock()
	turns = fakeapi.Connected(scripted)
	mu.Unlock()
	id := p.New(ctx, "-C", tree, "--sandbox", sandbox.Worktree)
	s := p.State(ctx, id, api.StateIdle)
	if s.Sandbox == nil || s.Sandbox.Mechanism != sandbox.Bubblewrap || !s.Sandbox.Complete {
		t.Errorf("the session's sandbox is %+v", s.Sandbox)
	}
	p.Run(ctx, "send", id, "go")
	end := p.Event(ctx, id, 0, "Stop", hookEvent("Stop"))
	mu.Lock()
	said := results.String()
	mu.Unlock()
	for _, want := range []string{"No such file or directory", "committed", "behind a sandbox"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q did not reach the model:\n%s", want, said)
		}
	}
	if strings.Contains(said, secretText) {
		t.Errorf("the secret reached the model:\n%s", said)
	}
	for _, name := range []string{filepath.Join(home, ".bashrc"), filepath.Join(home, "pwned"), filepath.Join(tree, ".envrc")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	for _, name := range []string{"written", "bridged"} {
		if _, err := os.Lstat(filepath.Join(tree, name)); err != nil {
			t.Errorf("%v", err)
		}
	}
	if log := git("log", "--oneline", "feat"); !strings.Contains(log, "two") {
		t.Errorf("the commit is not in the repository: %s", log)
	}
	if out := p.Run(ctx, "sandbox", "explain", id); !strings.Contains(out, "held by bubblewrap") {
		t.Errorf("explain says\n%s", out)
	}
	p.Run(ctx, "restart", id)
	again := p.Until(ctx, id, "idle again", func(v api.Session) bool { return v.State == api.StateIdle && v.Launch != s.Launch })
	if again.Conversation != s.Conversation || again.Sandbox == nil || !again.Sandbox.Complete {
		t.Errorf("after a restart: conversation %s, before %s; sandbox %+v", again.Conversation, s.Conversation, again.Sandbox)
	}
	p.Run(ctx, "send", id, "again")
	p.Event(ctx, id, end.Seq, "Stop", hookEvent("Stop"))
}

// TestOffline: the real CLI as a task in the profile offline reaches its vendor and nobody else; what was
// tried is told to the model, is an event, and is explained and counted.
func TestOffline(t *testing.T) {
	t.Parallel()
	NeedWalls(t)
	var mu sync.Mutex
	var results strings.Builder
	scripted := fakeapi.Turns(
		fakeapi.Tool("Bash", map[string]any{"command": "curl -sS -m 20 http://example.com/; echo; bash -c 'exec 3<>/dev/tcp/192.0.2.1/443'", "description": "try the network"}),
		fakeapi.Text("the network was refused"),
	)
	ctx, p := policed(t, "default", "[roles.dev]\nallow = [\"*\"]\n", func(ctx context.Context, r fakeapi.Request) fakeapi.Reply {
		mu.Lock()
		defer mu.Unlock()
		for _, text := range r.Results {
			results.WriteString(text + "\n")
		}
		return scripted(ctx, r)
	})
	const vendor = "api.vendor.example"
	through := proxyTo(t, strings.TrimPrefix(agents.Getenv(p.Env, "ANTHROPIC_BASE_URL"), "http://"), vendor+":80")
	p.Env = agents.SetEnv(p.Env, "ANTHROPIC_BASE_URL=http://"+vendor, "HTTPS_PROXY="+through, "HTTP_PROXY="+through, "NO_PROXY=")
	p.Place.Configure(t, map[string]string{"settings.json": `{"permissions":{"allow":["Bash"]}}`})
	tree, _ := p.Place.LinkedTree(t)
	p.Run(ctx, "task", "mode", "auto")
	ref := p.Run(ctx, "task", "add", "-a", "claude", "--keep", "--sandbox", sandbox.Offline, "-C", tree, "try the network")
	task := waitTasks(ctx, p, ref)[0]
	mu.Lock()
	said := results.String()
	mu.Unlock()
	if task.State != api.TaskDone || !strings.Contains(said, "does not let example.com:80 through") || !strings.Contains(said, "unreachable") {
		t.Errorf("the task is %+v; the model was told\n%s", task, said)
	}
	events, err := p.Client.Events(ctx, client.EventFilter{Session: task.Session, Type: api.EventSandboxRefused, Limit: 10})
	if err != nil || !slices.ContainsFunc(events, func(e api.Event) bool { return strings.Contains(string(e.Data), `"example.com:80"`) }) {
		t.Errorf("events of refusals: %+v, %v", events, err)
	}
	if out := p.Run(ctx, "sandbox", "explain", task.Session); !strings.Contains(out, "example.com:80 was tried") || !strings.Contains(out, vendor) {
		t.Errorf("explain says\n%s", out)
	}
	if out := p.Run(ctx, "decisions", "--since", "1h"); !strings.Contains(out, "refused by walls") || !strings.Contains(out, "example.com:80 1") {
		t.Errorf("decisions says\n%s", out)
	}
	if t.Failed() {
		t.Log(p.Dump())
	}
}

// TestWalledTask: a task in a work tree of its own has walls though nobody names any, with what it needs: the real CLI
// builds, commits and ends; in one-shot mode, too. The build's cache is none of the home's.
func TestWalledTask(t *testing.T) {
	NeedWalls(t)
	const try = "mkdir m && (cd m && printf 'package main\nfunc main() {}\n' > m.go && go mod init m && go build -o out) && echo b > b && git add b && git -c user.name=a -c user.email=a@x commit -qm two && printf zeb%s ra-committed"
	for name, flags := range map[string][]string{"pane": nil, "print": {"--print"}} {
		t.Run(name, func(t *testing.T) {
			ctx, p := policed(t, "default", "[roles.dev]\nallow = [\"*\"]\n", fakeapi.Turns(fakeapi.Tool("Bash", map[string]any{"command": try, "description": "try"}), fakeapi.Text("that was it")))
			p.Place.Configure(t, map[string]string{"settings.json": `{"permissions":{"allow":["Bash"]}}`})
			_, git := p.Place.LinkedTree(t)
			p.Run(ctx, "task", "mode", "auto")
			ref := p.Run(ctx, append([]string{"task", "add", "-a", "claude", "-n", "walled", "-w", ".", "try it"}, flags...)...)
			task := waitTasks(ctx, p, ref)[0]
			if task.State != api.TaskDone || task.Result.Sandbox != sandbox.Worktree || task.Result.Message != "that was it" {
				t.Errorf("%+v\n%s", task, p.Dump())
			}
			if log := git("log", "--oneline", "walled"); !strings.Contains(log, "two") {
				t.Errorf("the commit is not in the repository: %s", log)
			}
			if _, err := os.Lstat(filepath.Join(agents.Getenv(p.Env, "HOME"), ".cache", "go-build")); err == nil {
				t.Error("the home's cache was written")
			}
			if out := p.Run(ctx, "task", "show", ref); !strings.Contains(out, "worktree") {
				t.Errorf("task show says\n%s", out)
			}
		})
	}
}

// TestWalledSignIn: a sign-in that has expired is refreshed behind walls, in the file itself.
func TestWalledSignIn(t *testing.T) {
	t.Parallel()
	NeedWalls(t)
	Claude(t)
	fake := fakeapi.New(nil)
	t.Cleanup(fake.Close)
	place := Home(t, fake.URL())
	place.Env = slices.DeleteFunc(place.Env, func(s string) bool { return strings.HasPrefix(s, "ANTHROPIC_AUTH_TOKEN=") })
	v := &vendor{token: `{"token_type":"Bearer","access_token":"sk-ant-oat01-new","refresh_token":"sk-ant-ort01-new","expires_in":28800,"scope":"user:inference user:profile"}`}
	v.serve(t, &place)
	place.Configure(t, map[string]string{".credentials.json": `{"claudeAiOauth":{"accessToken":"sk-ant-oat01-old","refreshToken":"sk-ant-ort01-old","expiresAt":1700000000000,"scopes":["user:inference","user:profile"],"subscriptionType":"max"}}`})
	p := Install(t, place)
	ctx := limit(t)
	tree, _ := place.LinkedTree(t)
	id := p.New(ctx, "-C", tree, "--sandbox", sandbox.Worktree)
	p.State(ctx, id, api.StateIdle)
	p.Run(ctx, "send", "--wait", id, "hello")
	p.Answered(ctx, id, "You said: hello")
	data, err := os.ReadFile(filepath.Join(place.Config, ".credentials.json"))
	if err != nil || !strings.Contains(string(data), "sk-ant-oat01-new") || !strings.Contains(string(data), "sk-ant-ort01-new") {
		t.Errorf("the sign-in is %s (%v); its service was asked %q", data, err, v.asked())
	}
}

// proxyTo is a proxy that reaches some hosts, all at one address; it returns where the proxy is.
func proxyTo(t *testing.T, at string, hosts ...string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || !slices.Contains(hosts, r.Host) {
			http.Error(w, "it is asked for "+r.Method+" "+r.Host, http.StatusBadGateway)
			return
		}
		to, err := net.Dial("tcp", at)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer to.Close()
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
		go func() {
			_, _ = io.Copy(to, c)
			_ = to.Close()
		}()
		_, _ = io.Copy(c, to)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
