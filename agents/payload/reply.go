package payload

import (
	"encoding/json"

	"ccdir/agents"
	"ccdir/api"
)

// Replies of hooks that several agents read by the same names, and what they answer.

// ToolUse is the call of a hook that reports the beginning of a tool (agents.Guarded).
func ToolUse(h agents.Hook) (api.ToolUse, bool) {
	if h.Evidence.Kind != api.KindToolBegins || h.Tool == "" {
		return api.ToolUse{}, false
	}
	return api.ToolUse{Tool: h.Tool, Input: h.FullInput, Hook: h.Evidence.Name, Dir: h.Dir, ID: h.Evidence.Fields["tool_use_id"], At: h.Evidence.At}, true
}

// Reason is a verdict's reason for the agent, with the rule.
func Reason(v api.Verdict) string {
	if v.Rule == "" {
		return v.Reason
	}
	return "policy " + v.Rule + ": " + v.Reason
}

// ToolDecision is the reply of the hook of that name to a tool call: decision is an
// api.Effect….
func ToolDecision(hook, decision, reason string) string {
	var reply struct {
		Output struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason,omitempty"`
		} `json:"hookSpecificOutput"`
	}
	reply.Output.Event, reply.Output.Decision, reply.Output.Reason = hook, decision, reason
	return encodeReply(reply)
}

// Decision is the short reply of a hook: a word, and the reason for it.
func Decision(word, reason string) string {
	return encodeReply(struct {
		Decision string `json:"decision"`
		Reason   string `json:"reason,omitempty"`
	}{word, reason})
}

func encodeReply(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return "" // texts alone: it cannot fail
	}
	return string(out)
}

// TurnEnds reports whether a hook ends a turn of the conversation and not of a subagent;
// again: after a reply that had the agent go on (agents.Continuer).
func TurnEnds(h agents.Hook) (again, ok bool) {
	f := h.Evidence.Fields
	return f["stop_hook_active"] != "", h.Evidence.Kind == api.KindTurnEnds && f["agent_id"] == ""
}

// AnswerKeys answer a dialog that the screen shows: allow is the key that allows once. Escape
// ends the turn too, so the message of a denial follows as a prompt.
func AnswerKeys(d api.Decision, allow string) (keys []string, follow string, ok bool) {
	if d.Outcome != api.OutcomeAnswered || d.Answer == nil {
		return nil, "", false
	}
	switch {
	case d.Answer.Behavior == api.AnswerAllow && len(d.Answer.Input) == 0:
		return []string{allow}, "", true
	case d.Answer.Behavior == api.AnswerDeny:
		return []string{"Escape"}, d.Answer.Message, true
	}
	return nil, "", false
}
