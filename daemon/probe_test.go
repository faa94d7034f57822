package daemon

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ccdir/config"
	"ccdir/internal/disk/paths"
	"ccdir/usage"
)

// TestProbeAsk: an agent is asked in its account's directory by a process that ends; one that does not know the
// question, has no subscription, says nothing or hangs has a reason.
func TestProbeAsk(t *testing.T) {
	t.Parallel()
	answers, err := filepath.Abs("../agents/claude/testdata/usage")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ script, want string }{
		"signed in":         {`read -r question; echo "$question" "$@" "$CLAUDE_CONFIG_DIR" >asked; tr -d '\n' <ANSWERS/get_usage.response.oauth.json; echo; cat >/dev/null; touch ended`, ""},
		"an API key":        {`read -r question; tr -d '\n' <ANSWERS/get_usage.response.api-key.json; echo`, "not signed in with a subscription"},
		"an older one":      {`read -r question; echo '{"type":"control_response","response":{"subtype":"error","error":"Unsupported"}}'`, "does not know the question: Unsupported"},
		"ends":              {`echo '{"type":"system"}'; exit 1`, "ends without an answer"},
		"writes for ever":   {`exec yes`, "ends without an answer"},
		"says nothing":      {`exec sleep 600`, "ends without an answer"},
		"cannot be started": {"", "cannot run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			program := filepath.Join(dir, "agent")
			if tt.script != "" {
				if err := os.WriteFile(program, []byte("#!/bin/sh\n"+strings.ReplaceAll(tt.script, "ANSWERS", answers)+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			d := &daemon{o: Options{Paths: paths.Paths{State: dir}, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "CLAUDE_CODE_SSE_PORT=1"}}}
			loaded := config.Parse([]byte("[agents.claude]\ncommand = '"+program+"'\n[accounts.work]\nagent = 'claude'\ndir = '/w'\n"), "config.toml", dir)
			d.config.Store(&loaded)
			p := prober{d}
			if !p.May("claude", "work") || !p.May("claude", "") || p.May("claude", "gone") || p.May("codex", "") {
				t.Error("it may ask others than it should")
			}
			ctx, end := context.WithCancel(t.Context())
			defer end()
			if name == "says nothing" {
				time.AfterFunc(200*time.Millisecond, end)
			}
			list, err := p.Ask(ctx, "claude", "work")
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%v, %v", list, err)
				}
				return
			}
			if err != nil || len(list) == 0 || list[0].Source != usage.SourceProbe {
				t.Fatalf("%+v, %v", list, err)
			}
			asked, err := os.ReadFile(filepath.Join(dir, "asked"))
			if err != nil || !strings.Contains(string(asked), `"get_usage"`) || !strings.Contains(string(asked), "disableAllHooks") || !strings.HasSuffix(strings.TrimSpace(string(asked)), "/w") {
				t.Errorf("it was asked %q (%v)", asked, err)
			}
			if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
				t.Errorf("its end was not awaited: %v", err)
			}
		})
	}
	loaded := config.Parse([]byte("usage_probe = false\n"), "config.toml", "/")
	d := &daemon{}
	d.config.Store(&loaded)
	if (prober{d}).May("claude", "") {
		t.Error("it is switched off, and asks")
	}
}
