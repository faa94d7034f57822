package call

import (
	"io"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// preToolUse is the hook that is asked before a tool runs.
const preToolUse = "PreToolUse"

// maxLoss bounds the file that onLoss reads, in bytes.
const maxLoss = 16

// onLoss is what the hook answers if no daemon can be asked: "ask" or "deny", or
// "" to leave it to the agent. The daemon keeps it in a file of the session's
// directory and, in case that is removed, in the environment that the process
// was started with (fromEnv); the policy lets agents change neither unasked.
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
	return api.EffectAsk // damaged: a policy was in force when the process began
}

// lossReply is what the hook prints for a word of onLoss.
func lossReply(word string) string {
	if word == "" {
		return ""
	}
	return `{"hookSpecificOutput":{"hookEventName":"` + preToolUse + `","permissionDecision":"` + word +
		`","permissionDecisionReason":"ccdir's daemon cannot be asked (on_daemon_loss)"}}`
}
