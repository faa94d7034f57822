// Package gemini drives the real Gemini CLI, pinned in testdata/agents/gemini, against
// test/fakeapi, for tests: in a throw-away home, so that nothing is sent to the real API and
// nobody's own settings are touched.
//
// Without the CLI (`make agents-test` installs it) the tests are skipped with a line that says
// so, unless CCDIR_REQUIRE_AGENTS=1.
package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/agents"
	"ccdir/test/realcli"
)

// CLI returns the absolute path of the pinned program. It skips or fails the test when there
// is none.
func CLI(t testing.TB) string {
	t.Helper()
	path := filepath.Join(realcli.Root(t), "testdata", "agents", "gemini", "node_modules", ".bin", "gemini")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	const missing = "Gemini CLI is not installed in testdata/agents/gemini: `make agents-test` installs it"
	if os.Getenv("CCDIR_REQUIRE_AGENTS") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Home makes a throw-away home with a project; Gemini CLI in it talks to the API at apiURL, and
// trusts the project.
func Home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := realcli.Place{Home: filepath.Join(dir, "home"), Config: filepath.Join(dir, "home", ".gemini"), CWD: filepath.Join(dir, "project")}
	tmp, git := filepath.Join(dir, "tmp"), filepath.Join(p.CWD, ".git")
	for _, d := range []string{p.Config, tmp, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	settings := `{
	// as a person writes it
	"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}
}`
	for path, text := range map[string]string{filepath.Join(git, "HEAD"): "ref: refs/heads/main\n", filepath.Join(p.Config, "settings.json"): settings,
		filepath.Join(p.Config, "trustedFolders.json"): `{"` + p.CWD + `":"TRUST_FOLDER"}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Env = agents.TerminalEnv([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL=" + apiURL,
		"SHELL=/bin/sh", "TMPDIR=" + tmp, "GORACE=atexit_sleep_ms=0"}, "test")
	return p
}
