package codex

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sandbox"
	"ccdir/test/realcli"
)

// ticket is a token of OpenAI's sign-in that ends at a time.
func ticket(end time.Time, name string) string {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	return part(`{"alg":"RS256","typ":"JWT"}`) + "." + part(fmt.Sprintf(`{"exp":%d,"jti":%q,"email":"x@example.org","https://api.openai.com/auth":{"chatgpt_account_id":"acc","chatgpt_user_id":"u","chatgpt_plan_type":"pro"}}`, end.Unix(), name)) + "." + part("signed")
}

// TestWalledSignIn: a sign-in that has expired is refreshed behind walls, in the file itself, once.
func TestWalledSignIn(t *testing.T) {
	realcli.NeedWalls(t)
	agent, old, renewed := agent, ticket(time.Now().Add(-time.Hour), "old"), ticket(time.Now().Add(time.Hour), "new")
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/token") {
			asked.Add(1)
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"id_token":%q,"access_token":%q,"refresh_token":"rt-new"}`, renewed, renewed)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(service.Close)
	var file string
	agent.Home = func(t testing.TB, apiURL string) realcli.Place {
		p := home(t, apiURL)
		settings := filepath.Join(p.Config, "config.toml")
		file = filepath.Join(p.Config, "auth.json")
		text, err := os.ReadFile(settings)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			settings: "chatgpt_base_url = \"" + service.URL + "\"\ncli_auth_credentials_store = \"file\"\n" + strings.Replace(string(text), "env_key = \"FAKE_KEY\"", "requires_openai_auth = true", 1),
			file:     fmt.Sprintf(`{"auth_mode":"chatgpt","OPENAI_API_KEY":null,"tokens":{"id_token":%q,"access_token":%q,"refresh_token":"rt-old","account_id":"acc"},"last_refresh":"2026-01-01T00:00:00Z"}`, old, old),
		} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p.Env = agents.SetEnv(p.Env, "CODEX_REFRESH_TOKEN_URL_OVERRIDE="+service.URL+"/oauth/token")
		return p
	}
	ctx, p, _ := agent.Product(t, nil)
	tree, _ := p.Place.LinkedTree(t)
	id := p.New(ctx, "-C", tree, "--sandbox", sandbox.Worktree)
	// The service knows nothing else, so that Codex may end then.
	p.Until(ctx, id, "the sign-in is read", func(s api.Session) bool { return s.State.Ended() || s.State == api.StateIdle })
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), "rt-new") || !strings.Contains(string(data), renewed) || asked.Load() != 1 {
		t.Errorf("the sign-in is %s (%v); its service was asked %d times\n%s", data, err, asked.Load(), p.Dump())
	}
}
