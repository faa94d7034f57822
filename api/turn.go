package api

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Turn is an agent's work on one prompt, from the agent's own file of the conversation: one
// element of GET /v1/sessions/ID/transcript. Its texts are foreign: whoever shows them makes
// them harmless first.
type Turn struct {
	// Turn counts from 1 in the conversation.
	Turn int `json:"turn"`
	// At is when it began, Ended when it ended (zero while it runs).
	At    time.Time `json:"at"`
	Ended time.Time `json:"ended,omitzero"`
	State TurnState `json:"state"`
	// Conversation is the agent's id of the conversation.
	Conversation string `json:"conversation,omitempty"`
	// Origin tells who or what began it; "" is a person's prompt.
	Origin TurnOrigin `json:"origin,omitempty"`
	Prompt string     `json:"prompt"`
	// Answer is the agent's last message of the turn, its texts after the last tool call;
	// "" if there is none yet.
	Answer string `json:"answer"`
	// Failure is why it failed; nil if it did not.
	Failure *TurnFailure `json:"failure,omitempty"`
	// Model answered last in the turn; "" if it is not known.
	Model string `json:"model,omitempty"`
	// Tools are the tool calls in the order in which they began.
	Tools []TurnTool `json:"tools"`
	// Items are everything in the turn in its order, tool calls by their place in Tools.
	Items []TurnItem `json:"items,omitempty"`
	// From is the place in the turn's list of items at which Items begins, in streams; the
	// items before it are those sent earlier.
	From int `json:"from,omitempty"`
	// ToolsFrom is the same for Tools.
	ToolsFrom int `json:"tools_from,omitempty"`
	// Omitted counts items and tool calls beyond the bounds of a turn.
	Omitted int        `json:"omitted,omitempty"`
	Tokens  TurnTokens `json:"tokens"`
	// Context is how many tokens the conversation took in the model's context at the last
	// answer, ContextWindow how many there is room for; 0: not known.
	Context       int64 `json:"context,omitempty"`
	ContextWindow int64 `json:"context_window,omitempty"`
	// CostUSD is what the conversation has cost so far, where the agent writes that; 0: it
	// has not yet.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// ContextLeft is how much of the model's context is free, in percent; false: not known.
func (t Turn) ContextLeft() (percent int, known bool) {
	if t.Context <= 0 || t.ContextWindow <= 0 {
		return 0, false
	}
	return int(100 * max(t.ContextWindow-t.Context, 0) / t.ContextWindow), true
}

// TurnState is how far a turn came.
type TurnState string

// The states of a turn.
const (
	TurnRunning     TurnState = "running"
	TurnDone        TurnState = "done"
	TurnFailed      TurnState = "failed"
	TurnInterrupted TurnState = "interrupted"
)

// TurnOrigin is who or what began a turn.
type TurnOrigin string

// The origins of turns; a person's prompt has none.
const (
	OriginCommand TurnOrigin = "command" // a command of the agent's own, such as /review
	OriginShell   TurnOrigin = "shell"   // a shell command that a person typed
	OriginTask    TurnOrigin = "task"    // the end of a background task
	OriginAgent   TurnOrigin = "agent"   // a message of another agent or subagent
	OriginSystem  TurnOrigin = "system"  // anything else that the agent's program began
)

// TurnFailure is why a turn failed. As JSON it may also be its message alone, as earlier
// versions saved it.
type TurnFailure struct {
	Kind    FailureKind `json:"kind"`
	Message string      `json:"message"`
	At      time.Time   `json:"at"`
	// RetryAt is when a limit ends; zero if that is not known.
	RetryAt time.Time `json:"retry_at,omitzero"`
}

// UnmarshalJSON reads both forms.
func (f *TurnFailure) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*f = TurnFailure{Kind: FailureAgent}
		return json.Unmarshal(data, &f.Message)
	}
	type plain TurnFailure
	return json.Unmarshal(data, (*plain)(f))
}

// FailureKind classifies failures of turns.
type FailureKind string

// The kinds of failures.
const (
	FailureAPI       FailureKind = "api_error"  // the agent's API refused or broke the request
	FailureLimit     FailureKind = "limit"      // a usage or rate limit
	FailureAuth      FailureKind = "auth"       // no valid account or key
	FailureRefusal   FailureKind = "refusal"    // the model declined
	FailureMaxTokens FailureKind = "max_tokens" // the answer was too long
	FailureMaxTurns  FailureKind = "max_turns"  // the bound of turns was reached
	FailureAgent     FailureKind = "agent"      // anything else that ended the turn
)

// TurnTokens sums up the usage of a turn's answers.
type TurnTokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWriteHour are those of CacheWrite that are kept for an hour, which cost more.
	CacheWriteHour int64 `json:"cache_write_1h,omitempty"`
}

