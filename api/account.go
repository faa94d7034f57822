package api

import "time"

// Account is a sign-in of an agent, as `ccdir accounts --json` prints it.
type Account struct {
	// Name is its name in config.toml, or AccountDefault for the sign-in that agents of that kind
	// have by themselves.
	Name string `json:"name"`
	// Agent is the name of the agent in config.toml, for AccountDefault of its kind.
	Agent string `json:"agent"`
	// Dir is the agent's directory, "" where none is set.
	Dir string `json:"dir"`
	// Default are the repositories in and below which it is used unless another one is named.
	Default []string `json:"default"`
	// Sessions are the ids of the running sessions that use it.
	Sessions []string `json:"sessions"`
	// Windows are its limits, as far as they are known.
	Windows []UsageWindow `json:"windows"`
}

// LimitClass names what shares the limits of an account, as Queue.Parked has it: the agent's name in
// config.toml, and after a slash the account's; of the sign-in that the agent has by itself ("" or
// AccountDefault) the agent's name alone.
func LimitClass(agent, account string) string {
	if account == "" || account == AccountDefault {
		return agent
	}
	return agent + "/" + account
}

// LimitClass is that of the attempt that runs or ran last.
func (t Task) LimitClass() string { return LimitClass(t.Agent, t.Account) }

// LimitClasses are those of which one must have room for the task to start: that of the
// conversation with which it goes on, or those of its accounts.
func (t Task) LimitClasses() []string {
	if t.Account != "" || len(t.Accounts) == 0 {
		return []string{t.LimitClass()}
	}
	classes := make([]string, len(t.Accounts))
	for i, name := range t.Accounts {
		classes[i] = LimitClass(t.Agent, name)
	}
	return classes
}

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

// LimitLine says until when the session rests because of a usage limit, and what follows, for
// people where they are; "" if it does not rest.
func (s Session) LimitLine(now time.Time) string {
	l := s.Limit
	if l == nil || s.Failure == nil {
		return ""
	}
	line, then := "its end is not known", "; then it goes on"
	if !l.Until.IsZero() {
		layout, until := "15:04", l.Until.In(now.Location())
		if until.Sub(now).Abs() >= 18*time.Hour {
			layout = "Mon 2 Jan 15:04"
		}
		line, then = "until "+until.Format(layout), ", then it goes on"
		if until.Before(now) {
			line = "was " + line
		}
	}
	switch l.Resume {
	case ResumeOn, ResumeOwn:
		return line + then
	case ResumeAsk:
		return line + "; `ccdir resume` has it go on then"
	}
	return line
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
