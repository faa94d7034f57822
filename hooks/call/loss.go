package call

import (
	"io"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// preToolUse is the hook that runs before a tool.
const preToolUse = "PreToolUse"

// maxLoss bounds the file that onLoss reads, in bytes.
const maxLoss = 16

// onLoss returns the hook's answer without a daemon: "ask", "deny", or "" to leave it to the
// agent. The daemon writes it to a file in the session's directory, and sets it in the
// environment of the process (fromEnv) in case that the file is removed. The policy does not
// let agents change either without asking.
func onLoss(hook, dir, fromEnv string) string {
	if hook != preToolUse {
		return ""
	}
	word := fromEnv
	if dir != "" {
		if f, err := os.Open(filepath.Join(dir, paths.LossFile)); err == nil {
			data, err := io.ReadAll(io.LimitReader(f, maxLoss))
			_ = f.Close()
			if s := string(data); err == nil && (s == api.EffectNone || s == api.EffectAsk || s == api.EffectDeny) {
				word = s
			}
		}
	}
	switch word {
	case api.EffectAsk, api.EffectDeny:
		return word
	case "", api.EffectNone:
		return ""
	}
	return api.EffectAsk // damaged: a policy was in force when the process started
}

// lossReply returns the hook's output for an answer of onLoss.
func lossReply(word string) string {
	if word == "" {
		return ""
	}
	return `{"hookSpecificOutput":{"hookEventName":"` + preToolUse + `","permissionDecision":"` + word +
		`","permissionDecisionReason":"ccdir's daemon cannot be asked (on_daemon_loss)"}}`
}
