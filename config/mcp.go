package config

import (
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
)

// MCP is the table [mcp]: the tools that the daemon serves to agents.
type MCP struct {
	// Enabled: sessions get the tools if their agent supports MCP.
	Enabled bool
	// AllowedPaths are directories that tools may work in besides the session's.
	AllowedPaths []string
	// Preapproved are tools and groups that agents may call without their own
	// permission dialog; policy and roles apply nevertheless.
	Preapproved []string
	// MaxCalls bounds the calls in flight of one session.
	MaxCalls int
	// KeepLogs is how many full outputs of commands are kept.
	KeepLogs int
	// KeepResults is how many results past_results searches.
	KeepResults int
	// SpawnLimit bounds the running sessions that one lead has started.
	SpawnLimit int
	// SpawnRoles are the roles that a lead may give to them.
	SpawnRoles []string
	// Lead is how a lead answers permission requests of the sessions that it started: one of
	// Leads.
	Lead string
	// Nudge is how an agent is informed of a new message: one of Nudges.
	Nudge string
	// Listen is the loopback address for Streamable HTTP over TCP, "" for none.
	Listen string
	// Timeout is the time limit of a tool that is not in Timeouts and whose call sets
	// none.
	Timeout time.Duration
	// Timeouts of calls, by tool.
	Timeouts map[string]time.Duration
	// Roles maps roles to their tools and groups.
	Roles map[string][]string
}

// Leads are the values of mcp.lead.
var Leads = []string{LeadAsk, LeadPolicy}

// Ways of leads: it is asked by a message, or what its role may is allowed without it.
const (
	LeadAsk    = "ask"
	LeadPolicy = "policy"
)

// Nudges are the values of mcp.nudge: the message is delivered at the end of a turn by
// the answer to the hook of a turn's end, at rest by a prompt, by both, or not at all.
var Nudges = []string{NudgeBoth, NudgePrompt, NudgeStop, NudgeOff}

// The values of mcp.nudge.
const (
	NudgeBoth   = "both"
	NudgePrompt = "prompt"
	NudgeStop   = "stop"
	NudgeOff    = "off"
)

// defaultMCP is the value of an empty table.
func defaultMCP() MCP {
	return MCP{Enabled: true, MaxCalls: 8, KeepLogs: 200, KeepResults: 20_000, SpawnLimit: 8, SpawnRoles: []string{api.RoleDev}, Lead: LeadAsk, Nudge: NudgeBoth,
		Preapproved: []string{"project_info", "compile", "lint", "type_check", "test", "run_output", "run_stop", "run_list", "read", "list", "search", "docs_lookup", "docs_read", "git_status", "git_diff", "git_log", "git_blame", api.GroupCoordination},
		Timeout:     30 * time.Second, Timeouts: defaultTimeouts(), Roles: map[string][]string{}}
}

// buildTime is the default time limit of tools that build: a first build fetches
// and compiles all dependencies.
const buildTime = 10 * time.Minute

// defaultTimeouts are the limits of the tools that need more than Timeout.
func defaultTimeouts() map[string]time.Duration {
	return map[string]time.Duration{"compile": buildTime, "test": buildTime, "lint": buildTime, "type_check": buildTime, "format": buildTime}
}

// TimeoutOf is the time limit of a tool whose call sets none.
func (m MCP) TimeoutOf(tool string) time.Duration {
	if d, ok := m.Timeouts[tool]; ok {
		return d
	}
	return m.Timeout
}

// mcpKeys are the scalar keys and lists of [mcp].
var mcpKeys = []key{
	{"enabled", "give agents the tools of ccdir", boolean(func(c *Config) *bool { return &c.MCP.Enabled }),
		func(c *Config) any { return c.MCP.Enabled }},
	{"max_calls", "calls of a session that run at once (1 to 64)", number(func(c *Config) *int { return &c.MCP.MaxCalls }, 1, 64),
		func(c *Config) any { return c.MCP.MaxCalls }},
	{"keep_logs", "full outputs of commands kept (1 to 100000)", number(func(c *Config) *int { return &c.MCP.KeepLogs }, 1, 100_000),
		func(c *Config) any { return c.MCP.KeepLogs }},
	{"keep_results", "results kept for past_results (0 to 1000000)", number(func(c *Config) *int { return &c.MCP.KeepResults }, 0, 1_000_000),
		func(c *Config) any { return c.MCP.KeepResults }},
	{"spawn_limit", "running sessions that one lead may have started (0 to 1000)", number(func(c *Config) *int { return &c.MCP.SpawnLimit }, 0, maxSessionsLimit),
		func(c *Config) any { return c.MCP.SpawnLimit }},
	{"spawn_roles", "roles that a lead may give to sessions that it starts; such a role may allow more than its own", func(c *Config, v any) error {
		list, err := stringList(v)
		if err == nil {
			c.MCP.SpawnRoles = list
		}
		return err
	}, func(c *Config) any { return c.MCP.SpawnRoles }},
	{"lead", `how a lead answers requests of the sessions it started: "ask" asks it by a message; "policy" allows what its role may, without asking it`, oneOf(func(c *Config) *string { return &c.MCP.Lead }, Leads...),
		func(c *Config) any { return c.MCP.Lead }},
	{"nudge", `how an agent learns of a message: "stop" at the end of its turn, "prompt" at rest, "both" or "off"`, oneOf(func(c *Config) *string { return &c.MCP.Nudge }, Nudges...),
		func(c *Config) any { return c.MCP.Nudge }},
	{"timeout", "time limit of a tool that is not in mcp.timeouts, if the call sets none (1s to 1h)",
		duration(func(c *Config) *time.Duration { return &c.MCP.Timeout }, time.Second, time.Hour),
		func(c *Config) any { return c.MCP.Timeout.String() }},
	{"listen", `loopback address for MCP over TCP, such as "127.0.0.1:7433"; "" for none (read at the daemon's start)`, setListen,
		func(c *Config) any { return c.MCP.Listen }},
	{"preapproved", "tools and groups that need no dialog of the agent's own", toolList(func(c *Config) *[]string { return &c.MCP.Preapproved }),
		func(c *Config) any { return c.MCP.Preapproved }},
}

