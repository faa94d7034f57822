package api

import (
	"encoding/json"
	"time"
)

// Caller is who wants to use a tool, as the daemon knows it: nothing of it is
// taken from what the caller says.
type Caller struct {
	// Session is the id of its session, Name its name.
	Session, Name string
	// Agent is the name of the agent, Role the session's.
	Agent, Role string
	// Root is where the session was started, CWD where the agent works now.
	Root, CWD string
	// Settings are the files and folders by which agents are set up in the session's environment
	// besides those at the usual places, from the root.
	Settings []string
	// Override is a person's, nil for none.
	Override *Override
	// Task is the id of the queue's task that runs in it, "" for none.
	Task string
}

// Origin is where a call of the API comes from: GET /v1/caller.
type Origin struct {
	// Inside: the process that calls runs in a session, or was started by one of
	// its tools. It then has the session's rights, and not the person's.
	Inside bool `json:"inside"`
	// Session, Name and Role are the session's; empty where only the fact is
	// known.
	Session string `json:"session,omitempty"`
	Name    string `json:"name,omitempty"`
	Role    string `json:"role,omitempty"`
	// Nobody: the daemon started the process, or one of its ancestors, and not for a session: git,
	// a forge's CLI, and whatever these run. It may ask who serves and who it is.
	Nobody bool `json:"nobody,omitempty"`
	// Why is the reason for Inside, in one line.
	Why string `json:"why,omitempty"`
}

// ToolUse is one use of a tool, for the policy to decide.
type ToolUse struct {
	Tool  string
	Input json.RawMessage
	// Hook is where it is decided: the name of the agent's hook, or "mcp".
	Hook string
	// Dir is the directory in which the call works, relative to the session's; "" is that.
	Dir string
	// ID is the agent's id of the call, "" if not told; At when it was made.
	ID string
	At time.Time
}

// Effects of a Verdict and of ledger rows.
const (
	EffectNone  = "none"
	EffectAllow = "allow"
	EffectAsk   = "ask"
	EffectDeny  = "deny"
)

