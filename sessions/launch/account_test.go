package launch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/config"
	"ccdir/sandbox"
)

func accountConfig(repo string) config.Config {
	cfg := config.Default()
	cfg.Agents = map[string]config.Agent{"claude": {Kind: agents.KindClaude, Command: "claude"}, "codex": {Kind: agents.KindCodex, Command: "codex"}}
	cfg.Accounts = map[string]config.Account{
		"work":  {Agent: "claude", Dir: "/w", Env: map[string]string{"TEAM": "w"}, Repositories: []string{repo}},
		"spare": {Agent: "claude", Dir: "/s"},
		"other": {Agent: "codex", Dir: "/c"},
	}
	return cfg
}

// TestAccountOfSession: an account is one for the repository, or named, and its directory is in the
// environment; what a caller's own variables say is what is shown.
func TestAccountOfSession(t *testing.T) {
	repo := t.TempDir()
	cfg := accountConfig(repo)
	for _, tt := range []struct {
		n             api.NewSession
		account, home string // or a part of the error
	}{
		{api.NewSession{}, "", ""},
		{api.NewSession{CWD: repo}, "work", "/w"},
		{api.NewSession{CWD: repo, Account: api.AccountDefault}, "", ""},
		{api.NewSession{CWD: repo, Account: "spare"}, "spare", "/s"},
		{api.NewSession{CWD: repo, Account: "spare", ExtraEnv: []string{"CLAUDE_CONFIG_DIR=/w"}}, "work", "/w"},
		{api.NewSession{CWD: repo, Account: "spare", ExtraEnv: []string{"CLAUDE_CONFIG_DIR=/nobody"}}, "", "/nobody"},
		{api.NewSession{Env: []string{"CLAUDE_CONFIG_DIR=/s"}}, "spare", "/s"},
		{api.NewSession{Account: "nobody"}, "", "no account is called"},
		{api.NewSession{Account: "other", Agent: "claude"}, "", "is one of codex"},
		{api.NewSession{Argv: []string{"ls"}, CWD: repo}, "", ""},
	} {
		if tt.n.CWD == "" {
			tt.n.CWD = t.TempDir()
		}
		ChooseAccount(t.Context(), cfg, &tt.n)
		spec, _, err := SpecOf(t.Context(), cfg, tt.n, false, time.Now())
		switch {
		case err != nil && (tt.home == "" || !strings.Contains(err.Error(), tt.home)):
			t.Errorf("%+v: %v", tt.n, err)
		case err == nil && (spec.Account != tt.account || agents.Getenv(spec.Env, "CLAUDE_CONFIG_DIR") != tt.home):
			t.Errorf("%+v: account %q, environment %q", tt.n, spec.Account, spec.Env)
		}
	}
	n := api.NewSession{Account: "other", CWD: repo}
	if ChooseAccount(t.Context(), cfg, &n); n.Agent != "codex" {
		t.Errorf("an account names its agent, found %q", n.Agent)
	}
}

// linkedRepo makes a repository with a linked work tree outside of it, and a directory whose .git only says that it is one.
func linkedRepo(t *testing.T) (repo, linked, liar string) {
	t.Helper()
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repo, linked, liar = filepath.Join(real, "repo"), filepath.Join(real, "linked"), filepath.Join(real, "liar")
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", repo, "-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(repo, "part"), 0o700), os.Mkdir(liar, 0o700), os.WriteFile(filepath.Join(repo, "part", "f"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "m")
	git("worktree", "add", "-q", "-b", "side", linked)
	link, err := os.ReadFile(filepath.Join(linked, ".git"))
	if err := errors.Join(err, os.WriteFile(filepath.Join(liar, ".git"), link, 0o600)); err != nil {
		t.Fatal(err)
	}
	return repo, linked, liar
}

