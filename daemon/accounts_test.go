package daemon

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/api"
)

// TestAccounts: an account is a fact of its session over restarts of either, forks and a removal
// followed by a restore; moving it changes directory and value, and nothing else does.
func TestAccounts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	repo := filepath.Join(p.paths.Home, "repo")
	if err := os.Mkdir(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	p.config("kill_grace = \"300ms\"\n[accounts.work]\nagent = \"demo\"\ndir = \"/w\"\nrepositories = [\"" + repo + "\"]\n[accounts.spare]\nagent = \"demo\"\ndir = \"/s\"\n[accounts.claude]\nagent = \"claude\"\n")
	p.run()
	s := p.create(api.NewSession{Agent: "demo", CWD: repo, Name: "a", Env: append(os.Environ(), "CLAUDE_CONFIG_DIR=/own")})
	own := p.create(api.NewSession{Agent: "demo", CWD: repo, Account: api.AccountDefault, Name: "own"})
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions", api.NewSession{Agent: "demo", CWD: repo, Account: "claude"})
	if s.Account != "work" || own.Account != "" {
		t.Fatalf("accounts %q, %q", s.Account, own.Account)
	}
	dirOf := func() string {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.get("a").PID), "environ"))
		if err != nil {
			t.Skip(err)
		}
		for kv := range strings.SplitSeq(string(data), "\x00") {
			if dir, ok := strings.CutPrefix(kv, "CLAUDE_CONFIG_DIR="); ok {
				return dir
			}
		}
		return ""
	}
	p.wait("a", api.StateIdle)
	if dir := dirOf(); dir != "/w" {
		t.Fatalf("the agent's directory is %q", dir)
	}
	p.call("POST", "/v1/sessions/a/restart", nil, nil)
	p.stopDaemon()
	p.run()
	if got := p.get("a").Account; got != "work" {
		t.Fatalf("after restarts: %q", got)
	}
	var list []api.Account
	p.call("GET", "/v1/accounts", nil, &list)
	seen := map[string]string{}
	for _, a := range list {
		seen[a.Agent+" "+a.Name] = strings.Join(a.Sessions, " ")
	}
	if seen["demo work"] != s.ID || seen["demo default"] != own.ID || seen["demo spare"] != "" || len(list) != 5 {
		t.Fatalf("accounts: %+v", list)
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/sessions/a/restart", api.Restart{Account: "nobody"})
	p.call("POST", "/v1/sessions/a/restart", api.Restart{Account: "spare"}, nil)
	if got := p.wait("a", api.StateIdle); got.Account != "spare" || dirOf() != "/s" {
		t.Fatalf("moved: account %q, directory %q", got.Account, dirOf())
	}
	p.call("POST", "/v1/sessions/a/restart", api.Restart{Account: api.AccountDefault}, nil)
	if got := p.wait("a", api.StateIdle); got.Account != "" || dirOf() != "/own" {
		t.Fatalf("moved back: account %q, directory %q", got.Account, dirOf())
	}
}

// TestAccountsOfTasks: a task uses the first of its accounts; without any, that of its directory.
func TestAccountsOfTasks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.config("queue_mode = \"auto\"\n[accounts.work]\nagent = \"demo\"\ndir = \"/w\"\nrepositories = [\"" + p.paths.Home + "\"]\n[accounts.spare]\nagent = \"demo\"\ndir = \"/s\"\n")
	p.run()
	var tasks []api.Task
	p.call("POST", "/v1/tasks", []api.NewTask{
		{Prompt: "say one", Agent: "demo", CWD: p.paths.Home, Keep: true},
		{Prompt: "say two", Agent: "demo", CWD: p.paths.Home, Keep: true, Accounts: []string{"spare", "work"}},
		{Prompt: "say three", Agent: "demo", CWD: p.paths.Home, Keep: true, Accounts: []string{api.AccountDefault, api.AccountDefault}},
	}, &tasks)
	if got := tasks[2].Accounts; len(got) != 1 {
		t.Errorf("an account that is given twice: %q", got)
	}
	for i, want := range []string{"work", "spare", ""} {
		until(t, "task to be done", func() bool {
			p.call("GET", "/v1/tasks/"+tasks[i].ID, nil, &tasks[i])
			return tasks[i].State == api.TaskDone
		})
		if s := p.get(tasks[i].Session); s.Account != want || tasks[i].Account != cmp.Or(want, api.AccountDefault) {
			t.Errorf("task %d: session has %q, task %q, want %q", i, s.Account, tasks[i].Account, want)
		}
	}
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", []api.NewTask{{Prompt: "x", Agent: "demo", CWD: p.paths.Home, Accounts: []string{"nobody"}}})
	p.wantCode(api.CodeInvalid, "POST", "/v1/tasks", []api.NewTask{{Prompt: "x", Agent: "demo", CWD: p.paths.Home, Sandbox: "nobody"}})
}
