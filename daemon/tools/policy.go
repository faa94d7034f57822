package tools

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/mcpserver"
)

// mcpHook is the hook in ledger rows about tool calls.
const mcpHook = "mcp"

// Decide is the policy in front of the tools. A call is decided twice: as a tool of
// ccdir's (mcp__ccdir__NAME), and, where the agent has a tool of its own for the same, as
// that one (Bash, Read, Write, …), so that neither name bypasses a rule about the other.
// The stricter verdict counts; where the policy says nothing the role decides. A search
// leaves out files whose Read a rule denies.
func (s *Server) Decide(ctx context.Context, caller mcpserver.Caller, use mcpserver.Use) mcpserver.Decision {
	c := api.Caller{Name: api.RoleGuest, Role: api.RoleGuest, Root: caller.Dir, CWD: caller.Dir}
	if caller.Session != "" {
		// The role may have changed since the connection was made, and the session
		// may have ended.
		v, known := s.o.Journal.Session(caller.Session)
		if !known || v.State.Ended() {
			return refusal("the session of this connection has ended")
		}
		if v.Role != "" && v.Role != caller.Role && !s.server.May(v.Role, use.Tool) {
			return refusal("the session's role is " + v.Role + " by now, which has no " + use.Tool)
		}
		var err error
		if c, err = s.o.Sessions.Caller(ctx, caller.Session); err != nil {
			return refusal(err.Error())
		}
	}
	decide := func(tool string, input json.RawMessage) api.Verdict {
		return s.o.Enforcer.Use(c, api.ToolUse{Tool: tool, Input: input, Hook: mcpHook, ID: use.ID, At: time.Now()})
	}
	name := "mcp__" + api.MCPServer + "__" + use.Tool
	own, same := decide(name, use.Input), api.Verdict{Effect: api.EffectNone}
	c.CWD = workDir(use, c.CWD)
	if tool, input := agentTool(use, caller.Dir); tool != "" && own.Effect != api.EffectDeny {
		same = decide(tool, input)
	}
	switch {
	case own.Effect == api.EffectDeny:
		return refused(own)
	case same.Effect == api.EffectDeny:
		return refused(same)
	case own.Effect == api.EffectAsk && !s.announced.shown(ctx, caller.Session, use.ID):
		return s.ask(ctx, c, name, use, own)
	case own.Effect != api.EffectAsk && same.Effect == api.EffectAsk:
		return s.ask(ctx, c, name, use, same)
	}
	return s.allowed(c, use, false)
}

// allowed is the decision to allow a call; asked: a person allowed it.
func (s *Server) allowed(c api.Caller, use mcpserver.Use, asked bool) mcpserver.Decision {
	d := mcpserver.Decision{Allow: true}
	switch use.Tool {
	case "search", "docs_lookup", "docs_read", "git_diff", "git_blame", "review_add":
		d.Reads = s.o.Enforcer.Reads(c, asked)
	}
	return d
}

func refusal(why string) mcpserver.Decision { return mcpserver.Decision{Reason: why} }

func refused(v api.Verdict) mcpserver.Decision {
	if v.Rule != "" {
		return refusal("the policy has " + v.Rule + ": " + v.Reason)
	}
	return refusal("by policy: " + v.Reason)
}

// ask asks the person with a permission request. A guest has no session to show it in, so
// its call is refused.
func (s *Server) ask(ctx context.Context, c api.Caller, name string, use mcpserver.Use, v api.Verdict) mcpserver.Decision {
	if c.Session == "" {
		return refusal("a person must allow it, who can be asked in sessions of ccdir alone: " + v.Reason)
	}
	call := ""
	if use.ID != "" {
		call = "mcp-permission:" + use.ID
	}
	d, err := s.o.Approvals.Hold(ctx, call, api.Request{Session: c.Session, SessionName: c.Name, Role: c.Role, Tool: name, Input: use.Input,
		Kind: api.RequestPermission, Question: line(name + " " + string(use.Input)), ToolUseID: use.ID, CWD: c.CWD, Rule: v.Rule, Origin: api.OriginMCP})
	switch {
	case err != nil:
		return refusal("nobody has answered: " + err.Error())
	case d.Answer == nil:
		return refusal("nobody has allowed it: " + d.Reason)
	case d.Answer.Behavior != api.AnswerAllow:
		return refusal("denied by " + d.By + ": " + d.Answer.Message)
	}
	return s.allowed(c, use, true)
}

