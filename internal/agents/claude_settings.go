package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ccdir/internal/api"
)

// ClaudeHooks are the events that sessions subscribe to: all that say
// something about what the agent does. Left out are MessageDisplay and
// PostToolBatch (a process per flush of text, nothing new), FileChanged (needs
// a list of files) and the hooks that take over work when they are present
// (WorktreeCreate, WorktreeRemove).
var ClaudeHooks = []string{
	"SessionStart", "Setup", "SessionEnd",
	"UserPromptSubmit", "UserPromptExpansion", "Stop", "StopFailure",
	"PreToolUse", "PostToolUse", "PostToolUseFailure",
	"PermissionRequest", "PermissionDenied",
	"Notification", "Elicitation", "ElicitationResult",
	"SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted",
	"PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch",
	"ConfigChange", "InstructionsLoaded", "CwdChanged", "DirectoryAdded",
}

// HookTimeout is the timeout written into the settings for a hook.
func HookTimeout(hook string) time.Duration {
	switch hook {
	case "PermissionRequest":
		return api.HookTimeoutPermission
	case "SessionEnd":
		return api.HookTimeoutSessionEnd
	}
	return api.HookTimeout
}

// hookCommand is one command of a hook in Claude Code's settings.
type hookCommand struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args,omitempty"`
	Timeout int      `json:"timeout"`
}

// hookMatcher is one entry of an event: without a matcher it fits always.
type hookMatcher struct {
	Hooks []hookCommand `json:"hooks"`
}

// ClaudeSettings is the settings file of a session: our hooks, merged into own
// (the object of a --settings argument of the user's, or nil). With args the
// hooks are executed directly; without, they are command lines for /bin/sh,
// which is what versions before 2.1.139 know.
func ClaudeSettings(shim string, args bool, own map[string]any) ([]byte, error) {
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
	for _, event := range ClaudeHooks {
		command := hookCommand{Type: "command", Timeout: int(HookTimeout(event) / time.Second)}
		if args {
			command.Command, command.Args = shim, []string{"hook", event}
		} else {
			command.Command = ShellQuote(shim) + " hook " + event
		}
		entries, _ := hooks[event].([]any)
		hooks[event] = append(entries[:len(entries):len(entries)], hookMatcher{Hooks: []hookCommand{command}})
	}
	out["hooks"] = hooks
	// A user's own "disableAllHooks": true would silence ours too.
	out["disableAllHooks"] = false
	return json.MarshalIndent(out, "", "  ")
}

// ShellQuote quotes s for /bin/sh.
func ShellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// takeSettings takes --settings out of args and returns what it names, a file
// (relative to cwd) or JSON: the CLI honours only one.
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
		if text, err = os.ReadFile(path); err != nil {
			return nil, nil, fmt.Errorf("cannot read the file of --settings: %w", err)
		}
	}
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, nil, fmt.Errorf("--settings is not a JSON object: %w", err)
	}
	return rest, own, nil
}