// TestAccountsOfLinkedTrees: a work tree outside of its repository has the accounts of the same place in the main one,
// unless it has its own; a directory that only says so has none. The configuration may name the repository by a link.
func TestAccountsOfLinkedTrees(t *testing.T) {
	repo, linked, liar := linkedRepo(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(repo, link); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{repo, link} {
		cfg := accountConfig(named)
		part := cfg.Accounts["spare"]
		part.Repositories = []string{filepath.Join(named, "part")}
		cfg.Accounts["spare"] = part
		for dir, want := range map[string]string{repo: "work", link: "work", linked: "work", filepath.Join(linked, "part"): "spare", filepath.Join(link, "part"): "spare", liar: "", filepath.Dir(repo): ""} {
			n := api.NewSession{CWD: dir}
			if ChooseAccount(t.Context(), cfg, &n); n.Account != want {
				t.Errorf("configured as %s: in %s account %q, want %q", named, dir, n.Account, want)
			}
		}
	}
}

// TestLinkedTrees: role and walls of a repository hold in a linked work tree outside of it, too.
func TestLinkedTrees(t *testing.T) {
	repo, linked, liar := linkedRepo(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(repo, link); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{repo, link} {
		cfg := accountConfig("/elsewhere")
		cfg.Repos = []config.Repo{{Path: named, Sandbox: sandbox.Worktree}, {Path: filepath.Join(named, "part"), Role: "part"}}
		for dir, want := range map[string]string{repo: "dev worktree", linked: "dev worktree", filepath.Join(linked, "part"): "part worktree", filepath.Join(link, "part"): "part worktree", liar: "dev "} {
			spec, _, err := SpecOf(t.Context(), cfg, api.NewSession{Agent: "claude", CWD: dir}, false, time.Now())
			if got := spec.Role + " " + spec.Sandbox; err != nil || got != want {
				t.Errorf("configured as %s: in %s %q, want %q (%v)", named, dir, got, want, err)
			}
		}
	}
}

// TestAccountOfRole: an account for a role wins over that of the repository, and not over one that is named.
func TestAccountOfRole(t *testing.T) {
	repo := t.TempDir()
	cfg := accountConfig(repo)
	spare := cfg.Accounts["spare"]
	spare.Roles = []string{api.RoleReviewer}
	cfg.Accounts["spare"] = spare
	for _, tt := range []struct{ role, account, agent, want string }{
		{"", "", "", "work"}, {api.RoleReviewer, "", "", "spare"}, {api.RoleReviewer, "work", "", "work"}, {api.RoleReviewer, "", "codex", ""}, {api.RoleDev, "", "", "work"},
	} {
		n := api.NewSession{CWD: repo, Role: tt.role, Account: tt.account, Agent: tt.agent}
		if ChooseAccount(t.Context(), cfg, &n); n.Account != tt.want {
			t.Errorf("%+v: account %q", tt, n.Account)
		}
	}
}

// TestMoveTo: nothing of the account before stays in the environment.
func TestMoveTo(t *testing.T) {
	cfg := accountConfig(t.TempDir())
	spec := Spec{Kind: agents.KindClaude, Account: "work", Env: []string{"A=1", "CLAUDE_CONFIG_DIR=/w"}, Withheld: []string{"TEAM", "KEY"}}
	if err := spec.MoveTo(cfg, claude.Adapter{}, api.AccountDefault, nil); err != nil || spec.Account != "" ||
		!slices.Equal(spec.Env, []string{"A=1"}) || !slices.Equal(spec.Withheld, []string{"KEY"}) {
		t.Errorf("%+v, %v", spec, err)
	}
	if err := spec.MoveTo(cfg, claude.Adapter{}, "spare", nil); err != nil || spec.Account != "spare" || !slices.Equal(spec.Env, []string{"A=1", "CLAUDE_CONFIG_DIR=/s"}) {
		t.Errorf("%+v, %v", spec, err)
	}
	if err := spec.MoveTo(cfg, claude.Adapter{}, "other", nil); err == nil || spec.Account != "spare" {
		t.Errorf("%+v, %v", spec, err)
	}
}

// TestBackToOwnSignIn: what the caller's environment says of the agent's own sign-in is there again when a session
// comes back to it; of a session that does not know it any more, what configuration and daemon say.
func TestBackToOwnSignIn(t *testing.T) {
	repo := t.TempDir()
	cfg := accountConfig(repo)
	configured := accountConfig(repo)
	configured.Agents["claude"] = config.Agent{Kind: agents.KindClaude, Command: "claude", Env: map[string]string{"TEAM": "c"}}
	daemon := []string{"CLAUDE_CONFIG_DIR=/daemon"}
	caller := []string{"CLAUDE_CONFIG_DIR=/own", "TEAM=mine"}
	for name, tt := range map[string]struct {
		cfg        config.Config
		n          api.NewSession
		moves      []string
		old        bool // a session of a version that did not keep it
		home, team string
	}{
		"new":              {cfg, api.NewSession{Env: caller, Account: api.AccountDefault}, nil, false, "/own", "mine"},
		"own to own":       {cfg, api.NewSession{Env: caller, Account: api.AccountDefault}, []string{"default"}, false, "/own", "mine"},
		"chosen at first":  {cfg, api.NewSession{Env: caller}, []string{"default"}, false, "/own", "mine"},
		"chosen, none":     {cfg, api.NewSession{Env: []string{"A=1"}}, []string{"default"}, false, "", ""},
		"over two":         {cfg, api.NewSession{Env: caller}, []string{"spare", "default"}, false, "/own", "mine"},
		"there and back":   {cfg, api.NewSession{Env: caller, Account: api.AccountDefault}, []string{"work", "spare", "default"}, false, "/own", "mine"},
		"twice":            {cfg, api.NewSession{Env: caller, Account: api.AccountDefault}, []string{"work", "default", "work", "default"}, false, "/own", "mine"},
		"not known":        {cfg, api.NewSession{Env: caller}, []string{"default"}, true, "/daemon", ""},
		"not known, agent": {configured, api.NewSession{Env: caller}, []string{"default"}, true, "/daemon", "c"},
	} {
		tt.n.CWD = repo
		ChooseAccount(t.Context(), tt.cfg, &tt.n)
		spec, adapter, err := SpecOf(t.Context(), tt.cfg, tt.n, false, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if tt.old {
			spec.Own = nil
		}
		for _, account := range tt.moves {
			if err := spec.MoveTo(tt.cfg, adapter, account, daemon); err != nil {
				t.Fatal(err)
			}
		}
		home, team := agents.Getenv(spec.Env, "CLAUDE_CONFIG_DIR"), agents.Getenv(spec.Env, "TEAM")
		if home != tt.home || team != tt.team || spec.Account != "" || spec.Own != nil {
			t.Errorf("%s: directory %q, team %q, account %q, kept %q", name, home, team, spec.Account, spec.Own)
		}
	}
}
