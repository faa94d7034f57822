package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ccdir/api"
)

// hooker runs hook commands as Claude Code does: executed directly, in a
// session of their own, with the payload on standard input.
type hooker struct {
	shim    string
	environ []string
	common  map[string]any
	least   time.Duration // the least time that every hook takes
}

// reports says which file has the conversation.
func (h *hooker) reports(r *record) {
	if h != nil && r != nil {
		h.common["transcript_path"] = r.path
	}
}

// newHooker returns nil outside of ccdir, or when hooks are off.
func newHooker(o options, environ []string, cwd string) *hooker {
	inside := false
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, api.EnvSession+"="); ok && v != "" {
			inside = true
		}
	}
	if o.noHooks || !inside || o.shim == "" {
		return nil
	}
	return &hooker{shim: o.shim, environ: environ, least: o.hookTimeout, common: map[string]any{
		"session_id": o.sessionID, "cwd": cwd, "permission_mode": "default",
	}}
}

// maxHookOutput bounds a hook's output, in bytes.
const maxHookOutput = 1 << 20

// call runs one hook and returns its output; it blocks until the process ends, the
// hook's timeout passes or ctx ends. A nil hooker does nothing.
func (h *hooker) call(ctx context.Context, name string, members map[string]any) []byte {
	if h == nil {
		return nil
	}
	payload := map[string]any{"hook_event_name": name}
	for k, v := range h.common {
		payload[k] = v
	}
	for k, v := range members {
		payload[k] = v
	}
	data, err := json.Marshal(payload)
	if err != nil {
		return nil
	}
	timeout := api.HookTimeout
	switch name {
	case "PermissionRequest":
		timeout = api.HookTimeoutPermission
	case "SessionEnd":
		timeout = api.HookTimeoutEnding
	}
	ctx, cancel := context.WithTimeout(ctx, max(timeout, h.least))
	defer cancel()
	cmd := exec.CommandContext(ctx, h.shim, "hook", name)
	cmd.Env = h.environ
	cmd.Stdin = bytes.NewReader(data)
	var out limited
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Second
	if cmd.Run() != nil {
		return nil
	}
	return out.data
}

// limited keeps the beginning of the data written to it.
type limited struct{ data []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.data = append(l.data, p[:min(len(p), maxHookOutput-len(l.data))]...)
	return len(p), nil
}

// verdict is a hook's answer about a tool; the zero value is none.
type verdict struct {
	// behavior is "allow", "deny", "ask" or "".
	behavior, message string
	// input replaces the tool's; nil leaves it.
	input map[string]any
	// always: the dialog's choice that such a call needs no further permission.
	always bool
}

// decision reads the answer of a PreToolUse or PermissionRequest hook.
func decision(reply []byte) verdict {
	var r struct {
		Output struct {
			Decision struct {
				Behavior string         `json:"behavior"`
				Message  string         `json:"message"`
				Input    map[string]any `json:"updatedInput"`
			} `json:"decision"`
			Permission string `json:"permissionDecision"`
			Reason     string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(reply, &r) != nil {
		return verdict{}
	}
	if p := r.Output.Permission; p != "" {
		return verdict{behavior: p, message: r.Output.Reason}
	}
	d := r.Output.Decision
	return verdict{behavior: d.Behavior, message: d.Message, input: d.Input}
}

// blocked reads the answer of a Stop hook: the text to continue with, "" if the turn
// may end.
func blocked(reply []byte) string {
	var r struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason"`
	}
	if json.Unmarshal(reply, &r) != nil || r.Decision != "block" {
		return ""
	}
	return r.Reason
}

// toolInput is the input of a tool in the shape that the real tools have.
func toolInput(tool, text string) map[string]any {
	switch tool {
	case "Bash":
		return map[string]any{"command": text, "description": "Run a command"}
	case "Read", "Edit", "Write":
		return map[string]any{"file_path": text}
	case "ExitPlanMode":
		return map[string]any{"plan": strings.ReplaceAll(text, " | ", "\n")}
	case "Grep", "Glob":
		return map[string]any{"pattern": text}
	}
	return map[string]any{"input": text}
}

// toolText is the inverse of toolInput.
func toolText(input map[string]any) string {
	for _, key := range []string{"command", "file_path", "pattern", "plan", "input"} {
		if text, ok := input[key].(string); ok {
			return text
		}
	}
	return ""
}

// answered is the answer to a question in an input returned by a hook, "" if it has
// none.
func answered(input map[string]any, question string) string {
	answers, _ := input["answers"].(map[string]any)
	text, _ := answers[question].(string)
	return text
}

// questionInput is the input of AskUserQuestion.
func questionInput(question string, choices []string) map[string]any {
	options := make([]map[string]any, len(choices))
	for i, c := range choices {
		options[i] = map[string]any{"label": c, "description": c}
	}
	return map[string]any{"questions": []map[string]any{{
		"question": question, "header": "Choose", "options": options, "multiSelect": false,
	}}}
}