// Verdict is what the policy says about a use of a tool.
type Verdict struct {
	// Effect is one of the Effect constants; EffectNone: the policy has no answer.
	Effect string `json:"effect"`
	// Rule is the rule that decided as it is written, File and Line where.
	Rule string `json:"rule,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Reason says why, in one line.
	Reason string `json:"reason,omitempty"`
}

// OverrideMode replaces the policy's default for one session for a while.
type OverrideMode string

// Modes of an Override. Deny rules hold in each.
const (
	// OverrideReads allows reading files where no rule is about it.
	OverrideReads OverrideMode = "allow-reads"
	// OverrideEdits allows reading, and editing inside the project, where no rule
	// is about it.
	OverrideEdits OverrideMode = "accept-edits"
	// OverrideAsk asks about everything.
	OverrideAsk OverrideMode = "ask-everything"
	// OverrideHandsOff leaves everything to the agent's own permission mode.
	OverrideHandsOff OverrideMode = "hands-off"
)

// OverrideModes lists the modes.
func OverrideModes() []OverrideMode {
	return []OverrideMode{OverrideReads, OverrideEdits, OverrideAsk, OverrideHandsOff}
}

// Override is a mode until a time.
type Override struct {
	Mode  OverrideMode `json:"mode"`
	Until time.Time    `json:"until"`
}

// SetRole is the body of POST /v1/sessions/ID/role.
type SetRole struct {
	Role string `json:"role"`
}

// SetOverride is the body of POST /v1/sessions/ID/override. Mode "" ends the override.
type SetOverride struct {
	Mode OverrideMode `json:"mode"`
	// Seconds is how long it holds, at most MaxOverride; 0 is DefaultOverride.
	Seconds int `json:"seconds,omitempty"`
}

// How long an override holds.
const (
	DefaultOverride = 30 * time.Minute
	MaxOverride     = 24 * time.Hour
)

// SessionPolicy is the policy of one session: GET /v1/sessions/ID/policy.
type SessionPolicy struct {
	Role     string    `json:"role"`
	Override *Override `json:"override,omitempty"`
	// InForce: there is a policy file. Files are those that exist.
	InForce bool     `json:"in_force"`
	Files   []string `json:"files"`
	// Error is what is wrong with the files; the last good policy then holds. "" if nothing is.
	Error string `json:"error,omitempty"`
	// Rules were given by approvals for the session.
	Rules []SessionRule `json:"rules"`
	// Roles are the roles that a session can be given: those of the policy and
	// those that ccdir knows.
	Roles []string `json:"roles"`
}

// SessionRule is an allow rule of one session.
type SessionRule struct {
	Rule string    `json:"rule"`
	At   time.Time `json:"at"`
	// Request is the request whose approval made it, "" if none did.
	Request string `json:"request,omitempty"`
}

// NewRule is the body of POST /v1/rules: write Rule to where Scope says.
type NewRule struct {
	Session string `json:"session"`
	// Row takes rule and session from that row of the ledger; Session and Rule are then
	// empty. 0: none.
	Row   int64  `json:"row,omitempty"`
	Scope string `json:"scope"`
	// Effect is EffectAllow (also if it is ""), EffectAsk or EffectDeny; for a
	// session only the first.
	Effect string `json:"effect,omitempty"`
	Rule   string `json:"rule"`
	// Client and Call are set by the server.
	Client string `json:"-"`
	Call   Call   `json:"-"`
	// Node is the machine on which it is written, "" this one, as LedgerRow.Node.
	Node string `json:"-"`
}

// LedgerRow is one row of the ledger of decisions, as `ccdir decisions --json`
// prints it.
type LedgerRow struct {
	// Seq counts from 1 without gaps. 0: it is no row of the ledger but a call that nobody
	// was asked about (ByUnasked), read from the event log, where Event is its number.
	Seq   int64     `json:"seq"`
	Event int64     `json:"event,omitempty"`
	At    time.Time `json:"at"`
	// Session is the id of the session that asked; Name and Role are its own at that time.
	Session string `json:"session"`
	Name    string `json:"name,omitempty"`
	Role    string `json:"role,omitempty"`
	Tool    string `json:"tool,omitempty"`
	// Input is the tool's, secrets replaced, long texts shortened.
	Input json.RawMessage `json:"input,omitempty"`
	// Edited is the input that a person allowed instead.
	Edited json.RawMessage `json:"edited,omitempty"`
	// Decision is one of the Effect and Ledger constants.
	Decision string `json:"decision"`
	// By is "policy", "lead", "person", "daemon", "hook" (without a daemon), "agent" (its own
	// classifier refused), "unasked", or "" if nobody answered.
	By string `json:"by"`
	// Rule is the rule that decided or was written, File and Line its place.
	Rule string `json:"rule,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Lead is the session that answered as lead, Client the person's program.
	Lead   string `json:"lead,omitempty"`
	Client string `json:"client,omitempty"`
	Reason string `json:"reason,omitempty"`
	// LatencyMS is from the agent's call to the decision, in milliseconds.
	LatencyMS float64 `json:"latency_ms"`
	// Hook is where it was decided, Request the request's id, Outcome its end.
	Hook    string         `json:"hook,omitempty"`
	Request string         `json:"request,omitempty"`
	Outcome RequestOutcome `json:"outcome,omitempty"`
	// ToolUseID is the agent's id of the call.
	ToolUseID string `json:"tool_use_id,omitempty"`
	// Mode is the agent's permission mode at that time, where it is known (ByAgent, ByUnasked).
	Mode string `json:"permission_mode,omitempty"`
	// Scope is how far a rule that was written reaches.
	Scope string `json:"scope,omitempty"`
	// Call is the id of the call with an idempotency key that made the change; "" without
	// one. A retry adds no row.
	Call string `json:"call,omitempty"`
	// Hash chains the row to those before it (hexadecimal).
	Hash string `json:"hash,omitempty"`
	// Node is the machine whose ledger it is in, "" this one; clients of several set it.
	Node string `json:"-"`
}

