// Package opencode drives the real opencode, pinned in testdata/agents/opencode, against
// test/fakeapi, for tests: in a throw-away home, so that nothing is sent to a real API and
// nobody's own settings are touched.
//
// Without the CLI (`make agents-test` installs it) the tests are skipped with a line that says
// so, unless CCDIR_REQUIRE_AGENTS=1.
package opencode

import (
	"encoding/json"
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
	dir := filepath.Join(realcli.Root(t), "testdata", "agents", "opencode", "node_modules")
	// The folder is named after the system, the only one for which it is pinned.
	if found, err := filepath.Glob(filepath.Join(dir, "opencode-*", "bin", "opencode")); err == nil && len(found) == 1 {
		return found[0]
	}
	const missing = "opencode is not installed in testdata/agents/opencode: `make agents-test` installs it (Linux on x86-64)"
	if os.Getenv("CCDIR_REQUIRE_AGENTS") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// Home makes a throw-away home with a project; opencode in it talks to the API at apiURL.
func Home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := realcli.Place{Home: filepath.Join(dir, "home"), CWD: filepath.Join(dir, "project")}
	p.Config = filepath.Join(p.Home, ".config", "opencode")
	tmp, git := filepath.Join(dir, "tmp"), filepath.Join(p.CWD, ".git")
	plugin := filepath.Join(p.Config, "node_modules", "@opencode-ai", "plugin")
	for _, d := range []string{plugin, tmp, filepath.Join(git, "objects"), filepath.Join(git, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	config, err := json.Marshal(map[string]any{
		"model": "fake/m", "small_model": "fake/m", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{"fake": map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "Fake",
			"options": map[string]any{"baseURL": apiURL + "/v1", "apiKey": "x"},
			"models":  map[string]any{"m": map[string]any{"name": "M", "cost": map[string]any{"input": 1, "output": 2}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(git, "HEAD"): "ref: refs/heads/main\n", filepath.Join(p.Config, "opencode.json"): string(config),
		// Else every start installs this package by npm.
		filepath.Join(p.Config, "package.json"):      `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`,
		filepath.Join(p.Config, "package-lock.json"): `{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`,
		filepath.Join(plugin, "package.json"):        `{"name":"@opencode-ai/plugin","version":"1.18.33"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.Env = agents.TerminalEnv([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "SHELL=/bin/sh", "TMPDIR=" + tmp, "GORACE=atexit_sleep_ms=0",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}, "test")
	return p
}
