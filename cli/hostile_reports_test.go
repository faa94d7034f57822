package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ccdir/agents/claude"
	"ccdir/api"
	"ccdir/client"
)

// hostileText is what agents report to fool a person who reads it.
const hostileText = "EVIL\x1b]0;EVIL\x07\x1b[2J\x1b[31m\u009b6n\u009d0;EVIL\u009c\x07\x05\x0e\u202eEVIL\u2066\u200b\x1b]8;;javascript:EVIL\x1b\\\x1b]52;c;RVZJTA==\x07\r\nsecond\x00line\x7f"

// reporter is an agent whose hooks report a text as its prompt, notification, tool
// input, question and last words.
const reporter = `cd "$1"; for h in SessionStart UserPromptSubmit PreToolUse Notification; do ccdir-shim hook $h < $h.json >/dev/null; done
ccdir-shim hook PermissionRequest < PermissionRequest.json >/dev/null & echo reporter-waits; exec sleep 1000`

// reports starts such an agent.
func (h *home) reports(name, text string) {
	h.t.Helper()
	dir := filepath.Join(h.paths.Home, "reports-"+name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		h.t.Fatal(err)
	}
	input := map[string]any{"command": "echo " + text, "description": text, text: text}
	for hook, fields := range map[string]map[string]any{
		claude.HookSessionStart:      {"source": "startup", "model": text},
		claude.HookUserPromptSubmit:  {"prompt": text},
		claude.HookPreToolUse:        {"tool_name": "Bash", "tool_input": input, "tool_use_id": "u1"},
		claude.HookNotification:      {"message": text, "notification_type": text},
		claude.HookPermissionRequest: {"tool_name": "Bash", "tool_input": input},
	} {
		fields["hook_event_name"], fields["session_id"], fields["cwd"], fields["transcript_path"] = hook, "c-"+name, dir, ""
		data, err := json.Marshal(fields)
		if err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, hook+".json"), data, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	c := client.New(client.Options{Paths: h.paths, UID: -1, Exe: exe(), Env: h.env, Name: "test"})
	defer c.Close()
	if _, err := c.CreateSession(h.t.Context(), api.NewSession{Name: name, Agent: "claude", Argv: []string{"/bin/sh", "-c", reporter, "sh", dir}, CWD: dir, Env: h.env}); err != nil {
		h.t.Fatal(err)
	}
}

// TestHostileReports: what agents report by their hooks is shown by grid and verbs as
// text, whatever is in it.
func TestHostileReports(t *testing.T) {
	look := func(text string) (*home, string) {
		t.Helper()
		h := newHome(t)
		h.run("daemon", "start")
		h.reports("agent", text)
		s := h.start(nil, "attach")
		s.see("reporter-waits", "✋", "C-b a to answer") // the pane shows that it waits before its request is held
		s.keys("\x02a")                                 // the answer bar
		s.see("asks for permission", "[y]es")
		// Escape as terminals with the kitty protocol write it: a bare one, read together with
		// the next key on a busy machine, would be that key with Alt.
		const escape = "\x1b[27u"
		s.keys(escape)
		for _, key := range []string{"\x02i", "\x02o", "\x02w"} { // why, overview, sessions
			s.keys(key)
			s.keys(escape)
		}
		s.keys(detach)
		if code := s.exit(); code != 0 {
			t.Errorf("exit code %d: %q", code, s.text())
		}
		return h, s.text()
	}
	calm, calmOut := look("echo calm")
	wrong, known := judge(calmOut, nil)
	if len(wrong) > 0 {
		t.Errorf("without hostile texts: %s", strings.Join(wrong, "\n"))
	}
	calm.run("daemon", "stop", "--kill-sessions")
	h, out := look(hostileText)
	if wrong, _ := judge(out, known); len(wrong) > 0 {
		t.Errorf("the terminal got %s", strings.Join(wrong, "\n"))
	}
	if !strings.Contains(out, mark) {
		t.Error("the reports were not shown")
	}
	for _, args := range [][]string{{"ls"}, {"ls", "--json"}, {"show", "agent"}, {"show", "agent", "--json"}, {"explain", "agent"}, {"events"}, {"events", "--json"},
		{"approvals"}, {"approvals", "--json"}, {"decisions"}, {"search", "EVIL"}, {"search", "EVIL", "--json"}, {"rules", "agent"}, {"api", "sessions"}, {"api", "events?limit=50"}} {
		printed := h.run(args...)
		if i := strings.IndexFunc(printed, func(r rune) bool {
			return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2066
		}); i >= 0 {
			t.Errorf("ccdir %q prints %.80q", args, printed[max(0, i-20):])
		}
	}
}
