package call

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// TestWithoutDaemon: PreToolUse answers as the policy said last; other hooks, and
// sessions without a policy, print nothing.
func TestWithoutDaemon(t *testing.T) {
	for name, c := range map[string]struct{ hook, file, env, want string }{
		"no policy":            {"PreToolUse", "none", "", ""},
		"never had one":        {"PreToolUse", "-", "", ""},
		"ask":                  {"PreToolUse", "ask", "ask", "ask"},
		"came later":           {"PreToolUse", "deny", "", "deny"},
		"went later":           {"PreToolUse", "none", "ask", ""},
		"the file was removed": {"PreToolUse", "-", "deny", "deny"},
		"damaged":              {"PreToolUse", "allow", "ask", "ask"},
		"damaged environment":  {"PreToolUse", "-", "allow", "ask"},
		"another hook":         {"PostToolUse", "deny", "deny", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.file != "-" {
				if err := os.WriteFile(filepath.Join(dir, paths.LossFile), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			env := []string{api.EnvSession + "=s", api.EnvToken + "=t", api.EnvSocket + "=" + filepath.Join(dir, "no.sock"), api.EnvDir + "=" + dir, api.EnvOnLoss + "=" + c.env}
			var out bytes.Buffer
			if code := run(older(c.hook), strings.NewReader(`{"tool_name":"Bash"}`), &out, &out, env, time.Now()); code != 0 {
				t.Errorf("exit code %d", code)
			}
			if c.want == "" && out.Len() > 0 || c.want != "" && !strings.Contains(out.String(), `"permissionDecision":"`+c.want+`"`) {
				t.Errorf("printed %s, want %q", out.String(), c.want)
			}
			spooled, _ := filepath.Glob(filepath.Join(dir, paths.SpoolDir, "*.json"))
			if len(spooled) != 1 {
				t.Fatalf("%d calls in the spool", len(spooled))
			}
			if data, _ := os.ReadFile(spooled[0]); strings.Contains(string(data), `"answered"`) != (c.want != "") {
				t.Errorf("spooled %s", data)
			}
		})
	}
}
