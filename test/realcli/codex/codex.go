// Package codex drives the real Codex, pinned in testdata/agents/codex, against test/fakeapi,
// for tests: in a throw-away home, so that nothing is sent to the real API and nobody's own
// settings are touched.
package codex

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ccdir/agents"
	"ccdir/test/realcli"
)

// agent is the pinned Codex: the platform's own package has the program, the other one starts it
// by node.
var agent = realcli.Other{Name: "Codex", Kind: "codex", Program: filepath.Join("@openai", "codex-"+realcli.Platform(), "vendor", "*", "bin", "codex"), Home: home}

// home makes a throw-away home with a project; Codex in it talks to the API at apiURL.
func home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	return settle(t, realcli.NewPlace(t, ".codex"), apiURL)
}

// settle lets Codex live in a home too, whose API is at apiURL.
func settle(t testing.TB, p realcli.Place, apiURL string) realcli.Place {
	t.Helper()
	home := filepath.Join(p.Home, ".codex")
	// A sandbox that may write into /tmp makes an empty /tmp/.git to protect it, and leaves it to all others.
	config := "model_provider = \"fake\"\nmodel = \"gpt-5.2-codex\"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n[model_providers.fake]\nname = \"fake\"\nbase_url = " +
		strconv.Quote(apiURL+"/v1") + "\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n"
	if err := errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600)); err != nil {
		t.Fatal(err)
	}
	p.Env = agents.SetEnv(p.Env, "CODEX_HOME="+home, "FAKE_KEY=dummy")
	return p
}
