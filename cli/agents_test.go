package cli

import (
	"os"
	"path/filepath"
	"testing"

	"ccdir/config"
)

// TestAgentRow: an agent that is not there, one of a tested version, one of another, and one
// that does not run.
func TestAgentRow(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{
		"good": "echo 2.1.329 '(Claude Code)'", "newer": "echo 9.1.0", "broken": "exit 3",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{Process: Process{Dir: dir, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}}
	for command, want := range map[string]struct {
		installed, tested, hint bool
		version                 string
	}{
		"none":   {hint: true},
		"good":   {installed: true, tested: true, version: "2.1.329 (Claude Code)"},
		"newer":  {installed: true, version: "9.1.0"},
		"broken": {installed: true, hint: true},
	} {
		r := a.agentRow(t.Context(), "x", config.Agent{Kind: "claude", Command: command})
		if r.Installed != want.installed || r.Tested != want.tested || r.Version != want.version || (r.Hint != "") != want.hint {
			t.Errorf("%s: %+v", command, r)
		}
		if r.State == "" || r.Permissions == "" || r.Prompts == "" || !r.Resume || !r.OneShot || !r.MCP {
			t.Errorf("%s: %+v", command, r)
		}
	}
}
