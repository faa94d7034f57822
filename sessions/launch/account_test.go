package launch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/config"
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
		ChooseAccount(cfg, &tt.n)
		spec, _, err := SpecOf(cfg, tt.n, false, time.Now())
		switch {
		case err != nil && (tt.home == "" || !strings.Contains(err.Error(), tt.home)):
			t.Errorf("%+v: %v", tt.n, err)
		case err == nil && (spec.Account != tt.account || agents.Getenv(spec.Env, "CLAUDE_CONFIG_DIR") != tt.home):
			t.Errorf("%+v: account %q, environment %q", tt.n, spec.Account, spec.Env)
		}
	}
	n := api.NewSession{Account: "other", CWD: repo}
	if ChooseAccount(cfg, &n); n.Agent != "codex" {
		t.Errorf("an account names its agent, found %q", n.Agent)
	}
}

// TestMoveTo: nothing of the account before stays in the environment.
func TestMoveTo(t *testing.T) {
	cfg := accountConfig(t.TempDir())
	spec := Spec{Kind: agents.KindClaude, Account: "work", Env: []string{"A=1", "CLAUDE_CONFIG_DIR=/w"}, Withheld: []string{"TEAM", "KEY"}}
	if err := spec.MoveTo(cfg, claude.Adapter{}, api.AccountDefault); err != nil || spec.Account != "" ||
		!slices.Equal(spec.Env, []string{"A=1"}) || !slices.Equal(spec.Withheld, []string{"KEY"}) {
		t.Errorf("%+v, %v", spec, err)
	}
	if err := spec.MoveTo(cfg, claude.Adapter{}, "spare"); err != nil || spec.Account != "spare" || !slices.Equal(spec.Env, []string{"A=1", "CLAUDE_CONFIG_DIR=/s"}) {
		t.Errorf("%+v, %v", spec, err)
	}
	if err := spec.MoveTo(cfg, claude.Adapter{}, "other"); err == nil || spec.Account != "spare" {
		t.Errorf("%+v, %v", spec, err)
	}
}