func setListen(c *Config, v any) error {
	address, err := loopback(v)
	if err == nil {
		c.MCP.Listen = address
	}
	return err
}

// loopback checks an address that only processes of this machine reach, or "".
func loopback(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("expected an address, found %s", show(v))
	}
	if s != "" {
		host, port, err := net.SplitHostPort(s)
		ip := net.ParseIP(host)
		if n, portErr := strconv.Atoi(port); err != nil || ip == nil || !ip.IsLoopback() || portErr != nil || n < 0 || n > 65535 {
			return "", fmt.Errorf(`expected a loopback address such as "127.0.0.1:7433", found %q`, s)
		}
	}
	return s, nil
}

func toolList(at func(*Config) *[]string) func(*Config, any) error {
	return func(c *Config, v any) error {
		list, err := tools(v)
		if err == nil {
			*at(c) = list
		}
		return err
	}
}

// tools checks a list of tools and groups.
func tools(v any) ([]string, error) {
	list, err := stringList(v)
	if err != nil {
		return nil, err
	}
	known := append(api.ToolGroups(), api.MCPTools()...)
	for _, name := range list {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no tool is called %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return list, nil
}

func (p *parser) mcp(v any) {
	t, _ := p.table(v, "mcp")
	for name, v := range t {
		switch name {
		case "allowed_paths":
			p.allowedPaths(v)
			continue
		case "timeouts":
			p.timeouts(v)
			continue
		case "roles":
			p.roles(v)
			continue
		}
		i := slices.IndexFunc(mcpKeys, func(k key) bool { return k.name == name })
		if i < 0 {
			p.problem("unknown key (`ccdir config get mcp` lists all)", "mcp", name)
		} else if err := mcpKeys[i].set(&p.l.Config, v); err != nil {
			p.problem(err.Error(), "mcp", name)
		}
	}
}

func (p *parser) allowedPaths(v any) {
	list, err := stringList(v)
	if err != nil {
		p.problem(err.Error(), "mcp", "allowed_paths")
		return
	}
	for _, path := range list {
		if path = filepath.Clean(expandPath(path, p.home)); !filepath.IsAbs(path) {
			p.problem(fmt.Sprintf("%q is neither absolute nor begins with ~/", path), "mcp", "allowed_paths")
			continue
		}
		p.l.MCP.AllowedPaths = append(p.l.MCP.AllowedPaths, path)
	}
}

func (p *parser) timeouts(v any) {
	t, _ := p.table(v, "mcp", "timeouts")
	for name, v := range t {
		var c Config
		var d time.Duration
		err := duration(func(*Config) *time.Duration { return &d }, time.Second, time.Hour)(&c, v)
		if err == nil && !slices.Contains(api.MCPTools(), name) {
			err = fmt.Errorf("no tool is called %q", name)
		}
		if err != nil {
			p.problem(err.Error(), "mcp", "timeouts", name)
			continue
		}
		p.l.MCP.Timeouts[name] = d
	}
}

func (p *parser) roles(v any) {
	t, _ := p.table(v, "mcp", "roles")
	for name, v := range t {
		list, err := tools(v)
		if err == nil && name != api.RoleGuest && !api.ValidRole(name) {
			err = fmt.Errorf("a role's name is 1 to 32 lower-case letters, digits, - and _")
		}
		if err != nil {
			p.problem(err.Error(), "mcp", "roles", name)
			continue
		}
		p.l.MCP.Roles[name] = list
	}
}

// explainMCP lists the keys of [mcp].
func (l Loaded) explainMCP(standard Config) (entries []Entry) {
	for _, k := range mcpKeys {
		entries = append(entries, Entry{Key: "mcp." + k.name, Value: k.get(&l.Config), Default: k.get(&standard),
			Source: l.source("mcp", k.name), Doc: k.doc})
	}
	entries = append(entries, Entry{Key: "mcp.allowed_paths", Value: append([]string{}, l.MCP.AllowedPaths...), Default: []string{},
		Source: l.source("mcp", "allowed_paths"), Doc: "directories that tools may work in besides the session's"})
	for _, name := range slices.Sorted(maps.Keys(l.MCP.Timeouts)) {
		var usual any
		if d, ok := standard.MCP.Timeouts[name]; ok {
			usual = d.String()
		}
		entries = append(entries, Entry{Key: "mcp.timeouts." + name, Value: l.MCP.Timeouts[name].String(), Default: usual,
			Source: l.source("mcp", "timeouts", name), Doc: "time limit of " + name})
	}
	for _, name := range slices.Sorted(maps.Keys(l.MCP.Roles)) {
		entries = append(entries, Entry{Key: "mcp.roles." + name, Value: l.MCP.Roles[name],
			Source: l.source("mcp", "roles", name), Doc: "tools of the role " + name})
	}
	return entries
}
