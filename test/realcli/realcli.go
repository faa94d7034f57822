// Package realcli drives the real Claude Code, pinned in testdata/agents, against
// test/fakeapi, for tests: in a seeded throw-away home, so that no dialog of a first start
// appears, nothing is sent to the real API and nobody's own settings are touched.
//
// Without the CLI (no npm, not installed by `make test`) the tests are skipped with a line
// that says so, unless CCDIR_REQUIRE_ALL=1, which CI sets.
//
// The packages below it drive other CLIs in the same way, each by an Other.
package realcli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"ccdir/agents"
	"ccdir/test/programs"
)

// Versions of the CLI that testdata/agents pins: the newest that the tests were
// written against, and the last without OSC 7501.
const (
	Version = "2.1.329"
	Older   = "2.1.294"
)

// Claude returns the absolute path of the pinned CLI, or of the one that
// CCDIR_TEST_CLAUDE names. It skips or fails the test when there is none.
func Claude(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("CCDIR_TEST_CLAUDE"); path != "" {
		return path
	}
	return pinned(t, "")
}

// ClaudeOlder is Claude for the pinned version Older.
func ClaudeOlder(t testing.TB) string {
	t.Helper()
	return pinned(t, "claude-2-1-294")
}

// pinned finds the CLI that npm installed under that name, "" for its own.
func pinned(t testing.TB, alias string) string {
	t.Helper()
	modules := filepath.Join(Root(t), "testdata", "agents", "node_modules")
	// The platform's own package has the program even where npm may not run install
	// scripts.
	program := filepath.Join("@anthropic-ai", "claude-code-"+Platform(), "claude")
	candidates := []string{filepath.Join(modules, program), filepath.Join(modules, ".bin", "claude")}
	if alias != "" {
		candidates = []string{filepath.Join(modules, alias, "node_modules", program), filepath.Join(modules, alias, "bin", "claude.exe")}
	}
	for _, path := range candidates {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	missing := "Claude Code is not installed in testdata/agents: run `make test` with npm, or `npm ci` there"
	if alias != "" {
		missing = "the older Claude Code (" + alias + ") is not installed in testdata/agents: run `make agents` with npm, or `npm ci` there"
	}
	if programs.RequireAll() {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Root is the module's directory: the nearest one upwards with a go.mod.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's directory")
		}
		dir = parent
	}
}

// Place is a seeded home.
type Place struct {
	// Home is HOME, Config CLAUDE_CONFIG_DIR, CWD the trusted project.
	Home, Config, CWD string
	// Env is a whole environment for the CLI: base URL, dummy token, nothing
	// inherited but PATH and the locale.
	Env []string
}

// Seed changes what the throw-away home starts with.
type Seed struct {
	// Untrusted leaves the trust dialog open.
	Untrusted bool
	// Notices leaves the start-up notices on.
	Notices bool
	// IdleNotifyMS is the delay of the idle_prompt notification; 0 is the
	// CLI's own (60 s).
	IdleNotifyMS int
}

// Home makes a throw-away home whose CLI talks to the API at apiURL.
func Home(t testing.TB, apiURL string) Place { return HomeWith(t, apiURL, Seed{}) }

// HomeWith is Home with changes.
func HomeWith(t testing.TB, apiURL string, seed Seed) Place {
	t.Helper()
	p := NewPlace(t, ".claude")
	config := map[string]any{"hasCompletedOnboarding": true}
	if !seed.Notices {
		config["hasSeenAutoDefaultNotice"] = true
		config["hasSeenAutoDefaultNudge"] = true
	}
	if !seed.Untrusted {
		config["projects"] = map[string]any{p.CWD: map[string]any{"hasTrustDialogAccepted": true}}
	}
	if seed.IdleNotifyMS > 0 {
		config["messageIdleNotifThresholdMs"] = seed.IdleNotifyMS
	}
	data, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	p.Configure(t, map[string]string{".claude.json": string(data)})
	p.Env = agents.SetEnv(p.Env, "CLAUDE_CONFIG_DIR="+p.Config,
		"ANTHROPIC_BASE_URL="+apiURL, "ANTHROPIC_AUTH_TOKEN=dummy",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		// Otherwise each start calls ssh and git for a list of plugins.
		"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1")
	return p
}
