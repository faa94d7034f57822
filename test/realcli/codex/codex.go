// Package codex drives the real Codex, pinned in testdata/agents/codex, against test/fakeapi,
// for tests: in a throw-away home, so that nothing is sent to the real API and nobody's own
// settings are touched.
//
// Without the CLI (`make agents-test` installs it) the tests are skipped with a line that says
// so, unless CCDIR_REQUIRE_AGENTS=1.
package codex

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"ccdir/agents"
	"ccdir/test/realcli"
)

// Version is the version that testdata/agents/codex pins.
const Version = "0.169.0"

// CLI returns the absolute path of the pinned program. It skips or fails the test when there
// is none.
func CLI(t testing.TB) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	// The platform's own package has the program; the other one starts it by node.
	pattern := filepath.Join(realcli.Root(t), "testdata", "agents", "codex", "node_modules", "@openai", "codex-"+runtime.GOOS+"-"+arch, "vendor", "*", "bin", "codex")
	if found, _ := filepath.Glob(pattern); len(found) == 1 {
		return found[0]
	}
	const missing = "Codex is not installed in testdata/agents/codex: `make agents-test` installs it"
	if os.Getenv("CCDIR_REQUIRE_AGENTS") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Home makes a throw-away home with a project; Codex in it talks to the API at apiURL.
func Home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := realcli.Place{Home: filepath.Join(dir, "home"), Config: filepath.Join(dir, "home", ".codex"), CWD: filepath.Join(dir, "project")}
	tmp, git := filepath.Join(dir, "tmp"), filepath.Join(p.CWD, ".git")
	for _, d := range []string{p.Config, tmp, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Env = agents.TerminalEnv([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "SHELL=/bin/sh", "TMPDIR=" + tmp, "GORACE=atexit_sleep_ms=0"}, "test")
	return Settle(t, p, apiURL)
}

// Settle lets Codex live in a home too, whose API is at apiURL.
func Settle(t testing.TB, p realcli.Place, apiURL string) realcli.Place {
	t.Helper()
	home := filepath.Join(p.Home, ".codex")
	config := "model_provider = \"fake\"\nmodel = \"gpt-5.2-codex\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = " +
		strconv.Quote(apiURL+"/v1") + "\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
	if err := errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	p.Env = agents.SetEnv(p.Env, "CODEX_HOME="+home, "FAKE_KEY=dummy")
	return p
}
