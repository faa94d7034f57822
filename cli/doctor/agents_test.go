package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/cli/verb"
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
	a := &verb.App{Process: verb.Process{Dir: dir, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}}
	for command, want := range map[string]struct {
		installed, tested, hint bool
		version                 string
	}{
		"none":   {hint: true},
		"good":   {installed: true, tested: true, version: "2.1.329 (Claude Code)"},
		"newer":  {installed: true, version: "9.1.0"},
		"broken": {installed: true, hint: true},
	} {
		r := rowOf(t.Context(), a, "x", config.Agent{Kind: "claude", Command: command})
		if r.Installed != want.installed || r.Tested != want.tested || r.Version != want.version || (r.Hint != "") != want.hint {
			t.Errorf("%s: %+v", command, r)
		}
		if r.State == "" || r.Permissions == "" || r.Prompts == "" || !r.Resume || !r.OneShot || !r.MCP {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

// TestDoctorVersions: doctor says of an agent whether the tests run its version; an older one, one
// that says none and one that does not run are warnings.
func TestDoctorVersions(t *testing.T) {
	dir := t.TempDir()
	a := &verb.App{Process: verb.Process{Dir: dir, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}}
	for version, want := range map[string]struct{ status, says string }{
		"codex-cli 0.169.0": {checkOK, "tested with"},
		"codex-cli 0.170.1": {checkOK, "newer than what was tested"},
		"codex-cli 0.12.0":  {checkWarn, "older than what was tested"},
		"codex-cli":         {checkWarn, "its version is not known"},
		"; exit 3":          {checkWarn, "codex"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "codex"), []byte("#!/bin/sh\necho "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		c := checkAgent(t.Context(), a, "codex", config.Agent{Kind: "codex"})
		if c.Status != want.status || !strings.Contains(c.Detail, want.says) {
			t.Errorf("%s: %+v", version, c)
		}
	}
}
