package claude

import (
	"encoding/json"

	"ccdir/agents"
	"ccdir/api"
)

// DialogRequest reads a PermissionRequest hook.
func (Adapter) DialogRequest(h agents.Hook) (api.Request, bool) {
	if h.Evidence.Kind != api.KindDialog || h.Tool == "" {
		return api.Request{}, false
	}
	r := api.Request{Tool: h.Tool, Input: h.FullInput, Kind: api.RequestPermission, Question: h.Question, CWD: h.CWD,
		Hook: h.Evidence.Name, Subagent: h.Evidence.Fields["agent_id"], Mode: h.Evidence.Fields["permission_mode"]}
	switch h.Tool {
	case "AskUserQuestion":
		r.Kind = api.RequestQuestion
		describeQuestions(&r)
	case "ExitPlanMode":
		r.Kind, r.Modes = api.RequestPlan, []string{api.ModeManual, "acceptEdits"}
	}
	r.Editable = r.Tool == "Bash"
	return r, true
}

// permissionReply is the output of a PermissionRequest hook (2.1.329).
type permissionReply struct {
	Output struct {
		Event    string             `json:"hookEventName"`
		Decision permissionDecision `json:"decision"`
	} `json:"hookSpecificOutput"`
}

type permissionDecision struct {
	Behavior    string             `json:"behavior"`
	Message     string             `json:"message,omitempty"`
	Input       json.RawMessage    `json:"updatedInput,omitempty"`
	Permissions []permissionUpdate `json:"updatedPermissions,omitempty"`
}

type permissionUpdate struct {
	Type        string `json:"type"`
	Mode        string `json:"mode"`
	Destination string `json:"destination"`
}

// PermissionReply is the output of Claude Code's PermissionRequest hook. A denial does
// not interrupt the turn: the agent reads the message and continues.
func (Adapter) PermissionReply(d api.Decision) string {
	if d.Outcome != api.OutcomeAnswered || d.Answer == nil {
		return ""
	}
	var reply permissionReply
	reply.Output.Event = "PermissionRequest"
	decision := &reply.Output.Decision
	switch d.Answer.Behavior {
	case api.AnswerAllow:
		decision.Behavior, decision.Input = "allow", d.Answer.Input
		if d.Request.Kind == api.RequestPlan {
			decision.Input = approvedPlan(d.Request)
			if mode := d.Answer.Mode; mode != "" && mode != api.ModeManual { // manual follows by itself
				decision.Permissions = []permissionUpdate{{Type: "setMode", Mode: mode, Destination: "session"}}
			}
		}
		if d.Request.Questions > 0 {
			if decision.Input = answerQuestions(d.Request, d.Answer.Text); decision.Input == nil {
				return "" // the dialog decides
			}
		}
	case api.AnswerDeny:
		decision.Behavior = "deny"
		decision.Message = d.Answer.Message
		if decision.Message == "" {
			decision.Message = "The user denied this."
		}
	default:
		return ""
	}
	out, err := json.Marshal(reply)
	if err != nil {
		return ""
	}
	return string(out)
}

// approvedPlan is the plan's own input: an allow without an input leaves a plan's dialog open,
// because the tool is one that a person answers.
func approvedPlan(r api.Request) json.RawMessage {
	if len(r.Input) == 0 {
		return json.RawMessage("{}")
	}
	return r.Input
}
