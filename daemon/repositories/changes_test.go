package repositories_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// TestMergeByPolicy: a merge is done only if the policy of each session in the tree lets git do it;
// a plan asks nobody.
func TestMergeByPolicy(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	topic := p.tree("topic")
	p.put(filepath.Join(topic, "b.txt"), "b\n")
	p.commit(topic, "second")
	p.session("a", topic, nil)
	before := p.git(p.dir, "rev-parse", "main")
	in := api.MergeWorktree{Dir: p.dir, Tree: "topic", Plan: true, Env: p.env()}
	if m, err := p.Merge(t.Context(), in); err != nil || m.Into != "main" || len(p.asked) > 0 || len(p.noted()) > 0 {
		t.Fatalf("planned: %+v %v, asked %q", m, err, p.asked)
	}
	in.Plan, p.deny = false, []string{"merge"}
	if _, err := p.Merge(t.Context(), in); api.CodeOf(err) != api.CodeForbidden || !strings.Contains(err.Error(), "name-a") {
		t.Errorf("denied: %v", err)
	}
	if now := p.git(p.dir, "rev-parse", "main"); now != before || len(p.noted()) > 0 {
		t.Errorf("main has moved from %s to %s", before, now)
	}
	if want := []string{"a in repo: 'git' 'merge' '--ff' 'topic'"}; !slices.Equal(p.asked, want) {
		t.Errorf("the policy was asked %q", p.asked)
	}
	p.deny = nil
	m, err := p.Merge(t.Context(), in)
	if now := p.git(p.dir, "rev-parse", "main"); err != nil || now != p.git(topic, "rev-parse", "HEAD") || m.Commit != now {
		t.Errorf("allowed: %+v %v, main is at %s", m, err, now)
	}
	if e := p.noted(); len(e) != 1 || !strings.HasPrefix(e[0], api.EventWorktree+": topic was merged into main") {
		t.Errorf("noted: %q", e)
	}
}

// TestPullRequestIsMade: the branch is pushed and its pull request made, with texts of its commits,
// unless the policy of a session there denies it, or it is only looked at; it is shown at once.
func TestPullRequestIsMade(t *testing.T) {
	inBubble(t, func(t *testing.T, p *place) {
		topic := p.tree("topic")
		for _, subject := range []string{"the oldest", "the newest"} {
			p.put(filepath.Join(topic, "b.txt"), subject)
			p.commit(topic, subject)
		}
		p.put(filepath.Join(p.fake, "new.json"), openRequest)
		p.session("a", topic, nil)
		p.run()
		p.shows("branches are followed", "a", time.Second, func(s api.Session) bool { return s.Branch == "topic" })
		pushed := func() bool { return p.git(p.dir, "ls-remote", "origin", "refs/heads/topic") != "" }
		in := api.NewPullRequest{Dir: p.dir, Tree: "topic", Look: true, Env: p.env()}
		if out, err := p.PullRequest(t.Context(), in); err != nil || out.Request != nil || out.Made || pushed() || len(p.asked) > 0 {
			t.Fatalf("looked at: %+v %v", out, err)
		}
		in.Look = false
		p.deny = []string{"push"}
		if _, err := p.PullRequest(t.Context(), in); api.CodeOf(err) != api.CodeForbidden || pushed() {
			t.Errorf("denied: %v", err)
		}
		p.deny = nil
		out, err := p.PullRequest(t.Context(), in)
		if err != nil || !out.Made || out.Request == nil || out.Request.Number != 7 || !slices.Equal(out.Sessions, []string{"a"}) || !pushed() {
			t.Fatalf("made: %+v %v", out, err)
		}
		p.shows("it is shown", "a", time.Second, shown(api.PullRequestOpen))
		if e := p.noted(); len(e) != 1 || !strings.Contains(e[0], "topic: pull request #7 was made (https://example.org/7)") {
			t.Errorf("noted: %q", e)
		}
		calls, err := os.ReadFile(filepath.Join(p.fake, "calls"))
		if err != nil || !strings.Contains(string(calls), "pr create --head topic --title the oldest --body * the newest\n* the oldest\n") {
			t.Errorf("%v: the forge was asked:\n%s", err, calls)
		}
		if out, err := p.PullRequest(t.Context(), in); err != nil || out.Made || out.Request == nil {
			t.Errorf("again: %+v %v", out, err)
		}
		p.put(filepath.Join(p.fake, "signed-out"), "")
		if _, err := p.PullRequest(t.Context(), in); api.CodeOf(err) != api.CodeUnavailable {
			t.Errorf("signed out: %v", err)
		}
	})
}

