// Package rollout decodes the files in which Codex keeps its conversations
// ($CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, as 0.169.0 writes them).
//
// Contract: a file is untrusted. Parts of an unexpected shape are skipped, and entries that are
// not known are kept as raw items.
package rollout

import (
	"encoding/json"
	"strings"
	"time"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/usage"
)

// Decoder decodes one line after the other. Its state is the Builder's.
type Decoder struct{}

// line is an entry of the file.
type line struct {
	At      time.Time       `json:"timestamp"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// Line implements transcript.Decoder.
func (Decoder) Line(data []byte, b *transcript.Builder) {
	var l line
	if json.Unmarshal(data, &l) != nil {
		b.Raw(time.Time{}, "no JSON", data)
		return
	}
	var kind struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(l.Payload, &kind) // one of another shape has no type
	known := false
	switch l.Type {
	case "session_meta", "turn_context":
		settings(l, b)
		known = true
	case "world_state":
		known = true // what the model is told of the machine
	case "event_msg":
		known = event(l, kind.Type, b)
	case "response_item":
		known = item(l, kind.Type, b)
	case "token_usage_record":
		known = answered(l, b)
	case "compacted":
		known = compacted(l, b)
	}
	if !known {
		b.Raw(l.At, strings.Trim(l.Type+" "+kind.Type, " "), data)
	}
}

// Builder.Pending is the id of the turn's prompt, or own after the begin of a task that has no
// prompt yet. Codex has tasks of its own, such as a compaction by hand.
const own = "\x00own"

// speak begins a turn of the program's own if the model speaks in a task without a prompt.
func speak(l line, b *transcript.Builder) {
	if b.Pending == own {
		b.Begin(l.At, api.OriginSystem, "")
		b.Pending = ""
	}
}

// event decodes what happened. A turn begins with its prompt, not with its task: what the
// program does before has no turn.
func event(l line, kind string, b *transcript.Builder) (known bool) {
	switch kind {
	case "thread_settings_applied":
		return true
	case "token_count":
		return contextUse(l, b)
	case "task_started":
		b.Pending = own // until a prompt comes
		return true
	case "item_completed":
		return completed(l, b)
	case "task_complete":
		var p struct {
			Error *struct {
				Message string `json:"message"`
				Info    any    `json:"codex_error_info"`
			} `json:"error"`
		}
		if json.Unmarshal(l.Payload, &p) != nil {
			return false
		}
		if p.Error != nil {
			b.Fail(api.TurnFailure{Kind: failureKind(p.Error.Info), Message: errorText(p.Error.Message), At: l.At})
		} else {
			b.End(l.At)
		}
		return true
	case "turn_aborted":
		b.Interrupt(l.At, "")
		return true
	}
	return false
}

// failureKind is the kind of an error, which is a word or an object with one member.
func failureKind(info any) api.FailureKind {
	word, ok := info.(string)
	if object, is := info.(map[string]any); is {
		for word = range object {
			ok = true
		}
	}
	switch {
	case ok && (strings.Contains(word, "limit") || word == "too_many_requests"):
		return api.FailureLimit
	case ok && word == "unauthorized":
		return api.FailureAuth
	case ok && word == "context_window_exceeded":
		return api.FailureMaxTokens
	}
	return api.FailureAPI
}

// errorText is the message of an error, which may be the API's own JSON.
func errorText(text string) string {
	var p struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &p) == nil && p.Error.Message != "" {
		text = p.Error.Message
	}
	text, _ = cut(text, transcript.MaxRaw)
	return text
}

// completed decodes an item as a person sees it. Prompts are read here, because the messages
// to the model also have what the program adds; the other items are read from those.
func completed(l line, b *transcript.Builder) bool {
	var p struct {
		Turn string `json:"turn_id"`
		Item struct {
			Type    string `json:"type"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"item"`
	}
	if json.Unmarshal(l.Payload, &p) != nil || p.Item.Type == "" {
		return false
	}
	if p.Item.Type != "UserMessage" {
		return true
	}
	var said []string
	for _, c := range p.Item.Content {
		if c.Text != "" {
			said = append(said, c.Text)
		}
	}
	text, left := cut(strings.Join(said, "\n"), transcript.MaxText)
	if t := b.Current(); t != nil && t.State == api.TurnRunning && b.Pending == p.Turn && p.Turn != "" {
		b.Note(api.ItemPrompt, l.At, text, left) // it steered the turn
		return true
	}
	b.Begin(l.At, "", text)
	b.Pending = p.Turn
	return true
}

// item decodes an item of the conversation with the model.
func item(l line, kind string, b *transcript.Builder) (known bool) {
	switch kind {
	case "message":
		return message(l, b)
	case "reasoning":
		var p struct {
			Summary []struct {
				Text string `json:"text"`
			} `json:"summary"`
		}
		if json.Unmarshal(l.Payload, &p) != nil {
			return false
		}
		for _, s := range p.Summary {
			text, left := cut(s.Text, transcript.MaxText)
			b.Thinking(l.At, text, left)
		}
		return true
	case "function_call", "custom_tool_call", "local_shell_call":
		return call(l, b)
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		return result(l, b)
	case "web_search_call", "ghost_snapshot":
		return true
	}
	return false
}

// message decodes a message of the model; those to the model are read from the events.
func message(l line, b *transcript.Builder) bool {
	var p struct {
		ID      string `json:"id"`
		Role    string `json:"role"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	if p.Role != "assistant" {
		return true
	}
	speak(l, b)
	for _, c := range p.Content {
		if text, left := cut(c.Text, transcript.MaxText); strings.TrimSpace(text) != "" {
			b.Text(l.At, p.ID, text, left)
		}
	}
	return true
}

