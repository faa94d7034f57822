package api

import "time"

// PastSession is what is kept of a session for the time after a reboot: enough
// to begin it again, without its environment.
type PastSession struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Agent string `json:"agent"`
	Role  string `json:"role,omitempty"`
	CWD   string `json:"cwd"`
	// Conversation is the agent's, "" for none.
	Conversation string `json:"conversation,omitempty"`
	// Prompt is the beginning of the last prompt: without one there is nothing to
	// resume.
	Prompt string `json:"prompt,omitempty"`
	// Argv is set for bare commands alone: agents' are made anew.
	Argv    []string  `json:"argv,omitempty"`
	Cols    int       `json:"cols"`
	Rows    int       `json:"rows"`
	Created time.Time `json:"created"`
}

// Resumes reports whether the conversation goes on when it is begun again.
func (p PastSession) Resumes() bool { return p.Conversation != "" && p.Prompt != "" }

// Reasons of a RestoreOffer.
const (
	RestoreReboot = "reboot" // the machine was restarted
	RestoreLost   = "lost"   // hosts died while no daemon ran
	RestoreAsked  = "asked"  // a generation was asked for by its number
)

// RestoreOffer is GET /v1/restore: what ran before and does not run now.
type RestoreOffer struct {
	// Reason is one of the Restore… constants, "" when nothing is offered.
	Reason string `json:"reason"`
	// At is when what is offered was last seen running.
	At       time.Time         `json:"at,omitzero"`
	Sessions []OfferedSession  `json:"sessions"`
	Kept     []KeptArrangement `json:"kept"`
}

// OfferedSession is one session of an offer.
type OfferedSession struct {
	PastSession
	// State is what it is now, "" if it is not in the list of sessions any more.
	State State `json:"state,omitempty"`
	// Resume: its conversation goes on.
	Resume bool `json:"resume"`
	// Problem says why it cannot be begun again as things are, "" if it can.
	Problem string `json:"problem,omitempty"`
}

// KeptArrangement is one generation of what ran: its number is for
// GET /v1/restore?from=NUMBER.
type KeptArrangement struct {
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
	Sessions []string  `json:"sessions"` // names
	// Boot: it is of the time since the machine was started last.
	Boot bool `json:"boot"`
}

// Restore is the body of POST /v1/restore.
type Restore struct {
	// From is the number of a generation; 0: what is offered.
	From int `json:"from,omitempty"`
	// Sessions are ids or names; none: all.
	Sessions []string `json:"sessions,omitempty"`
	// Env is the caller's environment, for sessions whose own is gone.
	Env []string `json:"env,omitempty"`
	// Request names the call, so that it can be repeated; Before is what was noted
	// before it began, of a repeat whose end nobody knows.
	Request string `json:"-"`
	Before  []byte `json:"-"`
}

// Restored is one entry of the answer to Restore.
type Restored struct {
	// ID and Name are as they were before.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Session is the running one: with the same id, unless the old one had been
	// removed. Nil when it failed.
	Session *Session `json:"session"`
	Error   string   `json:"error,omitempty"`
}