// TestFailingCheckIsSent: the session in the tree gets the end of the log of the check that failed;
// what is missing is said.
func TestFailingCheckIsSent(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	topic := p.tree("topic")
	in := api.NewPullRequest{Dir: topic, Tree: "topic", SendFailing: true, Env: p.env()}
	check := func(what string) {
		t.Helper()
		if _, err := p.PullRequest(t.Context(), in); api.CodeOf(err) != api.CodeConflict || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check("topic has no pull request")
	p.put(filepath.Join(p.fake, "pr.json"), openRequest)
	check("no check of #7 has failed")
	p.put(filepath.Join(p.fake, "pr.json"), `{"number":7,"url":"https://example.org/7","title":"t","state":"OPEN","statusCheckRollup":[
		{"name":"unit","status":"COMPLETED","conclusion":"FAILURE","detailsUrl":"https://github.com/x/y/actions/runs/99/job/1"}]}`)
	check("no session lives in " + topic)
	p.session("a", topic, nil)
	out, err := p.PullRequest(t.Context(), in)
	if text := p.sent["a"]; err != nil || out.Sent != "unit" || !strings.Contains(text, `"unit" of your pull request https://example.org/7`) || !strings.HasSuffix(text, "line 7: expected 1") {
		t.Errorf("%+v %v: %q", out, err, text)
	}
}

// TestPrepare: which work tree a new session gets: one asked for by name, one of its own name, one
// that the project's settings say, or none.
func TestPrepare(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.session("old", "/nowhere", func(s *api.Session) { s.Name = p.config.DefaultAgent + "-1" })
	branch := func(what string, n api.NewSession, want string) {
		t.Helper()
		n.CWD, n.Env = p.dir, p.env()
		if err := p.Prepare(t.Context(), &n); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		if got := p.git(n.CWD, "branch", "--show-current"); got != want || (want == "main") != (n.CWD == p.dir) {
			t.Errorf("%s: it starts on %q, in %s", what, got, n.CWD)
		}
	}
	busy := func(text string) { p.put(filepath.Join(p.dir, ".ccdir.toml"), text) }
	branch("no settings", api.NewSession{}, "main")
	branch("by name", api.NewSession{Worktree: "fix"}, "fix")
	branch("one that exists", api.NewSession{Worktree: "fix"}, "fix")
	branch("of its own name", api.NewSession{Name: "mine", Worktree: "."}, "mine")
	branch("without a name, one that no session has", api.NewSession{Worktree: "."}, p.config.DefaultAgent+"-2")
	busy(`isolate = "if-busy"`)
	branch("nobody works there", api.NewSession{Name: "first"}, "main")
	p.session("shell", p.dir, func(s *api.Session) { s.Plain = "shell" })
	branch("a shell is no agent", api.NewSession{Name: "first"}, "main")
	p.session("a", p.dir, nil)
	branch("an agent works there", api.NewSession{Name: "second"}, "second")
	branch("without a tree", api.NewSession{Name: "third", Worktree: "-"}, "main")
	branch("a command", api.NewSession{Name: "third", Argv: []string{"true"}}, "main")
	branch("a conversation goes on", api.NewSession{Name: "third", Resume: "x"}, "main")
	busy(`isolate = "always"`)
	branch("always", api.NewSession{Name: "fourth"}, "fourth")
	busy(`isolate = "sometimes"`)
	if err := p.Prepare(t.Context(), &api.NewSession{CWD: p.dir, Env: p.env()}); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("settings that cannot be read: %v", err)
	}
}

// TestPrepareWalls: the walls that a project asks for are told of agents of whose walls the person says
// nothing, also from a directory below; settings that cannot be read are no reason to go without.
func TestPrepareWalls(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	file := filepath.Join(p.dir, ".ccdir.toml")
	p.put(file, `sandbox = "offline"`)
	if err := os.Mkdir(filepath.Join(p.dir, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		n    api.NewSession
		want string
	}{
		"at the top":            {api.NewSession{CWD: p.dir}, "offline"},
		"below":                 {api.NewSession{CWD: filepath.Join(p.dir, "below")}, "offline"},
		"without a tree":        {api.NewSession{CWD: p.dir, Worktree: "-"}, "offline"},
		"a conversation":        {api.NewSession{CWD: p.dir, Resume: "x"}, "offline"},
		"the person names some": {api.NewSession{CWD: p.dir, Sandbox: "none"}, ""},
		"a command":             {api.NewSession{CWD: p.dir, Argv: []string{"true"}}, ""},
		"no repository":         {api.NewSession{CWD: t.TempDir()}, ""},
	} {
		tt.n.Env = p.env()
		if err := p.Prepare(t.Context(), &tt.n); err != nil || tt.n.Project != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, tt.n.Project, err, tt.want)
		}
	}
	p.put(file, `sandbox = 3`)
	for n, starts := range map[*api.NewSession]bool{{CWD: p.dir, Worktree: "-"}: false, {CWD: p.dir, Worktree: "-", Sandbox: "none"}: true, {CWD: p.dir, Resume: "x"}: true} {
		n.Env = p.env()
		if err := p.Prepare(t.Context(), n); (err == nil) != starts {
			t.Errorf("settings that cannot be read, %+v: %v", *n, err)
		}
	}
}