// settings reads whose conversation the file is, and which model answers. A branch of a conversation
// begins with a copy of that, its head included.
func settings(l line, b *transcript.Builder) {
	var p struct {
		ID       string `json:"id"`
		Provider string `json:"model_provider"`
		Model    string `json:"model"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return
	}
	if l.Type == "session_meta" && b.Thread == "" {
		b.Thread, b.Vendor = p.ID, p.Provider
		if p.Provider == "" {
			b.Vendor = "openai"
		}
	}
	if p.Model != "" {
		b.Model, _ = cut(p.Model, maxArgument)
	}
}

// answered counts the tokens of one answer. Codex counts cached ones among the input.
func answered(l line, b *transcript.Builder) bool {
	var p struct {
		Thread   string `json:"thread_id"`
		Response string `json:"response_id"`
		Usage    struct {
			Input  int64 `json:"input_tokens"`
			Cached int64 `json:"cached_input_tokens"`
			Write  int64 `json:"cache_write_input_tokens"`
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	read, write := max(p.Usage.Cached, 0), max(p.Usage.Write, 0)
	b.Copied = p.Thread != "" && b.Thread != "" && p.Thread != b.Thread
	b.Answered(p.Response, usage.Use{At: l.At, Vendor: b.Vendor, Model: b.Model,
		Tokens: api.TurnTokens{Input: max(p.Usage.Input-read-write, 0), Output: max(p.Usage.Output, 0), CacheRead: read, CacheWrite: write}})
	return true
}

// contextUse tells how full the model's context is after an answer, and what is left of the account's
// limits.
func contextUse(l line, b *transcript.Builder) bool {
	var p struct {
		Info *struct {
			Last struct {
				Total int64 `json:"total_tokens"`
			} `json:"last_token_usage"`
			Window int64 `json:"model_context_window"`
		} `json:"info"`
		Limits limits `json:"rate_limits"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	b.Limited(p.Limits.samples(l.At)...)
	if p.Info != nil && p.Info.Window > 0 {
		b.Context(p.Info.Last.Total, p.Info.Window)
	}
	return true
}

// compacted decodes that the conversation was summed up.
func compacted(l line, b *transcript.Builder) bool {
	var p struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(l.Payload, &p) != nil {
		return false
	}
	text, left := cut(p.Message, transcript.MaxText)
	b.Note(api.ItemCompaction, l.At, text, left)
	return true
}

// cut shortens a text to limit bytes of valid UTF-8 and counts the rest.
func cut(s string, limit int) (text string, left int) {
	if len(s) > limit {
		s, left = s[:limit], len(s)-limit
	}
	return strings.ToValidUTF8(s, ""), left
}
