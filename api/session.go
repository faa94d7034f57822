package api

import (
	"encoding/json"
	"slices"
	"time"
)

// ModeManual is the permission mode of an agent that asks about each call that no rule of its
// own allows.
const ModeManual = "manual"

// PermissionMode returns a permission mode as sessions and rows have it, from the agent's word.
func PermissionMode(word string) string {
	if word == "default" {
		return ModeManual
	}
	return word
}

// Session is one agent CLI (or any command) in a PTY, as `ccdir ls --json`
// prints it.
type Session struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	// Plain is "shell" or "command" for a session without an agent, "" for an agent. A
	// text for several sessions goes to it only if it was chosen by name.
	Plain string `json:"plain,omitempty"`
	// App is the program in a session without hooks that reports its state to the terminal
	// (OSC 7501), by its own name; "" for none, and once it has ended.
	App   string `json:"app,omitempty"`
	State State  `json:"state"`
	// Since is when State was entered.
	Since time.Time `json:"since"`
	// PID is the process in the PTY; 0 when none runs.
	PID  int    `json:"pid"`
	CWD  string `json:"cwd"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	// Branch is the branch of the work tree around CWD, or the beginning of the commit
	// where none is checked out; "" outside of repositories. Ahead and Behind count
	// commits compared with the branch's upstream, Changed counts files that differ from HEAD,
	// untracked ones among them, Added and Removed the lines in which these differ; binary
	// files have none, and neither have untracked ones above 1 MiB. They are read some seconds after a turn ends or a tool
	// has run, so they may be that old.
	Branch  string `json:"branch,omitempty"`
	Ahead   int    `json:"ahead,omitempty"`
	Behind  int    `json:"behind,omitempty"`
	Changed int    `json:"changed,omitempty"`
	Added   int    `json:"added,omitempty"`
	Removed int    `json:"removed,omitempty"`
	// LastTurn is how much its last turn changed in its work tree; nil: not known, or outside of
	// repositories. It is read some tenths of a second after the turn's end.
	LastTurn *TurnDiff `json:"last_turn,omitempty"`
	// Clashes are the sessions in other work trees of the repository whose work would collide
	// with its own, read some seconds after a turn ends.
	Clashes []Clash `json:"clashes,omitempty"`
	// PullRequest is its branch's, where gh or glab is installed and signed in.
	PullRequest *PullRequest `json:"pull_request,omitempty"`
	// Title is what the application set by OSC 0 or 2.
	Title string `json:"title"`
	// Conversation is the agent's id of the conversation; it can change while the process
	// runs (/clear, /resume).
	Conversation string `json:"conversation"`
	// Model is the model that the agent reported; until then the one that was chosen at its
	// start. "" if it is not known.
	Model string `json:"model,omitempty"`
	// PermissionMode is the agent's permission mode as it last reported it: ModeManual, or the
	// agent's own word ("acceptEdits", "auto", "plan", "dontAsk", "bypassPermissions"). "" if
	// it is not known.
	PermissionMode string `json:"permission_mode,omitempty"`
	// ContextTokens is how many tokens its conversation takes in the model's context,
	// ContextLeft how much of that is free, in percent; 0 and nil: not known. CostUSD is what the
	// conversation has cost; 0: not known. CostEstimate: a part of that was computed from prices, not
	// told by the agent. They are read from the agent's own file a second or two after it was written.
	ContextTokens int64   `json:"context_tokens,omitempty"`
	ContextLeft   *int    `json:"context_left,omitempty"`
	CostUSD       float64 `json:"cost_usd,omitempty"`
	CostEstimate  bool    `json:"cost_estimate,omitempty"`
	// Account is the account of config.toml that its agent is signed in with; "" is the sign-in
	// that the agent has by itself.
	Account string `json:"account,omitempty"`
	// ChosenModel is the model that was chosen at its start; "" is the agent's default.
	ChosenModel string `json:"chosen_model,omitempty"`
	// Args are the agent's arguments that were given at its start, besides those of the
	// configuration.
	Args []string `json:"args,omitempty"`
	// Task is the id of the queue's task that runs in it, "" if none.
	Task string `json:"task"`
	// ExitCode is nil while it runs and when it is lost. A signal's number is
	// reported as 128+n, as shells do.
	ExitCode *int `json:"exit_code"`
	// Unread: output or events since a person last looked at it.
	Unread bool `json:"unread"`

	// Question is the question in a waiting state; "" if it is not known.
	Question string `json:"question,omitempty"`
	// Asks is what it waits for in a waiting state, in one line without ccdir's words:
	// the command, the file, or the question itself; "" if not known.
	Asks string `json:"asks,omitempty"`
	// Answer is the agent's last message of its last turn, in one line, cut; "" before the
	// turn's end, and if it failed or was interrupted.
	Answer string `json:"answer,omitempty"`
	// Interrupted: a person ended the last turn before its end.
	Interrupted bool `json:"interrupted,omitempty"`
	// Failure is why the last turn failed (an error of the agent's API, a refusal), with a
	// message in one line; nil if it did not, and from the next prompt on. It is replaced,
	// never changed.
	Failure *TurnFailure `json:"failure,omitempty"`
	// Limit says that it rests because of a usage limit, and goes on after that or not; nil if it
	// does not. It is replaced, never changed.
	Limit *SessionLimit `json:"limit,omitempty"`
	// ResumeAfterLimit is what was chosen for it about usage limits, "" the configured one
	// (resume_after_limit); Priority is its place among sessions of its account, greater first.
	ResumeAfterLimit ResumeMode `json:"resume_after_limit,omitempty"`
	Priority         int        `json:"priority,omitempty"`
	// Retry says that it works because its agent asks the API again after a failure (429, 529); nil
	// if it does not, and from the next sign of progress on. It is replaced, never changed.
	Retry *Retry `json:"retry,omitempty"`
	// Tool is the tool that asks for permission in a waiting state, and Input its input
	// with long strings cut; "" and nil if there is none, or it is not known. Input above
	// 4 KiB is left out: the event of the hook has it.
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// Restarting: its process is being replaced. Prompts that are sent meanwhile wait for
	// the new one.
	Restarting bool `json:"restarting,omitempty"`
	// AnswerInPane: it waits for a person and has no open request (GET /v1/approvals), so
	// it can be answered in its pane alone.
	AnswerInPane bool `json:"answer_in_pane,omitempty"`
	// SnoozedUntil is when its snooze ends; the zero time if it is not snoozed. It ends
	// earlier when the session waits for something else.
	SnoozedUntil time.Time `json:"snoozed_until,omitzero"`
	// Prompt is the last prompt it took.
	Prompt string `json:"prompt,omitempty"`
	// PromptPending: its first prompt has not been delivered yet.
	PromptPending bool `json:"prompt_pending,omitempty"`
	// Pending counts prompts that ccdir keeps for it (`ccdir send --later`), not delivered yet.
	Pending int `json:"pending,omitempty"`
	// Queued counts prompts in the agent's own queue: taken while it worked, turn not begun.
	Queued int `json:"queued,omitempty"`
	// QueuedPrompts are the beginnings of these prompts, and of commands in the same
	// queue, in order.
	QueuedPrompts []string `json:"queued_prompts,omitempty"`
	// Undelivered is a prompt that was typed and not acknowledged: look at the pane. The
	// next prompt that the agent takes clears it.
	Undelivered string `json:"undelivered,omitempty"`
	// KeptDraft is what was in its input line when it was parked. It is put back when the agent runs
	// again.
	KeptDraft string `json:"kept_draft,omitempty"`
	// Created is when the session was made; it survives restarts of its process.
	Created time.Time `json:"created"`
	// Argv is the command as executed.
	Argv []string `json:"argv,omitempty"`
	// Launch identifies the start of the process that runs, or ran last: it differs after
	// every restart, and survives the daemon. "" if it is not known.
	Launch string `json:"launch,omitempty"`
	// HostPID is the host process; 0 when none runs.
	HostPID int `json:"host_pid,omitempty"`
	// HostVersion is the version of the shim that hosts it.
	HostVersion string `json:"host_version,omitempty"`
	// External: an agent that was started outside ccdir, or was left over by a host that
	// died. It has no pane, and ccdir cannot type into it.
	External bool `json:"external,omitempty"`
	// LeftOf is the id of the lost session whose host died and left this process
	// behind; "" for others.
	LeftOf string `json:"left_of,omitempty"`
	// Role decides which tools it has and which rules hold for it.
	Role string `json:"role,omitempty"`
	// Parent is the id of the session whose agent started it; "" if a person did.
	Parent string `json:"parent,omitempty"`
	// Marks are what a person has noted of it for themselves.
	Marks Marks `json:"marks,omitzero"`
	// Beside is set for a tool that a person opened beside another session; nil for others.
	Beside *Beside `json:"beside,omitempty"`
	// Override replaces the policy's default until its Until, which may have passed; nil:
	// none.
	Override *Override `json:"override,omitempty"`
	// Unwalled says why there are no walls around a session that would have some by itself; "" for others.
	Unwalled string `json:"unwalled,omitempty"`
	// Unguarded says why no policy holds for what its agent does now, for people; "" if one can
	// hold.
	Unguarded string `json:"unguarded,omitempty"`
	// Sandbox are the walls around its process; nil for none. It is replaced, never changed.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// Progress is the agent's last progress report, one line.
	Progress string `json:"progress,omitempty"`
	// Error says why it could not start or was lost, for people.
	Error string `json:"error,omitempty"`

	// Node is the machine that it runs on, "" this one; Away is since when that machine does
	// not answer, the zero time: it does. A client of several machines sets them.
	Node string    `json:"-"`
	Away time.Time `json:"-"`
}

// TreeState is what a session shows of the git work tree around its directory; zero outside of
// repositories.
type TreeState struct {
	Branch                                 string
	Ahead, Behind, Changed, Added, Removed int
}

// SetTree makes the session show a state of its work tree.
func (s *Session) SetTree(v TreeState) {
	s.Branch, s.Ahead, s.Behind, s.Changed, s.Added, s.Removed = v.Branch, v.Ahead, v.Behind, v.Changed, v.Added, v.Removed
}

// Version is the session's version for preconditions (IfMatch): its id and launch. It
// changes when the session is started again, and not with its state.
func (s Session) Version() string { return s.ID + "/" + s.Launch }

// What runs in a session that has no agent (Session.Plain).
const (
	PlainShell   = "shell"
	PlainCommand = "command"
)

// In reports whether the session is in one of the states, for callers that wait for them.
// A session whose first prompt is pending is not idle; one that rests after a turn that
// failed is in StateFailed, too.
func (s Session) In(states []State) bool {
	if s.State == StateIdle && s.PromptPending {
		return false
	}
	return slices.Contains(states, s.State) || s.HasFailed() && slices.Contains(states, StateFailed)
}

// HasFailed reports whether the session rests after a turn that failed. It may wait for a
// person because of that.
func (s Session) HasFailed() bool { return s.Failure != nil && s.State != StateWorking }

// RetryLine is Retry in words at that time; "" without one.
func (s Session) RetryLine(now time.Time) string {
	if s.Retry == nil {
		return ""
	}
	return s.Retry.Line(now)
}

// FailureLine is the message of Failure; "" without one.
func (s Session) FailureLine() string {
	if s.Failure == nil {
		return ""
	}
	return s.Failure.Message
}

// NewSession is the body of POST /v1/sessions.
type NewSession struct {
	Name  string `json:"name,omitempty"`
	Agent string `json:"agent,omitempty"`
	// Argv runs that command instead of an agent's.
	Argv []string `json:"argv,omitempty"`
	// CWD is absolute: the caller's directory if the user named none.
	CWD string `json:"cwd"`
	// Env is the caller's whole environment; nil: the daemon's own. The server drops
	// variables that must not be inherited and adds those of ccdir.
	Env []string `json:"env"`
	// Node is the machine to start it on, for clients of several; "" is this one.
	Node string `json:"-"`
	// ExtraEnv are K=V pairs that win over Env (-e).
	ExtraEnv []string `json:"extra_env,omitempty"`
	// Args are arguments of the agent, after those of the configuration; a command has its
	// own in Argv.
	Args []string `json:"args,omitempty"`
	// Model is the agent's model, in its words; "" is its default. Agents whose model can be
	// chosen have AgentInfo.Models.
	Model string `json:"model,omitempty"`
	// Account is one of config.toml; AccountDefault is the sign-in that the agent has by itself; "":
	// the first that its repository has.
	Account string `json:"account,omitempty"`
	// Role is "dev" if none is named.
	Role string `json:"role,omitempty"`
	// Sandbox is the profile of the walls around it; "" is that of its role, of its repository or the
	// configuration's default, "none" is none. A session that is started by a walled one has
	// walls that are at least as narrow.
	Sandbox string `json:"sandbox,omitempty"`
	// Project is the profile that the project's .ccdir.toml asks for where nobody names one; it never
	// comes over the wire.
	Project string `json:"-"`
	// Parent is the session that asks for it; it never comes over the wire.
	Parent string `json:"-"`
	// Beside makes it a tool beside another session; without a name it is called after both.
	Beside *Beside `json:"beside,omitempty"`
	// Worktree is the branch whose git work tree it is started in, made if there is none; "."
	// is a branch of the session's name, "-" is CWD as it is. "": as the project's settings
	// say (isolate), and for commands CWD. Base is where a new branch begins, what is checked
	// out at CWD if "".
	Worktree string `json:"worktree,omitempty"`
	Base     string `json:"base,omitempty"`
	// AskSetup: if a new work tree has a setup command that the person has not agreed to, nothing is
	// made, and the error is "asks" (GET /v1/worktrees/setup has the text). Without it such a command
	// is not run.
	AskSetup bool `json:"ask_setup,omitempty"`
	// Setup says what became of that command; it never comes over the wire.
	Setup string `json:"-"`
	// Prompt is delivered once the agent takes input.
	Prompt string `json:"prompt,omitempty"`
	// Resume continues a conversation of the agent.
	Resume string `json:"resume,omitempty"`
	// ResumeAfterLimit says what becomes of it after usage limits; "": as the configuration does.
	ResumeAfterLimit ResumeMode `json:"resume_after_limit,omitempty"`
	// Cols and Rows are the first size; 0 means 80x24.
	Cols int `json:"cols,omitempty"`
	Rows int `json:"rows,omitempty"`
	// Scrollback is the history's capacity in lines; 0 means the configured one.
	Scrollback int `json:"scrollback,omitempty"`
	// Request, an id of the caller's, makes the call idempotent: while the session exists,
	// a retry returns it and starts none.
	Request string `json:"request,omitempty"`
}

// Fork is the body of POST /v1/sessions/ID/fork.
type Fork struct {
	// Name of the new session; "": the other's with "-fork".
	Name string `json:"name,omitempty"`
	// CWD is its directory, absolute; "": that of the other session. The agent must find the
	// conversation from there.
	CWD string `json:"cwd,omitempty"`
	// Check: nothing is started. The answer is the other session, or why it cannot be forked.
	Check bool `json:"check,omitempty"`
	// Request makes the call idempotent; it never comes over the wire.
	Request string `json:"-"`
}

// HostAddress is how a local client reaches a session's host: GET
// /v1/sessions/ID/host.
type HostAddress struct {
	Socket string `json:"socket"`
	// Ticket authorises one or more connections to this host until it ends.
	Ticket string `json:"ticket"`
}

// SendPrompt is the body of POST /v1/sessions/ID/input.
type SendPrompt struct {
	Text string `json:"text"`
	// Wait: if the session cannot take a prompt now (a dialog is open), wait
	// instead of refusing.
	Wait bool `json:"wait,omitempty"`
	// ID makes the call idempotent: a retry with the same id types nothing and returns
	// the outcome of the first call. "": the server makes one.
	ID string `json:"id,omitempty"`
}

// SendResult is the answer to SendPrompt.
type SendResult struct {
	ID string `json:"id"`
	// Status is "delivered" (acknowledged) or "queued" (the agent is busy and
	// took it into its own queue).
	Status string `json:"status"`
}

// RawInput is the body of POST /v1/sessions/ID/input/raw: exactly one of Keys,
// Paste and Data.
type RawInput struct {
	// Keys are key names as tmux spells them (Enter, Escape, C-c, Up, M-x, F5,
	// or one character), encoded for the application's modes.
	Keys []string `json:"keys,omitempty"`
	// Paste is pasted: bracketed if the application asked for it.
	Paste *string `json:"paste,omitempty"`
	// Data is written as it is (base64 in JSON).
	Data []byte `json:"data,omitempty"`
	// ID makes the call idempotent: a retry with the same id types nothing.
	ID string `json:"-"`
}

// Resize is the body of POST /v1/sessions/ID/resize.
type Resize struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

// Kill is the body of POST /v1/sessions/ID/kill.
type Kill struct {
	// Force skips the polite part.
	Force bool `json:"force,omitempty"`
	// External must be set to end an agent that was started outside ccdir, so that it is
	// not ended by mistake. Left-over ones do not need it.
	External bool `json:"external,omitempty"`
}

// Restart is the body of POST /v1/sessions/ID/restart, which may be left out.
type Restart struct {
	// Account moves the conversation to another account of the agent's kind, as in NewSession; "":
	// it stays.
	Account string `json:"account,omitempty"`
}

// SetModel is the body of POST /v1/sessions/ID/model.
type SetModel struct {
	// Model is in the agent's words.
	Model string `json:"model"`
}

// Rename is the body of POST /v1/sessions/ID/rename.
type Rename struct {
	Name string `json:"name"`
}

// Explanation is GET /v1/sessions/ID/explain: which evidence gave the state.
type Explanation struct {
	Session string    `json:"session"`
	State   State     `json:"state"`
	Since   time.Time `json:"since"`
	// Winner is the evidence that gave the state; nil before any.
	Winner *Evidence `json:"winner"`
	// Rule is the name of the rule that gave the state, and Reason its reason.
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
	// Overruled is later or weaker evidence that did not change the state,
	// newest first.
	Overruled []Overruled `json:"overruled"`
	// Changes describes, for people, evidence that would change the state.
	Changes []string `json:"changes"`
	// Retry is the session's: a detail of the state working.
	Retry *Retry `json:"retry,omitempty"`
	// Lacks says what ccdir cannot do with the session's agent, a line each.
	Lacks []string `json:"lacks"`
}

// Overruled is evidence that did not change the state, and the reason.
type Overruled struct {
	Evidence Evidence `json:"evidence"`
	Reason   string   `json:"reason"`
}

// ProcessUse is GET /v1/sessions/ID/process: what a session's processes use at
// the moment.
type ProcessUse struct {
	Session string `json:"session"`
	// PID is the process in the PTY, HostPID its host's; 0 when none runs.
	PID     int `json:"pid"`
	HostPID int `json:"host_pid"`
	// Processes counts the process in the PTY and all below it, Memory is the sum
	// of their resident memory in bytes; pages that they share count for each.
	Processes int   `json:"processes"`
	Memory    int64 `json:"memory"`
	// AgentVersion is the agent's version, "" if it is not known.
	AgentVersion string `json:"agent_version,omitempty"`
}

// MaxSnooze bounds a snooze.
const MaxSnooze = 7 * 24 * time.Hour

// Snooze is the body of POST /v1/sessions/ID/snooze.
type Snooze struct {
	// Seconds is how long the session's wait is hidden from now on: 1 to a week.
	Seconds int `json:"seconds"`
}

// PutOff reports whether the session is snoozed at that moment.
func (s *Session) PutOff(now time.Time) bool { return now.Before(s.SnoozedUntil) }