// TestSetupCommand: a project's setup command runs in a session of its own if the person has agreed to
// its exact text; who asks first makes nothing without, and who does not gets a tree without it.
func TestSetupCommand(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.put(filepath.Join(p.dir, ".ccdir.toml"), "[worktree]\nsetup = \"make deps\"\n")
	p.commit(p.dir, "settings")
	n := api.NewSession{Name: "one", CWD: p.dir, Worktree: "one", AskSetup: true, Env: p.env()}
	if err := p.Prepare(t.Context(), &n); api.CodeOf(err) != api.CodeAsks || strings.Contains(p.git(p.dir, "worktree", "list"), "[one]") {
		t.Fatalf("nobody has agreed: %v", err)
	}
	n.AskSetup = false
	if err := p.Prepare(t.Context(), &n); err != nil || len(p.made) > 0 || !strings.HasPrefix(n.Setup, "not run: nobody has agreed") {
		t.Errorf("without asking: %v, %q, created %+v", err, n.Setup, p.made)
	}
	if e := p.noted(); len(e) != 2 || !strings.Contains(e[1], "was not run") {
		t.Errorf("noted: %q", e)
	}
	if err := p.Repositories.Consent(t.Context(), api.SetupConsent{Command: " "}, "", api.Call{}); api.CodeOf(err) != api.CodeInvalid {
		t.Errorf("to nothing: %v", err)
	}
	if err := p.Repositories.Consent(t.Context(), api.SetupConsent{Command: "make deps"}, "person", api.Call{}); err != nil {
		t.Fatal(err)
	}
	n = api.NewSession{Name: "two", CWD: p.dir, Worktree: "two", AskSetup: true, Env: p.env()}
	if s, err := p.Setup(t.Context(), n); err != nil || s.Command != "make deps" || !s.Consent {
		t.Errorf("asked before: %+v %v", s, err)
	}
	if err := p.Prepare(t.Context(), &n); err != nil || n.Setup != "in session two-setup" {
		t.Errorf("agreed: %v, %q", err, n.Setup)
	}
	if len(p.made) != 1 || p.made[0].CWD != n.CWD || !slices.Equal(p.made[0].Argv, []string{"sh", "-c", "make deps"}) || p.made[0].Worktree != "-" {
		t.Errorf("created %+v", p.made)
	}
}

// TestLists: repositories of the configuration, of sessions and of recent use are listed, each once,
// with what git says if asked; work trees of all of them.
func TestLists(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	side, other := p.tree("side"), filepath.Join(filepath.Dir(p.dir), "other")
	p.initRepo(other)
	p.config.Repos = []config.Repo{{Name: "mine", Path: p.dir}, {Name: "none", Path: p.fake}, {Name: "gone", Path: p.dir + "-gone"}}
	p.session("a", side, nil)
	p.session("ended", other, func(s *api.Session) { s.State = api.StateExited })
	p.used = []string{filepath.Join(p.dir, ".git"), other, p.fake}
	p.put(filepath.Join(side, "new.txt"), "new\n")
	list, err := p.Repos(t.Context(), true)
	got := map[string]api.Repo{}
	for _, r := range list {
		got[r.Name] = r
	}
	if want := []string{"gone", "mine", "none", "other", "repo-side"}; err != nil || len(list) != len(want) || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Fatalf("listed: %+v %v", list, err)
	}
	if r := got["mine"]; !r.Configured || r.Branch != "main" || r.Commit != p.git(p.dir, "rev-parse", "HEAD") || r.Status == nil || r.Status.Upstream == "" || r.Linked {
		t.Errorf("mine: %+v", r)
	}
	if r := got["repo-side"]; r.Branch != "side" || !r.Linked || !slices.Equal(r.Sessions, []string{"a"}) || r.Status == nil || r.Status.Untracked != 1 {
		t.Errorf("side: %+v", r)
	}
	if got["none"].Error == "" || got["gone"].Error == "" || got["other"].Configured {
		t.Errorf("%+v", got)
	}
	dirs, err := p.Repositories.Directories(t.Context())
	var paths []string
	for _, d := range dirs {
		paths = append(paths, d.Path)
	}
	if want := []string{p.dir, p.fake, filepath.Join(p.dir, ".git"), other}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("directories: %q %v", paths, err)
	}
	made, err := p.Add(t.Context(), api.NewWorktree{Dir: other, Branch: "fix", Env: p.env()})
	if err != nil {
		t.Fatal(err)
	}
	trees, err := p.List(t.Context(), "", false)
	var names []string
	for _, w := range trees {
		names = append(names, filepath.Base(w.Repo)+" "+w.Branch)
	}
	if want := []string{"other fix", "other main", "repo main", "repo side"}; err != nil || !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("work trees: %q %v", names, err)
	}
	gone, err := p.Remove(t.Context(), api.RemoveWorktree{Dir: other, Tree: made.Path})
	if err != nil {
		t.Fatal(err)
	}
	if back, err := p.Restore(t.Context(), api.RestoreWorktree{ID: gone.ID}); err != nil || back.Path != made.Path {
		t.Errorf("restored: %+v %v", back, err)
	}
	if e := p.noted(); len(e) != 3 || !strings.Contains(e[1], "is in the trash") || !strings.Contains(e[2], "was restored") {
		t.Errorf("noted: %q", e)
	}
}
