package call

import (
	"io"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

// maxLoss bounds the file that onLoss reads, in bytes.
const maxLoss = 16

// onLoss returns the answer without a daemon of a hook that decides about a tool (gate): "ask", "deny", or "" to leave it to the
// agent. The daemon writes it to a file in the session's directory, and sets it in the
// environment of the process (fromEnv) in case that the file is removed. The policy does not
// let agents change either without asking.
func onLoss(gate, dir, fromEnv string) string {
	if gate == "" {
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

// lossReply is the hook's output for c.loss, in the form that the agent reads.
func (c *call) lossReply() string {
	const reason = "ccdir's daemon cannot be asked (on_daemon_loss)"
	switch {
	case c.loss == "":
		return ""
	case c.gate == api.GateDecision:
		return `{"decision":"` + c.loss + `","reason":"` + reason + `"}`
	}
	return `{"hookSpecificOutput":{"hookEventName":"` + c.hook + `","permissionDecision":"` + c.loss + `","permissionDecisionReason":"` + reason + `"}}`
}
