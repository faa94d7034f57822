package api

import (
	"encoding/json"
	"time"
)

// Request is an open permission request of an agent, as `ccdir approvals
// --json` prints it (GET /v1/approvals: oldest first).
type Request struct {
	// ID names the request for `ccdir approve` and `ccdir deny`.
	ID string `json:"id"`
	// Session is the id of the session that asks.
	Session string `json:"session"`
	// Tool is what the agent wants to run, with its complete Input.
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Since is when the agent asked.
	Since time.Time `json:"since"`
	// Deadline is when the request is closed here and left to the dialog in the pane.
	Deadline time.Time `json:"deadline,omitzero"`
	// Kind is permission, question or plan. A question is answered by a text, or denied; it
	// cannot be approved without an answer.
	Kind RequestKind `json:"kind,omitempty"`
	// AlwaysRule is the rule that an approval with Always would add, in the notation of
	// policies; "" if no narrow one is known.
	AlwaysRule string `json:"always_rule,omitempty"`
	// AlwaysRules are the rules that Answer.Rule can choose among, the narrowest first:
	// AlwaysRule, and patterns that allow more calls of the same kind.
	AlwaysRules []string `json:"always_rules,omitempty"`
	// Stage is who is asked first now; people may answer at any stage.
	Stage RequestStage `json:"stage,omitempty"`
	// Question is one line for people, control characters made visible.
	Question string `json:"question,omitempty"`
	// ToolUseID is the agent's id of the call; "" if it is not known.
	ToolUseID string `json:"tool_use_id,omitempty"`
	// Subagent is the id of the subagent that asks; "" for the agent itself.
	Subagent string `json:"subagent,omitempty"`
	CWD      string `json:"cwd,omitempty"`
	// Mode is the agent's permission mode at that moment.
	Mode string `json:"mode,omitempty"`
	// Modes are the permission modes in which the agent can go on after a plan, in its words, the
	// one that asks most first: Answer.Mode. Empty: the plan's approval chooses none.
	Modes []string `json:"modes,omitempty"`
	// Rule is the policy's rule that sent the request here, with file and line,
	// for people; "" if none did.
	Rule string `json:"rule,omitempty"`
	// Sandbox says that the session's walls will refuse the call, whatever is answered, and how to
	// let it through; "" if that is not known.
	Sandbox string `json:"sandbox,omitempty"`
	// Scopes are how far an approval with Always can reach, narrowest first, each with
	// AlwaysRule. Every rule of AlwaysRules can be written for each of them.
	Scopes []AlwaysScope `json:"scopes,omitempty"`
	// Choices are what a question offers, in its order; empty: free text.
	Choices []string `json:"choices,omitempty"`
	// Multiple: more than one of Choices may be taken.
	Multiple bool `json:"multiple,omitempty"`
	// Questions counts the questions of an agent's own dialog; 0 if they cannot be
	// answered here. With more than one, Answer.Text has a line for each. Such a dialog
	// takes free text besides its choices.
	Questions int `json:"questions,omitempty"`
	// Editable: Answer.Input may replace the input.
	Editable bool `json:"editable,omitempty"`
	// Origin is "hook" (an agent's dialog) or "mcp" (the ask_person tool, which has no
	// dialog in the pane). "" is "hook".
	Origin string `json:"origin,omitempty"`
	// Hook is the name of the agent's hook that asks; "" without one.
	Hook string `json:"hook,omitempty"`
	// SessionName and Role are the session's when it asked.
	SessionName string `json:"session_name,omitempty"`
	Role        string `json:"role,omitempty"`
}

// Words of Request.Origin.
const (
	OriginHook = "hook"
	OriginMCP  = "mcp"
)

// AlwaysScope is one way of making an approval last.
type AlwaysScope struct {
	// Scope is "session", "project" or "user".
	Scope string `json:"scope"`
	// Rule is what will be written, File where ("" for a session). New: the file is made for it.
	Rule string `json:"rule"`
	File string `json:"file,omitempty"`
	New  bool   `json:"new,omitempty"`
}