// Decisions of rows that are not about one use of a tool.
const (
	LedgerRefused  = "refused"  // a forged call, a grant beyond a lead's role
	LedgerRule     = "rule"     // a rule was written
	LedgerRevoked  = "revoked"  // a session's rule was taken back
	LedgerRole     = "role"     // a session got another role
	LedgerOverride = "override" // an override was set or ended
	LedgerSandbox  = "sandbox"  // a session's walls let something through besides their profile
)

// Further words of LedgerRow.By.
const (
	ByDaemon = "daemon"
	ByHook   = "hook"
	// ByAgent: the agent's own classifier refused the call before anybody was asked.
	ByAgent = "agent"
	// ByUnasked: no rule was about the call and no dialog was opened for it. Such calls are
	// read from the event log, and are as old as that at most.
	ByUnasked = "unasked"
)

// LedgerDecisions lists the values of LedgerRow.Decision.
func LedgerDecisions() []string {
	return []string{EffectAllow, EffectDeny, EffectAsk, EffectNone, LedgerRefused, LedgerRule, LedgerRevoked, LedgerRole, LedgerOverride, LedgerSandbox}
}

// LedgerDeciders lists the values of LedgerRow.By except "".
func LedgerDeciders() []string {
	return []string{ByPolicy, ByLead, ByPerson, ByDaemon, ByHook, ByAgent, ByUnasked}
}

// LedgerFilter selects rows.
type LedgerFilter struct {
	// Session, Tool, By, Decision, Request and Call select by equality; "" selects all.
	Session, Tool, By, Decision, Request, Call string
	// Seq selects one row; 0 selects all.
	Seq int64
	// Before selects rows with a smaller number (Event, for ByUnasked); 0 selects all.
	Before int64
	// Since selects rows from that moment on.
	Since time.Time
	// Limit bounds the number: the newest ones, oldest first; 0 is the server's
	// default.
	Limit int
}

// LedgerSum counts what agents did since a moment: GET /v1/decisions/sum.
type LedgerSum struct {
	Since time.Time `json:"since"`
	// Counts are those of rows that are alike, the most frequent first.
	Counts []LedgerCount `json:"counts"`
	// Sessions are the sessions with the most rows, the first of them first; Others is the
	// number of further ones.
	Sessions []LedgerCount `json:"sessions"`
	Others   int           `json:"other_sessions"`
	// Refusals are what walls of sessions refused, by host and by tool, the most frequent first, with
	// Count of all events; OtherRefusals is the number of further ones.
	Refusals      []SandboxRefusal `json:"refusals,omitempty"`
	OtherRefusals int              `json:"other_refusals,omitempty"`
	// Complete: the event log reaches back to Since, so that no call that nobody was asked
	// about is missing. Otherwise From is how far it reaches.
	Complete bool      `json:"complete"`
	From     time.Time `json:"from,omitzero"`
}

// LedgerCount is a number of rows with this decision, decider and permission mode; or of a
// session's, of which ID and Name are set.
type LedgerCount struct {
	Decision string `json:"decision,omitempty"`
	By       string `json:"by,omitempty"`
	Mode     string `json:"permission_mode,omitempty"`
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Rows     int    `json:"rows"`
}

// LedgerHead identifies the newest row. Kept outside of the ledger it detects rows that
// were removed from its end.
type LedgerHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// LedgerCheck is the result of `ccdir decisions --verify`.
type LedgerCheck struct {
	Rows int64 `json:"rows"`
	// Head is the newest row.
	Head LedgerHead `json:"head"`
	// Against is the head that the caller kept; nil: none, then rows removed from the end
	// are not detected.
	Against *LedgerHead `json:"against,omitempty"`
	// Problem is the first error, "" if there is none; At is the number of the first row
	// that was edited or is missing.
	Problem string `json:"problem,omitempty"`
	At      int64  `json:"at,omitempty"`
}
