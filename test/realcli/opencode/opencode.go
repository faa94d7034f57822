// Package opencode drives the real opencode, pinned in testdata/agents/opencode, against
// test/fakeapi, for tests: in a throw-away home, so that nothing is sent to a real API and
// nobody's own settings are touched.
package opencode

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"ccdir/agents"
	"ccdir/test/realcli"
)

// agent is the pinned opencode. The program's folder is named after the system, the only one for
// which it is pinned (Linux on x86-64).
var agent = realcli.Other{Name: "opencode", Kind: "opencode", Program: filepath.Join("opencode-*", "bin", "opencode"), Home: home}

// home makes a throw-away home with a project; opencode in it talks to the API at apiURL.
func home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	p := realcli.NewPlace(t, ".config", "opencode")
	config, err := json.Marshal(map[string]any{
		"model": "fake/m", "small_model": "fake/m", "autoupdate": false, "share": "disabled",
		"provider": map[string]any{"fake": map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "Fake",
			"options": map[string]any{"baseURL": apiURL + "/v1", "apiKey": "x"},
			"models":  map[string]any{"m": map[string]any{"name": "M", "cost": map[string]any{"input": 1, "output": 2}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	p.Configure(t, map[string]string{
		"opencode.json": string(config),
		// Else every start installs this package by npm.
		"package.json":      `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`,
		"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}`,
		filepath.Join("node_modules", "@opencode-ai", "plugin", "package.json"): `{"name":"@opencode-ai/plugin","version":"1.18.33"}`,
	})
	p.Env = agents.SetEnv(p.Env, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1")
	return p
}
