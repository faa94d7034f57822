package claude

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"ccdir/agents"
	"ccdir/agents/payload"
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
	if rule, ok := narrowRule(r.Tool, r.Input); ok {
		r.AlwaysRule = rule.String()
	}
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
	Type        string           `json:"type"`
	Rules       []permissionRule `json:"rules,omitempty"`
	Behavior    string           `json:"behavior,omitempty"`
	Mode        string           `json:"mode,omitempty"`
	Destination string           `json:"destination"`
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
		if rule, ok := keptRule(d); ok {
			decision.Permissions = []permissionUpdate{{Type: "addRules", Rules: []permissionRule{rule}, Behavior: "allow", Destination: "session"}}
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

// permissionRule is a permission rule of Claude Code.
type permissionRule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent,omitempty"`
}

// String is the rule in the notation of settings files.
func (r permissionRule) String() string {
	if r.Content == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Content + ")"
}

// narrowRule is the narrowest rule that matches a call: this very command, file or
// site. There is none where the rule's language would read the content as a pattern,
// and for tools whose rules cannot be narrowed; tools of MCP servers have rules for the
// tool alone, which is also what the CLI's own dialog offers.
func narrowRule(tool string, input json.RawMessage) (rule permissionRule, ok bool) {
	in := payload.Of(input)
	switch tool {
	case "Bash":
		command := in.Text("command")
		return permissionRule{tool, command}, command != "" && command == strings.TrimSpace(command) && plainText(command, `*\`)
	case "Edit", "MultiEdit", "Write", "NotebookEdit", "Read":
		path := in.Text("file_path") + in.Text("notebook_path")
		name := "Edit" // rules for writing are all Edit rules
		if tool == "Read" {
			name = tool
		}
		// "//" begins a path from the root; the rest is a gitignore pattern.
		return permissionRule{name, "/" + path}, filepath.IsAbs(path) && filepath.Clean(path) == path && path != "/" && plainText(path, `*?[]!\()`)
	case "WebFetch":
		u, err := url.Parse(in.Text("url"))
		if err != nil || u.Hostname() == "" {
			return rule, false
		}
		return permissionRule{tool, "domain:" + u.Hostname()}, plainText(u.Hostname(), `*\ `)
	}
	return permissionRule{Tool: tool}, strings.HasPrefix(tool, "mcp__") && plainText(tool, "*() ")
}

// keptRule is the rule that the agent is to keep for its session.
func keptRule(d api.Decision) (permissionRule, bool) {
	if !d.Answer.Always || d.Answer.Kept {
		return permissionRule{}, false
	}
	rule, ok := narrowRule(d.Request.Tool, d.Request.Input)
	if chosen := d.Answer.Rule; ok && chosen != "" && slices.Contains(d.Request.AlwaysRules, chosen) {
		rule.Tool, rule.Content, _ = strings.Cut(strings.TrimSuffix(chosen, ")"), "(")
	}
	return rule, ok
}

// NarrowRule is the narrowest rule for a tool call, in the notation of Claude Code and
// of the policy; ok is false if there is none.
func NarrowRule(tool string, input json.RawMessage) (rule string, ok bool) {
	r, ok := narrowRule(tool, input)
	return r.String(), ok
}

// plainText reports whether s has none of these characters and no control characters.
func plainText(s, without string) bool {
	return !strings.ContainsAny(s, without) && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f })
}
