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
	Rows    []UsageRow    `json:"rows"`
	// Prices is the day of the table by which costs were computed that no agent told, YYYY-MM-DD.
	Prices string `json:"prices,omitempty"`
}

// UsageWindow is one window of an account's limits.
type UsageWindow struct {
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

// Limits are windows of limits in the watch stream.
type Limits struct {
	Windows []UsageWindow `json:"windows"`
}

// Of are the windows of the account that a session of this machine uses.
func (l *Limits) Of(s Session) (list []UsageWindow) {
	if l == nil || s.Node != "" {
		return nil
	}
	for _, w := range l.Windows {
		if w.Agent == s.Agent && LimitClass(w.Agent, w.Account) == LimitClass(s.Agent, s.Account) {
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
