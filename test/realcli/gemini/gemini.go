// Package gemini drives the real Gemini CLI, pinned in testdata/agents/gemini, against
// test/fakeapi, for tests: in a throw-away home, so that nothing is sent to the real API and
// nobody's own settings are touched.
package gemini

import (
	"path/filepath"
	"testing"

	"ccdir/agents"
	"ccdir/test/realcli"
)

// agent is the pinned Gemini CLI. With this model it asks the API for nothing beside the turns.
var agent = realcli.Other{Name: "Gemini CLI", Kind: "gemini", Program: filepath.Join(".bin", "gemini"), Args: `["-m", "gemini-2.5-flash"]`, Home: home}

// settings are as a person writes them.
const settings = `{
	// as a person writes it
	"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true}
}`

// home makes a throw-away home with a project; Gemini CLI in it talks to the API at apiURL, and
// trusts the project.
func home(t testing.TB, apiURL string) realcli.Place {
	t.Helper()
	p := realcli.NewPlace(t, ".gemini")
	p.Configure(t, map[string]string{"settings.json": settings, "trustedFolders.json": `{"` + p.CWD + `":"TRUST_FOLDER"}`})
	p.Env = agents.SetEnv(p.Env, "GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL="+apiURL)
	return p
}
