package api

import (
	"encoding/json"
	"slices"
	"time"
)

// Roles that every installation has. Others are defined in the configuration.
const (
	RoleLead  = "lead"  // may start and end sessions
	RoleDev   = "dev"   // works, and speaks with others
	RoleGuest = "guest" // not a session of ccdir: project and file tools alone
	// RoleReviewer reads and comments, and changes nothing, where the policy has its rules.
	RoleReviewer = "reviewer"
)

// maxRole bounds the name of a role, in bytes.
const maxRole = 32

// ValidRole reports whether name can be the role of a session: that of guests
// cannot. It is a letter a to z, and then letters a to z, digits, - and _.
func ValidRole(name string) bool {
	// By hand: compiling a regular expression for it was a tenth of what the
	// start of each hook's process costs.
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '_'):
		default:
			return false
		}
	}
	return name != "" && len(name) <= maxRole && name != RoleGuest
}

// MCPPath is where the daemon serves tools over MCP. A POST is Streamable HTTP. A GET with
// UpgradeMCP takes over the connection: the bridge sends one line of JSON that identifies
// it, and then each side sends one JSON-RPC message per line.
const MCPPath = "/mcp"

// UpgradeMCP is the protocol's name in the Upgrade header.
const UpgradeMCP = "ccdir-mcp"

// MCPServer is the name of ccdir's server in the configuration of agents: its
// tools are called mcp__ccdir__NAME there.
const MCPServer = "ccdir"

// ToolCall is the Data of an EventMCPCall.
type ToolCall struct {
	Tool string `json:"tool"`
	// Input has the arguments, long ones shortened, secrets replaced.
	Input json.RawMessage `json:"input,omitempty"`
	// ToolUseID is the agent's id of the call, as in its hooks.
	ToolUseID string `json:"tool_use_id,omitempty"`
	// Role is the caller's, CWD a guest's directory.
	Role string `json:"role"`
	CWD  string `json:"cwd,omitempty"`
	// DurationMS is in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Outcome is ok, failed (of a command), error, denied, invalid, cancelled or
	// panic; Message says more.
	Outcome string `json:"outcome"`
	Message string `json:"message,omitempty"`
	// Result is the beginning of what a command's call brought: diagnostics and failed tests
	// first, then output, without secrets; "" for other tools.
	Result  string    `json:"result,omitempty"`
	Started time.Time `json:"started"`
}

// Person is the mailbox of the person at the terminal.
const Person = "person"

// Message is one of a mailbox: GET /v1/messages.
type Message struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"`
	// From and To are ids of sessions, or Person; FromName and ToName their names when the
	// message was sent.
	From     string `json:"from"`
	FromName string `json:"from_name"`
	To       string `json:"to"`
	ToName   string `json:"to_name"`
	Text     string `json:"text"`
	// Reply is the message that this one answers, 0 if none.
	Reply int64 `json:"reply,omitempty"`
	// Acked is when the receiver acknowledged it; zero: not yet.
	Acked time.Time `json:"acked,omitzero"`
	// Request is the id of the call with an idempotency key that sent it; "" without one.
	Request string `json:"-"`
}

// NewMessage is the body of POST /v1/messages: a message of the person's.
type NewMessage struct {
	To    string `json:"to"`
	Text  string `json:"text"`
	Reply int64  `json:"reply,omitempty"`
	// Request makes the call idempotent: a retry sends nothing.
	Request string `json:"-"`
}

// AckMessages is the body of POST /v1/messages/ack.
type AckMessages struct {
	IDs []int64 `json:"ids"`
}

// Acked is the answer to AckMessages: how many were in the mailbox.
type Acked struct {
	Acked int `json:"acked"`
}

// Groups of tools, which a role in the configuration may name instead of tools.
const (
	GroupProject      = "@project"      // project_info, compile, test, run and its output, format, lint, type_check, docs, git, forge
	GroupFiles        = "@files"        // read, write, edit, list, search, bash
	GroupCoordination = "@coordination" // sessions, tasks, messages, questions, comments of reviews, past results
	GroupSessions     = "@sessions"     // start sessions, type into them, end them
)

// toolGroups are the tools of each group. Each tool is in one.
var toolGroups = map[string][]string{
	GroupProject: {"project_info", "compile", "lint", "type_check", "test", "format", "run", "run_output", "run_stop", "run_list",
		"docs_lookup", "docs_read", "git_status", "git_diff", "git_log", "git_blame", "issue_view", "pr_view"},
	GroupFiles: {"read", "write", "edit", "list", "search", "bash"},
	GroupCoordination: {"sessions_list", "session_output", "session_wait", "task_add", "task_list", "task_result",
		"message_send", "message_inbox", "message_ack", "ask_person", "report_progress", "past_results",
		"review_comments", "review_reply", "review_add"},
	GroupSessions: {"session_spawn", "session_send", "session_stop"},
}

// ToolGroups are the names of the groups.
func ToolGroups() []string {
	return []string{GroupProject, GroupFiles, GroupCoordination, GroupSessions}
}

// ExpandTools replaces groups by their tools.
func ExpandTools(list []string) (names []string) {
	for _, e := range list {
		if tools, ok := toolGroups[e]; ok {
			names = append(names, tools...)
		} else {
			names = append(names, e)
		}
	}
	return names
}

// MCPTools are the names of all tools that the daemon can serve.
func MCPTools() []string { return ExpandTools(ToolGroups()) }

// HasTool reports whether a list of tools and groups has the tool.
func HasTool(list []string, tool string) bool {
	return slices.ContainsFunc(list, func(e string) bool { return e == tool || slices.Contains(toolGroups[e], tool) })
}

// DocsQuestion is a question to the documentation of what a work tree uses.
type DocsQuestion struct {
	// Dir is a directory in the work tree, absolute.
	Dir   string `json:"dir"`
	Query string `json:"query"`
	// Package selects one package, as NAME or NAME@VERSION; "": all.
	Package string `json:"package,omitempty"`
	// Ecosystem is go, node, python, rust, man or project; "": all.
	// Manual pages count only if the query names one.
	Ecosystem string `json:"ecosystem,omitempty"`
	// MaxTokens bounds the texts of the answer, counted as four bytes each; 0: 2000.
	MaxTokens int `json:"max_tokens,omitempty"`
}

// DocsHit is a piece of documentation.
type DocsHit struct {
	// ID names the piece, for reading it whole.
	ID      string `json:"id"`
	Package string `json:"package"`
	Version string `json:"version"`
	// Ecosystem is go, node, python, rust, man or project.
	Ecosystem string `json:"ecosystem"`
	// Symbol is the name in its package, or the heading of a section.
	Symbol    string `json:"symbol"`
	Signature string `json:"signature"`
	// File is absolute; Line counts from 1.
	File string `json:"file"`
	Line int    `json:"line"`
	// Text is the first paragraph, or all of it when one piece is read.
	Text string `json:"text"`
	// Source is the kind of document: source, types, readme, docs, changelog, metadata, man.
	Source string `json:"source"`
}

// DocsAnswer are the best pieces, the best first.
type DocsAnswer struct {
	Hits []DocsHit `json:"hits"`
	// Notes say what the answer lacks: modules still being indexed, files left out.
	Notes []string `json:"notes"`
}
