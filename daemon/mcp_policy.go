package daemon

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/mcpserver"
)

// toolPolicy is the policy in front of the tools. A call is decided twice: as a
// tool of ccdir's (mcp__ccdir__NAME), and, where the agent has a tool of its own
// for the same, as that (Bash, Read, Write, …), so that a rule about one can't be
// got round by the other. The stricter verdict counts; where the policy says
// nothing the role decides. A search leaves out files that a rule keeps from Read.
type toolPolicy struct{ t *tools }

// mcpHook is where ledger rows say that a call was decided.
const mcpHook = "mcp"

func (p toolPolicy) Decide(ctx context.Context, caller mcpserver.Caller, use mcpserver.Use) mcpserver.Decision {
	c := api.Caller{Name: api.RoleGuest, Role: api.RoleGuest, Root: caller.Dir, CWD: caller.Dir}
	if caller.Session != "" {
		// The role may have changed since the connection was made, and the session
		// may have ended.
		s, known := p.t.d.events.Session(caller.Session)
		if !known || s.State.Ended() {
			return refusal("the session of this connection has ended")
		}
		if s.Role != "" && s.Role != caller.Role && !p.t.server.May(s.Role, use.Tool) {
			return refusal("the session's role is " + s.Role + " by now, which has no " + use.Tool)
		}
		var err error
		if c, err = p.t.d.registry.Caller(ctx, caller.Session); err != nil {
			return refusal(err.Error())
		}
	}
	decide := func(tool string, input json.RawMessage) api.Verdict {
		return p.t.d.enforcer.Use(c, api.ToolUse{Tool: tool, Input: input, Hook: mcpHook, ID: use.ID, At: time.Now()})
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
	case own.Effect == api.EffectAsk && !p.t.dialogs.shown(ctx, caller.Session, use.ID):
		return p.ask(ctx, c, name, use, own)
	case own.Effect != api.EffectAsk && same.Effect == api.EffectAsk:
		return p.ask(ctx, c, name, use, same)
	}
	return p.allowed(c, use, false)
}

// allowed is a call that may be made; asked: a person said so.
func (p toolPolicy) allowed(c api.Caller, use mcpserver.Use, asked bool) mcpserver.Decision {
	d := mcpserver.Decision{Allow: true}
	if use.Tool == "search" {
		d.Reads = p.t.d.enforcer.Reads(c, asked)
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

// ask asks the person, by an open request. Nobody can be shown what a guest
// wants, who is no session.
func (p toolPolicy) ask(ctx context.Context, c api.Caller, name string, use mcpserver.Use, v api.Verdict) mcpserver.Decision {
	if c.Session == "" {
		return refusal("a person must allow it, who can be asked in sessions of ccdir alone: " + v.Reason)
	}
	call := ""
	if use.ID != "" {
		call = "mcp-permission:" + use.ID
	}
	d, err := p.t.d.requests.Hold(ctx, call, api.Request{Session: c.Session, SessionName: c.Name, Role: c.Role, Tool: name, Input: use.Input,
		Kind: api.RequestPermission, Question: line(name + " " + string(use.Input)), ToolUseID: use.ID, CWD: c.CWD, Rule: v.Rule, Origin: api.OriginMCP})
	switch {
	case err != nil:
		return refusal("nobody has answered: " + err.Error())
	case d.Answer == nil:
		return refusal("nobody has allowed it: " + d.Reason)
	case d.Answer.Behavior != api.AnswerAllow:
		return refusal("denied by " + d.By + ": " + d.Answer.Message)
	}
	return p.allowed(c, use, true)
}

// agentTool is the same call as one of the agent's own tool, "" if it has none.
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
		return "", nil // the tool itself refuses it
	}
	path := in.Path
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	fields := map[string]any{}
	switch use.Tool {
	case "bash":
		tool, fields["command"] = "Bash", in.Command
	case "run":
		tool, fields["command"] = "Bash", commandLine(in.Env, append([]string{in.Command}, in.Args...))
	case "read":
		tool, fields["file_path"] = "Read", path
	case "write":
		tool, fields["file_path"], fields["content"] = "Write", path, in.Content
	case "edit":
		tool, fields["file_path"], fields["old_string"], fields["new_string"], fields["replace_all"] = "Edit", path, in.OldString, in.NewString, in.ReplaceAll
	case "list":
		tool, fields["path"] = "LS", path
	case "search":
		tool, fields["path"], fields["pattern"] = "Grep", path, in.Pattern
	default:
		return "", nil
	}
	input, err := json.Marshal(fields)
	if err != nil {
		return "", nil // texts alone: it cannot fail
	}
	return tool, input
}

// workDir is where a command runs: the directory that the call names, else that of
// the session.
func workDir(use mcpserver.Use, dir string) string {
	var in struct {
		ProjectPath string `json:"project_path"`
	}
	if use.Tool != "bash" && use.Tool != "run" || json.Unmarshal(use.Input, &in) != nil || !filepath.IsAbs(in.ProjectPath) {
		return dir
	}
	return in.ProjectPath
}

// commandLine is the shell's way of writing a program with its environment and
// arguments. A variable that no shell would take by its name is written for env: as
// an assignment it would be read as something else.
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

// isVariable reports whether a shell takes the name for a variable's.
func isVariable(s string) bool {
	odd := func(r rune) bool {
		return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}
	return s != "" && (s[0] < '0' || s[0] > '9') && !strings.ContainsFunc(s, odd)
}

// quoted quotes for the shell where it must be.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

const (
	// dialogsKept bounds the calls remembered.
	dialogsKept = 1024
	// dialogTime is how long a call waits for its hook to be made known: the hook
	// was answered before the agent made the call.
	dialogTime = time.Second
)

// dialogs remembers which calls of ccdir's tools the hooks of agents announced
// (PreToolUse): where the policy said ask to the hook, the agent has asked the
// person before it made the call, and is not asked again.
type dialogs struct {
	mu    sync.Mutex
	seen  map[[2]string]bool
	order [][2]string
	grown chan struct{} // closed and replaced with each one
}

func newDialogs() *dialogs { return &dialogs{seen: map[[2]string]bool{}, grown: make(chan struct{})} }

// note takes an event.
func (d *dialogs) note(e api.Event) {
	if e.Type != "PreToolUse" || e.Source != "hook" {
		return
	}
	var payload struct {
		Tool string `json:"tool_name"`
		ID   string `json:"tool_use_id"`
	}
	if json.Unmarshal(e.Data, &payload) != nil || payload.ID == "" || !strings.HasPrefix(payload.Tool, "mcp__"+api.MCPServer+"__") {
		return
	}
	key := [2]string{e.Session, payload.ID}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen[key] = true
	if d.order = append(d.order, key); len(d.order) > dialogsKept {
		delete(d.seen, d.order[0])
		d.order = d.order[1:]
	}
	close(d.grown)
	d.grown = make(chan struct{})
}

// shown reports whether a hook of the session announced the call.
func (d *dialogs) shown(ctx context.Context, session, id string) bool {
	if session == "" || id == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, dialogTime)
	defer cancel()
	for {
		d.mu.Lock()
		seen, grown := d.seen[[2]string{session, id}], d.grown
		d.mu.Unlock()
		if seen {
			return true
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return false
		}
	}
}