// TurnTool is a tool call with its result.
type TurnTool struct {
	// ID is the agent's id of the call, as in its hooks.
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Input is the tool's input, as JSON. An input above the bound is a string of its
	// beginning.
	Input json.RawMessage `json:"input"`
	// Argument is the part of the input that says most in one line, as the command or the
	// file; "" if there is none.
	Argument string      `json:"argument,omitempty"`
	Outcome  ToolOutcome `json:"outcome"`
	// Result is what the tool returned, as text; Cut counts the bytes of it that were left
	// out.
	Result string `json:"result,omitempty"`
	Cut    int    `json:"cut,omitempty"`
	// Reason is why it was refused, "" if nobody said.
	Reason string `json:"reason,omitempty"`
	// Decision is the ledger's last word on the call; nil: it has none.
	Decision *ToolDecision `json:"decision,omitempty"`
	At       time.Time     `json:"at"`
	// MS is the time until the result, in milliseconds; that may include waiting for a
	// permission (Decision.WaitedMS). 0 while it runs.
	MS int64 `json:"ms"`
	// Added and Removed count lines of an edit, Diff is that edit.
	Added   int        `json:"added,omitempty"`
	Removed int        `json:"removed,omitempty"`
	Diff    []DiffHunk `json:"diff,omitempty"`
	// Agent is the subagent that the call started; nil for other tools.
	Agent *Subagent `json:"agent,omitempty"`
}