// agentTool converts a call to one of the agent's own tool; "": it has none for that.
func agentTool(use mcpserver.Use, dir string) (tool string, input json.RawMessage) {
	var in struct {
		Command    string            `json:"command"`
		Args       []string          `json:"args"`
		Env        map[string]string `json:"env"`
		Path       string            `json:"path"`
		Content    string            `json:"content"`
		OldString  string            `json:"old_string"`
		NewString  string            `json:"new_string"`
		ReplaceAll bool              `json:"replace_all"`
		Pattern    string            `json:"pattern"`
	}
	if json.Unmarshal(use.Input, &in) != nil {
		return "", nil // invalid: the tool itself refuses it
	}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	fields := map[string]any{}
	switch use.Tool {
	case "bash":
		tool, fields["command"] = api.ToolBash, in.Command
	case "run":
		tool, fields["command"] = api.ToolBash, commandLine(in.Env, append([]string{in.Command}, in.Args...))
	case "read":
		tool, fields["file_path"] = api.ToolRead, path
	case "write":
		tool, fields["file_path"], fields["content"] = api.ToolWrite, path, in.Content
	case "edit":
		tool, fields["file_path"], fields["old_string"], fields["new_string"], fields["replace_all"] = api.ToolEdit, path, in.OldString, in.NewString, in.ReplaceAll
	case "list":
		tool, fields["path"] = api.ToolLS, path
	case "search":
		tool, fields["path"], fields["pattern"] = api.ToolGrep, path, in.Pattern
	case "git_status", "git_diff", "git_log", "git_blame", "issue_view", "pr_view":
		tool, fields["command"] = api.ToolBash, gitLine(use)
	default:
		return "", nil
	}
	input, err := json.Marshal(fields)
	if err != nil {
		return "", nil // cannot fail: strings and booleans only
	}
	return tool, input
}

// gitLine is the command that does the same as a tool about git or the forge.
func gitLine(use mcpserver.Use) string {
	var in struct {
		Scope    string   `json:"scope"`
		Revision string   `json:"revision"`
		Path     string   `json:"path"`
		Paths    []string `json:"paths"`
		Number   int      `json:"number"`
		Branch   string   `json:"branch"`
	}
	if json.Unmarshal(use.Input, &in) != nil {
		return "git" // invalid: the tool itself refuses it
	}
	var argv []string
	switch use.Tool {
	case "issue_view":
		return commandLine(nil, []string{"gh", "issue", "view", strconv.Itoa(in.Number)})
	case "pr_view":
		argv = []string{"gh", "pr", "view"}
		if in.Branch != "" {
			argv = append(argv, in.Branch)
		}
		return commandLine(nil, argv)
	}
	argv = []string{"git", strings.TrimPrefix(use.Tool, "git_")}
	if in.Scope == "staged" {
		argv = append(argv, "--staged")
	}
	if in.Revision != "" {
		argv = append(argv, in.Revision)
	}
	if in.Path != "" {
		in.Paths = append(in.Paths, in.Path)
	}
	if len(in.Paths) > 0 {
		argv = append(append(argv, "--"), in.Paths...)
	}
	return commandLine(nil, argv)
}

// runsThere are the tools whose command runs in the directory that the call names.
var runsThere = []string{"bash", "run", "git_status", "git_diff", "git_log", "git_blame", "issue_view", "pr_view"}

// workDir is the working directory of a command: the call's, or that of the session.
func workDir(use mcpserver.Use, dir string) string {
	var in struct {
		ProjectPath string `json:"project_path"`
	}
	if !slices.Contains(runsThere, use.Tool) || json.Unmarshal(use.Input, &in) != nil || !filepath.IsAbs(in.ProjectPath) {
		return dir
	}
	return in.ProjectPath
}

// commandLine writes a program with its environment and arguments as a shell command. A
// variable whose name is invalid in a shell is passed to env(1), because a shell would
// not parse it as an assignment.
func commandLine(env map[string]string, argv []string) string {
	var parts, odd []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		if isVariable(k) {
			parts = append(parts, k+"="+quoted(env[k]))
		} else {
			odd = append(odd, quoted(k+"="+env[k]))
		}
	}
	if len(odd) > 0 {
		parts = append(append(parts, "env"), odd...)
	}
	for _, a := range argv {
		parts = append(parts, quoted(a))
	}
	return strings.Join(parts, " ")
}

// isVariable reports whether s is the name of a shell variable.
func isVariable(s string) bool {
	odd := func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, odd)
}

// quoted quotes for the shell if needed.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