// Scopes of Answer.Scope and AlwaysScope.Scope.
const (
	ScopeSession = "session"
	ScopeProject = "project"
	ScopeUser    = "user"
)

// RequestKind is permission, question or plan.
type RequestKind string

// Kinds of requests.
const (
	RequestPermission RequestKind = "permission" // to run a tool
	RequestQuestion   RequestKind = "question"   // a choice of the person's
	RequestPlan       RequestKind = "plan"       // to begin with a plan
)

// RequestStage is who is asked first.
type RequestStage string

// Stages of a request, in order. The policy answers before the first one, or not at all.
const (
	StageLead   RequestStage = "lead"   // the session's lead agent, and people
	StagePerson RequestStage = "person" // people
)

// Answer is the answer to a request: the body of POST /v1/approvals/ID/approve and …/deny,
// whose path implies Behavior.
type Answer struct {
	Behavior AnswerBehavior `json:"behavior,omitempty"`
	// Always makes an approval last, by the narrowest rule that fits the call, or by Rule.
	// Where there is none the answer is refused.
	Always bool `json:"always,omitempty"`
	// Message goes to the agent with a denial.
	Message string `json:"message,omitempty"`
	// Scope is how far Always reaches; "" is ScopeSession.
	Scope string `json:"scope,omitempty"`
	// Input replaces the tool's input, if the request is Editable.
	Input json.RawMessage `json:"input,omitempty"`
	// Text answers a question: one of its choices (several: a line each), or
	// free text.
	Text string `json:"text,omitempty"`
	// Rule is, with Always, the one of Request.AlwaysRules to write; "" is the narrowest. In
	// the ledger it is the rule that was written, or by which a policy answered; File and
	// Line say where it stands.
	Rule string `json:"rule,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Mode is, with the approval of a plan, the one of Request.Modes in which the agent goes on;
	// "" is the first of them.
	Mode string `json:"mode,omitempty"`
	// Lead is the session that answered as lead, Client the person's program, Call the
	// identity of the call. The server sets all three.
	Lead   string `json:"lead,omitempty"`
	Client string `json:"client,omitempty"`
	Call   Call   `json:"-"`
}

// AnswerBehavior is allow or deny.
type AnswerBehavior string

// The two answers.
const (
	AnswerAllow AnswerBehavior = "allow"
	AnswerDeny  AnswerBehavior = "deny"
)

// RequestOutcome is how a request ended.
type RequestOutcome string

// Outcomes of a request. After all but OutcomeAnswered the agent's own dialog remains.
const (
	OutcomeAnswered  RequestOutcome = "answered"  // Decision.Answer holds
	OutcomeElsewhere RequestOutcome = "elsewhere" // answered or closed in the pane
	OutcomeSession   RequestOutcome = "session"   // the session's process ended
	OutcomeDeadline  RequestOutcome = "deadline"  // nobody answered in time
	OutcomeHungUp    RequestOutcome = "hung_up"   // the agent stopped waiting
	OutcomeLimit     RequestOutcome = "limit"     // too many open, or too large
	// OutcomeUnrecorded is in events of older daemons: an approval that the ledger could not keep
	// was not given. Now the request stays open.
	OutcomeUnrecorded RequestOutcome = "unrecorded"
)

// Decision is how one permission request ended: one row of the ledger.
type Decision struct {
	Request Request        `json:"request"`
	Outcome RequestOutcome `json:"outcome"`
	// Answer is set for OutcomeAnswered alone.
	Answer *Answer `json:"answer,omitempty"`
	// By is who answered: "policy", "lead", "person"; "" if nobody did.
	By string `json:"by,omitempty"`
	// Reason is what ended the request, for people.
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// Words of Decision.By.
const (
	ByPolicy = "policy"
	ByLead   = "lead"
	ByPerson = "person"
)
