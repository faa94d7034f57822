package api

import (
	"fmt"
	"time"
)

// AccountDefault is the name, in JSON and for people, of the account that an agent uses by
// itself; elsewhere it is "".
const AccountDefault = "default"

// Usage is what is left of the agents' limits, and what was used.
type Usage struct {
	Windows []UsageWindow `json:"windows"`
	// Probes say of each account with windows, or of the configuration, what becomes of asking its agent.
	Probes []UsageProbe `json:"probes"`
	Rows   []UsageRow   `json:"rows"`
	// Prices is the day of the table by which costs were computed that no agent told, YYYY-MM-DD.
	Prices string `json:"prices,omitempty"`
}

// UsageWindow is one window of an account's limits.
type UsageWindow struct {
	// Node is the machine that said so, where several are shown together; "" is this one.
	Node string `json:"node,omitempty"`
	// Account is its name in config.toml, or AccountDefault.
	Account string `json:"account"`
	// Agent is the kind of the agent.
	Agent string `json:"agent"`
	// Name is the window's length ("5h", "7d"), with a model if it counts that alone ("7d opus"), or
	// what it limits ("spend", "extra").
	Name string `json:"name"`
	// UsedPercent is null where it is not known: also once the window has ended, until
	// somebody says how much of the next one is used. It may be over 100.
	UsedPercent *float64 `json:"used_percent"`
	// ResetsAt is when the window ends, or ended; null: unknown.
	ResetsAt *time.Time `json:"resets_at"`
	// Source is who said so: "statusline", "print", "probe", "transcript", "refusal".
	Source string `json:"source"`
	// At is when it was true.
	At time.Time `json:"at"`
	// Seconds is the window's length; absent: it has no fixed one, or it is unknown.
	Seconds int64 `json:"seconds,omitempty"`
	// Pace says how the window fares: "fits", "quick" (used up before it ends, at this pace), "spent";
	// absent: unknown.
	Pace UsagePace `json:"pace,omitempty"`
}

// UsageProbe says what becomes of asking the agent of an account that rests for its windows.
type UsageProbe struct {
	// Account and Agent are as in UsageWindow.
	Account string     `json:"account"`
	Agent   string     `json:"agent"`
	State   ProbeState `json:"state"`
	// At is when the running daemon asked last; null: not yet. Why is why nothing came of it.
	At  *time.Time `json:"at"`
	Why string     `json:"why,omitempty"`
	// Next is when it is asked next, if nobody says anything before; null: not at all.
	Next *time.Time `json:"next"`
}

// ProbeState is what became of asking.
type ProbeState string

// The states.
const (
	ProbeTold    ProbeState = "told"    // it told its windows
	ProbeRefused ProbeState = "refused" // nothing came of it; it is asked again, ever less often
	ProbeWaits   ProbeState = "waits"   // it has not been asked by the running daemon
	ProbeNever   ProbeState = "never"   // it cannot be asked, or nobody has ever told a window of it
	ProbeOff     ProbeState = "off"     // usage_probe = false
)

// Limits are windows of limits in the watch stream.
type Limits struct {
	Windows []UsageWindow `json:"windows"`
}

// Of are the windows of the account that a session uses, as its machine knows them.
func (l *Limits) Of(s Session) (list []UsageWindow) {
	if l == nil {
		return nil
	}
	for _, w := range l.Windows {
		if w.Node == s.Node && w.Agent == s.Agent && LimitClass(w.Agent, w.Account) == LimitClass(s.Agent, s.Account) {
			list = append(list, w)
		}
	}
	return list
}

// Short is the window in a few characters: its name, how much of it is used, how long it lasts
// yet ("5h 42% · 2h10"); "" where how much is used is not known.
func (w UsageWindow) Short(now time.Time) string {
	if w.UsedPercent == nil || w.Rolled(now) {
		return ""
	}
	text := fmt.Sprintf("%s %.0f%%", w.Name, *w.UsedPercent)
	if left := w.Left(now); left != "" && w.Seconds <= int64(24*time.Hour/time.Second) {
		text += " · " + left // of longer ones the day is far, and the room is little
	}
	return text
}

// UsagePace is how fast a window is used, compared with the time that has passed of it.
type UsagePace string

// The paces; "" is unknown.
const (
	PaceFits  UsagePace = "fits"
	PaceQuick UsagePace = "quick"
	PaceSpent UsagePace = "spent"
)

// Rolled reports whether the window has ended, so that how much of the next one is used is not
// known yet.
func (w UsageWindow) Rolled(now time.Time) bool {
	return w.ResetsAt != nil && !now.Before(*w.ResetsAt)
}

// Left is how long the window lasts yet: "12m", "2h10", "3d04h"; "" if its end is unknown or
// past.
func (w UsageWindow) Left(now time.Time) string {
	if w.ResetsAt == nil || w.Rolled(now) {
		return ""
	}
	minutes := int64(w.ResetsAt.Sub(now).Round(time.Minute) / time.Minute)
	switch hours := minutes / 60; {
	case hours >= 24:
		return fmt.Sprintf("%dd%02dh", hours/24, hours%24)
	case hours > 0:
		return fmt.Sprintf("%dh%02d", hours, minutes%60)
	}
	return fmt.Sprintf("%dm", minutes)
}

// UsageBy is what rows of usage are summed by.
type UsageBy string

// The sums; "" is by day.
const (
	UsageBySession UsageBy = "session"
	UsageByTask    UsageBy = "task"
	UsageByDay     UsageBy = "day"
	UsageByRepo    UsageBy = "repo"
	UsageByModel   UsageBy = "model"
	UsageByAccount UsageBy = "account"
)

// UsageBys are the sums that can be asked for.
var UsageBys = []UsageBy{UsageBySession, UsageByTask, UsageByDay, UsageByRepo, UsageByModel, UsageByAccount}

// UsageRow is what was used under one key: a session, a day, as asked for. A number is null where
// no agent told it.
type UsageRow struct {
	Key string `json:"key"`
	// Name is what people call it, if that is not the key: a session's name.
	Name             string   `json:"name,omitempty"`
	InputTokens      *int64   `json:"input_tokens"`
	OutputTokens     *int64   `json:"output_tokens"`
	CacheReadTokens  *int64   `json:"cache_read_tokens"`
	CacheWriteTokens *int64   `json:"cache_write_tokens"`
	CostUSD          *float64 `json:"cost_usd"`
	// Estimate: a part of the cost at least was computed from prices, not told by the agent.
	Estimate bool `json:"estimate"`
	// Lacks are models that were used and whose price is not known: their cost is not in CostUSD.
	Lacks []string `json:"lacks,omitempty"`
}

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
	// Roles are those of sessions that use it unless another one is named.
	Roles []string `json:"roles,omitempty"`
	// Sessions are the ids of the running sessions that use it.
	Sessions []string `json:"sessions"`
	// Windows are its limits, as far as they are known.
	Windows []UsageWindow `json:"windows"`
	// Probe is what becomes of asking for them.
	Probe UsageProbe `json:"probe"`
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
	// Of windows and budgets, once each:
	EventLimitNear   = "limit.near"   // little is left of a window
	EventLimitRolled = "limit.rolled" // a window of which little was left has ended
	EventBudgetSpent = "budget.spent" // a budget of the queue is spent, until its days are over
)
