package claude

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/untrusted"
)

// hookTable are the events that sessions subscribe to, each with the version that
// introduced it: all that report on the agent's activity. Versions before 2.1.101 ignore a
// whole settings file for one unknown event, and later ones complain about it, so each
// version gets its own list. (CHANGELOG.md of anthropics/claude-code; where it is silent, a
// version that was seen to have the event.)
//
// Left out are MessageDisplay and PostToolBatch (a process per flush of text, nothing new),
// FileChanged (needs a list of files) and the hooks that replace work when they are present
// (WorktreeCreate, WorktreeRemove).
var hookTable = []struct {
	event string
	since agents.Version
}{
	{"SessionStart", agents.Version{1, 0, 62}},
	{"Setup", agents.Version{2, 1, 10}},
	{"SessionEnd", agents.Version{1, 0, 85}},
	{"UserPromptSubmit", agents.Version{1, 0, 54}},
	{"UserPromptExpansion", agents.Version{2, 1, 294}}, // seen
	{"Stop", agents.Version{}},
	{"StopFailure", agents.Version{2, 1, 78}},
	{"PreToolUse", agents.Version{}},
	{"PostToolUse", agents.Version{}},
	{"PostToolUseFailure", agents.Version{2, 1, 119}}, // mentioned
	{"PermissionRequest", sinceRequests},
	{"PermissionDenied", agents.Version{2, 1, 89}},
	{"Notification", agents.Version{}},
	{"Elicitation", agents.Version{2, 1, 76}},
	{"ElicitationResult", agents.Version{2, 1, 76}},
	{"SubagentStart", agents.Version{2, 0, 43}},
	{"SubagentStop", agents.Version{1, 0, 41}},
	{"TeammateIdle", agents.Version{2, 1, 33}},
	{"TaskCreated", agents.Version{2, 1, 84}},
	{"TaskCompleted", agents.Version{2, 1, 33}},
	{"PreCompact", agents.Version{1, 0, 48}},
	{"PostCompact", agents.Version{2, 1, 76}},
	{"PreModelSwitch", agents.Version{2, 1, 294}},  // seen
	{"PostModelSwitch", agents.Version{2, 1, 294}}, // seen
	{"ConfigChange", agents.Version{2, 1, 49}},
	{"InstructionsLoaded", agents.Version{2, 1, 69}},
	{"CwdChanged", agents.Version{2, 1, 83}},
	{"DirectoryAdded", agents.Version{2, 1, 219}},
}

// Hooks are the events that a session of that version subscribes to. The zero version,
// unknown, gets all.
func Hooks(version agents.Version) []string {
	var out []string
	for _, h := range hookTable {
		if version == (agents.Version{}) || !version.Before(h.since) {
			out = append(out, h.event)
		}
	}
	return out
}

// hookCommand is one command of a hook in Claude Code's settings.
type hookCommand struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"` // in seconds
	// OnFailure is onFailureBlock or "". A value that the CLI does not know makes it ignore the
	// whole file.
	OnFailure string `json:"onFailure,omitempty"`
}

// onFailureBlock: the tool does not run if the hook fails. Not for PermissionRequest, which would be
// denied under the person's dialog.
const onFailureBlock = "block"

// commandOf is the hook's command. Hooks are executed directly by versions that can
// (args), but for the one that decides, which runs in the shell of its gate.
func commandOf(event, shim string, version agents.Version, args bool) hookCommand {
	out := hookCommand{Type: "command"}
	timeout, flags := api.HookTimeout, []string(nil)
	switch event {
	case HookPreToolUse:
		gate := agents.Gate{Shim: shim, Hook: event, Form: api.GateOutput, Limit: agents.GateLimit}
		out.Command, out.Timeout = gate.Command(), int(gate.Timeout()/time.Second)
		if !version.Before(sinceOnFailure) {
			out.OnFailure = onFailureBlock
		}
		return out
	case HookPermissionRequest:
		timeout = api.HookTimeoutPermission
		flags = []string{api.HookHoldFlag, timeoutFlag(timeout)}
	case HookSessionEnd:
		timeout = api.HookTimeoutEnding
		flags = []string{timeoutFlag(timeout)}
	}
	out.Timeout = int(timeout / time.Second)
	flags = append([]string{"hook", event}, flags...)
	if args {
		out.Command, out.Args = shim, flags
	} else {
		out.Command = agents.ShellQuote(shim) + " " + strings.Join(flags, " ")
	}
	return out
}

func timeoutFlag(d time.Duration) string {
	return api.HookTimeoutFlag + strconv.Itoa(int(d/time.Second))
}

// hookMatcher is one entry of an event: without a matcher it always matches.
type hookMatcher struct {
	Hooks []hookCommand `json:"hooks"`
}

// managedSettings is the settings file of a session of that version: our hooks, merged
// into own (the object of the user's --settings argument, or nil). Since 2.1.139 hooks
// are executed directly (see commandOf); before, and if the version is unknown, they are command
// lines for /bin/sh, which every version accepts. line is our status line, or nil.
func managedSettings(shim string, version agents.Version, own, line map[string]any) ([]byte, error) {
	args := !version.Before(sinceHookArgs)
	out := map[string]any{}
	for k, v := range own {
		out[k] = v
	}
	hooks := map[string]any{}
	if h, ok := out["hooks"].(map[string]any); ok {
		for k, v := range h {
			hooks[k] = v
		}
	}
	for _, event := range Hooks(version) {
		entries, _ := hooks[event].([]any)
		hooks[event] = append(entries[:len(entries):len(entries)], hookMatcher{Hooks: []hookCommand{commandOf(event, shim, version, args)}})
	}
	out["hooks"] = hooks
	// A user's own "disableAllHooks": true would silence ours too.
	out["disableAllHooks"] = false
	if line != nil {
		out["statusLine"] = line
	}
	return json.MarshalIndent(out, "", "  ")
}

// takeSettings removes --settings from args and returns its value, a file (relative to
// cwd) or JSON: the CLI honours only one.
func takeSettings(args []string, cwd string) (rest []string, own map[string]any, err error) {
	value, found := "", false
	for i := 0; i < len(args); i++ {
		switch v, ok := strings.CutPrefix(args[i], "--settings="); {
		case ok:
			value, found = v, true
		case args[i] == "--settings" && i+1 < len(args):
			i++
			value, found = args[i], true
		case args[i] == "--":
			rest = append(rest, args[i:]...)
			i = len(args)
		default:
			rest = append(rest, args[i])
		}
	}
	if !found {
		return rest, nil, nil
	}
	text := []byte(value)
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		path := value
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		if text, err = untrusted.Read(path, maxStateFile); err != nil {
			return nil, nil, fmt.Errorf("cannot read the file of --settings: %w", err)
		}
	}
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, nil, fmt.Errorf("--settings is not a JSON object: %w", err)
	}
	return rest, own, nil
}
