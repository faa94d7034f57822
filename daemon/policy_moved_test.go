package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/api"
)

// TestMovedSettings: files by which an agent is set up are asked about also where the environment,
// or an account, has moved them, and by another name of theirs; what else lies there is not.
func TestMovedSettings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.policy("[roles.dev]\nallow = [\"Bash\", \"Edit(//**)\"]\n")
	work := filepath.Join(p.paths.Home, "settings")
	if err := os.MkdirAll(filepath.Join(work, "claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("settings", filepath.Join(p.paths.Home, "other")); err != nil {
		t.Fatal(err)
	}
	config, err := os.OpenFile(p.paths.ConfigFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := config.WriteString("\n[accounts.second]\nagent = \"codex\"\ndir = \"" + work + "/second\"\n"); err != nil {
		t.Fatal(err)
	}
	if err := config.Close(); err != nil {
		t.Fatal(err)
	}
	p.run()
	s := p.create(api.NewSession{Name: "one", Agent: "claude", Argv: sh("exec sleep 1000"), Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.paths.Home,
		"CLAUDE_CONFIG_DIR=" + work + "/claude", "CODEX_HOME=" + work + "/codex", "XDG_CONFIG_HOME=" + work + "/xdg", "OPENCODE_CONFIG=" + work + "/oc.json", "OPENCODE_CONFIG_DIR=" + work + "/oc",
		"GEMINI_CLI_HOME=" + work + "/g", "GEMINI_CLI_TRUSTED_FOLDERS_PATH=" + work + "/trust", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + work + "/system.json"}})
	for command, want := range map[string]string{
		"echo x > W/claude/settings.json": "ask", "echo x > O/claude/settings.json": "ask", "rm -f W/claude/sett*": "ask", "touch W/claude/hooks/a": "ask", "mv W/claude W/c": "ask",
		"touch W/claude/agents/a.md": "ask", "touch W/claude/projects/memory.md": "allow", "cat W/claude/settings.json": "allow",
		"echo x >> W/codex/config.toml": "ask", "rm -rf W/codex": "ask", "rm -rf W": "ask", "touch W/codex2": "allow", "echo x > W/second/config.toml": "ask",
		"touch W/xdg/opencode/a": "ask", "touch W/xdg/git/config": "allow", "echo x > W/oc.json": "ask", "touch W/oc/plugin/a.ts": "ask",
		"echo x > W/g/.gemini/settings.json": "ask", "touch W/g/x": "allow", "echo x > W/trust": "ask", "echo x > W/system.json": "ask",
	} {
		command = strings.NewReplacer("W", work, "O", filepath.Join(p.paths.Home, "other")).Replace(command)
		if got := decision(p.pretool(s, command, command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