// ToolDecision is the row that the ledger has of a tool call.
type ToolDecision struct {
	// Seq is the row's number.
	Seq int64 `json:"seq"`
	// Decision is "allow", "deny" or "ask", By the word of LedgerRow.By.
	Decision string `json:"decision"`
	By       string `json:"by"`
	// Rule decided, "" if none did; File and Line are its place.
	Rule string `json:"rule,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// WaitedMS is how long the call waited for a person or a lead, in milliseconds.
	WaitedMS int64 `json:"waited_ms,omitempty"`
}

// Words are the decision in one line: "allowed by rule Bash(go test*), policy.toml:12".
func (d ToolDecision) Words() string {
	word := d.Decision
	switch d.Decision {
	case EffectAllow:
		word = "allowed"
	case EffectDeny:
		word = "denied"
	case EffectAsk:
		word = "asked"
	}
	by := d.By
	if d.Rule != "" {
		by = "rule " + d.Rule
		if d.By != ByPolicy {
			by = d.By + ", " + by
		}
	}
	if by != "" {
		word += " by " + by
	}
	if d.File != "" {
		word += fmt.Sprintf(", %s:%d", d.File, d.Line)
	}
	return word
}

// WorkedMS is how long the call itself took, in milliseconds: without the time for which it
// waited for an answer.
func (t TurnTool) WorkedMS() int64 {
	if t.Decision == nil || t.MS == 0 {
		return t.MS
	}
	return max(t.MS-t.Decision.WaitedMS, 1)
}

// ToolOutcome is the outcome of a tool call.
type ToolOutcome string

// The outcomes of tool calls.
const (
	ToolRunning     ToolOutcome = "running" // no result yet
	ToolOK          ToolOutcome = "ok"
	ToolError       ToolOutcome = "error"
	ToolRefused     ToolOutcome = "refused"     // by a person, a rule or a hook
	ToolInterrupted ToolOutcome = "interrupted" // the turn ended before its result
	ToolBackground  ToolOutcome = "background"  // it was started and goes on beside the turn
)

// DiffHunk is one piece of an edit.
type DiffHunk struct {
	// Old and New are the numbers of the first line, from 1, before and after the edit; 0:
	// not known.
	Old int `json:"old"`
	New int `json:"new"`
	// Lines begin with " ", "-" or "+".
	Lines []string `json:"lines"`
}

// Subagent is what an agent did that another one started.
type Subagent struct {
	ID string `json:"id"`
	// Kind is the agent's type as the CLI names it.
	Kind  string `json:"kind,omitempty"`
	Turns []Turn `json:"turns"`
}

// TurnItem is one thing in a turn.
type TurnItem struct {
	Kind ItemKind  `json:"kind"`
	At   time.Time `json:"at"`
	// Text is the item's text; Cut counts the bytes of it that were left out.
	Text string `json:"text,omitempty"`
	Cut  int    `json:"cut,omitempty"`
	// Tool is the place in Turn.Tools of a tool call.
	Tool int `json:"tool,omitempty"`
	// Raw is the beginning of an entry that is not known, as it stands in the file.
	Raw string `json:"raw,omitempty"`
}

// ItemKind tells items apart.
type ItemKind string

// The kinds of items.
const (
	ItemText       ItemKind = "text"       // a message of the agent
	ItemThinking   ItemKind = "thinking"   // what the model thought
	ItemTool       ItemKind = "tool"       // a tool call
	ItemPrompt     ItemKind = "prompt"     // a prompt that the running turn took
	ItemCommand    ItemKind = "command"    // a command of the agent's own, and what it printed
	ItemNote       ItemKind = "note"       // what the agent's program told the person or the model
	ItemCompaction ItemKind = "compaction" // the conversation was summed up; Text is the summary
	ItemInterrupt  ItemKind = "interrupt"  // a person interrupted the turn
	ItemError      ItemKind = "error"      // an error of the agent's API
	ItemRaw        ItemKind = "raw"        // an entry that is not known; Text is its type
)

// Ask is the body of POST /v1/sessions/ID/ask.
type Ask struct {
	Text string `json:"text"`
	// ID is as in SendPrompt: a prompt with the same id is typed once.
	ID string `json:"id,omitempty"`
	// Wait is as in SendPrompt, but a question of the agent to a person ends the call.
	Wait bool `json:"wait,omitempty"`
	// After is what the first element of an earlier call with the same id told; nil: this is
	// the first call.
	After *AskPlace `json:"after,omitempty"`
}

// AskPlace is where the turn of a prompt is looked for: after what was said before it.
type AskPlace struct {
	// Turn is the number of the newest turn, Running whether it ran on, so that it may take the
	// prompt.
	Turn    int  `json:"turn"`
	Running bool `json:"running,omitempty"`
}

// AskEvent is one element of the answer to Ask: one of its fields is set, and the last one
// has End.
type AskEvent struct {
	// After comes first, before the prompt is delivered: the After of a call that is made again
	// because this one broke.
	After *AskPlace `json:"after,omitempty"`
	// Status is as in SendResult, when the agent has taken the prompt.
	Status string `json:"status,omitempty"`
	// Turn is the turn of the prompt as it grows: texts and tool calls, from the places From
	// and ToolsFrom on.
	Turn *Turn `json:"turn,omitempty"`
	// End is how it ended.
	End AskEnd `json:"end,omitempty"`
	// Answer is the turn's answer, with End. Reason is why there is none, or what the agent
	// asks.
	Answer string `json:"answer,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// AskEnd is how the answer to Ask ended.
type AskEnd string

// The ends of an answer: those of turns, and those without.
const (
	AskDone        AskEnd = "done"
	AskFailed      AskEnd = "failed"
	AskInterrupted AskEnd = "interrupted"
	AskAsks        AskEnd = "asks"        // the agent waits for a person; the turn, if there is one, goes on after that
	AskEnded       AskEnd = "ended"       // its process ended
	AskUndelivered AskEnd = "undelivered" // the agent did not take the prompt
)

// Retry says that an agent asks its API again after a failure.
type Retry struct {
	// Attempt counts the requests that were made again, from 1; 0 if it is not known. Most is how many
	// the agent makes before it gives up; 0 if it is not known.
	Attempt int `json:"attempt,omitempty"`
	Most    int `json:"most,omitempty"`
	// Status is the HTTP status of the failure; 0 if it is not known.
	Status int `json:"status,omitempty"`
	// Message is what the agent says of the failure, in one line; "" for nothing.
	Message string `json:"message,omitempty"`
	// Next is when it asks again; the zero time if it is not known.
	Next time.Time `json:"next,omitzero"`
}

// Line is the retry in words: "retries 4th of 10, 429, again in 12s". Its text comes from agents. A
// message, which may be long, stands behind the time.
func (r Retry) Line(now time.Time) string {
	text := "retries"
	if r.Attempt > 0 {
		text += " " + ordinal(r.Attempt)
		if r.Most > 0 {
			text += " of " + strconv.Itoa(r.Most)
		} else {
			text += " time"
		}
	}
	if r.Status > 0 {
		text += ", " + strconv.Itoa(r.Status)
	}
	if left := r.Next.Sub(now); !r.Next.IsZero() && left > 0 {
		text += ", again in " + left.Round(time.Second).String()
	}
	if r.Status == 0 && r.Message != "" {
		text += ", " + r.Message
	}
	return text
}

// Brief is the retry in few words, for narrow places: "retry 4/10, 429, in 12s".
func (r Retry) Brief(now time.Time) string {
	text := "retry"
	if r.Attempt > 0 {
		text += " " + strconv.Itoa(r.Attempt)
		if r.Most > 0 {
			text += "/" + strconv.Itoa(r.Most)
		}
	}
	if r.Status > 0 {
		text += ", " + strconv.Itoa(r.Status)
	}
	if left := r.Next.Sub(now); !r.Next.IsZero() && left > 0 {
		text += ", in " + left.Round(time.Second).String()
	}
	return text
}

// ordinal is a number as an adjective: 1st, 2nd, 11th.
func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}
