package api

import "time"

// PastSession is the record by which a session is started again after a reboot: everything
// but its environment.
type PastSession struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Role  string `json:"role,omitempty"`
	CWD   string `json:"cwd"`
	// Conversation is the agent's, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Prompt is the beginning of the last prompt; "" if there was none, and so nothing to
	// resume.
	Prompt string `json:"prompt,omitempty"`
	// Argv is set for bare commands alone: an agent's is built again at its start.
	Argv []string `json:"argv,omitempty"`
	// Args and Model are what was chosen for an agent at its start.
	Args    []string  `json:"args,omitempty"`
	Model   string    `json:"model,omitempty"`
	Cols    int       `json:"cols"`
	Rows    int       `json:"rows"`
	Created time.Time `json:"created"`
}

// Resumes reports whether a new start continues the conversation.
func (p PastSession) Resumes() bool { return p.Conversation != "" && p.Prompt != "" }

// Reasons of a RestoreOffer.
const (
	RestoreReboot = "reboot" // the machine was restarted
	RestoreLost   = "lost"   // hosts died
	RestoreAsked  = "asked"  // a generation was asked for by its number
)

// RestoreOffer is GET /v1/restore: sessions that ran before and do not run now.
type RestoreOffer struct {
	// Reason is one of the Restore… constants, "" when nothing is offered.
	Reason string `json:"reason"`
	// At is when the sessions were last seen running.
	At       time.Time         `json:"at,omitzero"`
	Sessions []OfferedSession  `json:"sessions"`
	Kept     []KeptArrangement `json:"kept"`
}

// OfferedSession is one session of an offer.
type OfferedSession struct {
	PastSession
	// State is its present state; "" if it was removed from the list of sessions.
	State State `json:"state,omitempty"`
	// Resume: its conversation is continued.
	Resume bool `json:"resume"`
	// Problem is why it cannot be started now; "" if it can.
	Problem string `json:"problem,omitempty"`
}

// KeptArrangement is one saved generation of running sessions. Its number is for GET
// /v1/restore?from=NUMBER.
type KeptArrangement struct {
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
	Sessions []string  `json:"sessions"` // names
	// Boot: it was saved since the last boot of the machine.
	Boot bool `json:"boot"`
}

// Restore is the body of POST /v1/restore.
type Restore struct {
	// From is the number of a generation; 0: the present offer.
	From int `json:"from,omitempty"`
	// Sessions are ids or names; none: all.
	Sessions []string `json:"sessions,omitempty"`
	// Env is the caller's environment, for sessions that were removed and their
	// environment with them.
	Env []string `json:"env,omitempty"`
	// Request is the id of a call with an idempotency key. Before is what could be
	// restored when its first attempt began, in a retry whose first attempt has an unknown
	// outcome; nil otherwise.
	Request string `json:"-"`
	Before  []byte `json:"-"`
}

// Restored is one entry of the answer to Restore.
type Restored struct {
	// ID and Name are those of before.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Session is the running one: with the same id, unless the old one had been
	// removed. Nil when it failed.
	Session *Session `json:"session"`
	Error   string   `json:"error,omitempty"`
}
