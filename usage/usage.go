// Package usage knows what agents say about their limits: samples, the windows that follow
// from them, the pace at which a window is used. It computes values from values: adapters decode
// samples, daemon/limits keeps them.
//
// Contract: what is not known is nil or the zero time, never 0. Nothing is estimated from
// tokens. Values are not changed after they were made; a Table belongs to one goroutine.
package usage

import (
	"fmt"
	"strings"
	"time"
)

// Key says which window of whom: an account of an agent has several.
type Key struct {
	// Agent is the kind of the agent, such as "claude": the kind has the sign-in.
	Agent string
	// Account is the account's name in config.toml, "" for the agent's own sign-in.
	Account string
	// Name is the window: its length ("5h", "7d"), with the model if it counts one alone
	// ("7d opus"), or what it limits ("spend", "extra").
	Name string
}

// Names of windows that have no fixed length.
const (
	// WindowSpend is the limit that a company's gateway sets in money.
	WindowSpend = "spend"
	// WindowExtra is what may be bought beyond a subscription.
	WindowExtra = "extra"
)

// Source is where a sample comes from.
type Source string

// The sources of samples.
const (
	// SourceStatusLine: the agent's status line, whose command gets the numbers.
	SourceStatusLine Source = "statusline"
	// SourcePrint: the stream of a one-shot run.
	SourcePrint Source = "print"
	// SourceProbe: the agent was asked.
	SourceProbe Source = "probe"
	// SourceTranscript: the agent's own file of the conversation.
	SourceTranscript Source = "transcript"
	// SourceRefusal: the agent was refused, and said until when.
	SourceRefusal Source = "refusal"
)

// Sample is what one source said of one window at one moment.
type Sample struct {
	Key
	// Length is how long the window is; 0: unknown, or it has no fixed length.
	Length time.Duration
	// UsedPercent is how much of it is used, 0 to 100 and above; nil: the source does not say.
	UsedPercent *float64
	// ResetsAt is when it ends; zero: unknown.
	ResetsAt time.Time
	Source   Source
	// At is when the numbers were true.
	At time.Time
}

// Lengths of the usual windows.
const (
	FiveHours = 5 * time.Hour
	SevenDays = 7 * 24 * time.Hour
)

// WindowName is the name of a window of that length, for a model or all of them (""): "5h",
// "7d opus", "90m". The length is at least a minute.
func WindowName(length time.Duration, model string) string {
	var name string
	switch minutes := int64(length / time.Minute); {
	case minutes%(24*60) == 0:
		name = fmt.Sprintf("%dd", minutes/(24*60))
	case minutes%60 == 0:
		name = fmt.Sprintf("%dh", minutes/60)
	default:
		name = fmt.Sprintf("%dm", minutes)
	}
	return strings.TrimSpace(name + " " + model)
}

// Percent is a share as agents give it, if it can be one: finite, and not below 0.
func Percent(v float64) *float64 {
	if !(v >= 0 && v <= maxPercent) { // NaN is neither
		return nil
	}
	return &v
}

// maxPercent bounds what is taken for a percentage: more than that is some other number.
const maxPercent = 100_000
