package api

import "time"

// ResumeMode says what becomes of a session whose turn failed because of a usage limit, once that
// has ended.
type ResumeMode string

// The modes.
const (
	// ResumeOn: ccdir has it go on, in its turn.
	ResumeOn ResumeMode = "on"
	// ResumeOwn: the agent goes on by itself, if it can; where it has not some minutes later, ccdir
	// has it go on.
	ResumeOwn ResumeMode = "own"
	// ResumeAsk: a person is asked (POST /v1/sessions/ID/resume); until then as ResumeOff.
	ResumeAsk ResumeMode = "ask"
	// ResumeOff: ccdir does nothing.
	ResumeOff ResumeMode = "off"
)

// ResumeModes are all of them.
var ResumeModes = []ResumeMode{ResumeOn, ResumeOwn, ResumeAsk, ResumeOff}

// SessionLimit says that a session rests because of a usage limit.
type SessionLimit struct {
	// Until is when the limit ends, as far as that was said; it may have passed, or be wrong.
	Until time.Time `json:"until"`
	// Resume is what happens then, Priority its place among the others of the account.
	Resume   ResumeMode `json:"resume"`
	Priority int        `json:"priority,omitempty"`
}

// Resume is the body of POST /v1/sessions/ID/resume: whether the session goes on after usage
// limits, this one and later ones.
type Resume struct {
	// Mode is ResumeOn for "".
	Mode ResumeMode `json:"mode,omitempty"`
	// Priority is -100 to 100: greater ones of an account go on first. Nil: as it was.
	Priority *int `json:"priority,omitempty"`
}

// Types of events of limits. Their Session is "" where they concern an account.
const (
	EventLimitMet  = "limit.met"  // a session, or a task's, met a limit
	EventLimitOpen = "limit.open" // the first one after it has gone on and met none
	EventLimitOver = "limit.over" // all that waited have gone on
)
