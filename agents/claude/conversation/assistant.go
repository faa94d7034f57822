package conversation

import (
	"regexp"
	"strconv"
	"strings"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/internal/text/jsonscan"
	"ccdir/usage"
)

// assistant decodes one entry of an answer: the CLI writes a line for each block, all with
// the answer's id, usage and reason for its end.
func (d Decoder) assistant(e entry, b *transcript.Builder) {
	var content, figures []byte
	var id, model, stop string
	for m := jsonscan.Object(e.message); m.Next(); {
		switch string(m.Key) {
		case "id":
			id = word(m.Value)
		case "model":
			model = word(m.Value)
		case "stop_reason":
			stop = word(m.Value)
		case "content":
			content = m.Value
		case "usage":
			figures = m.Value
		}
	}
	if b.Pending != "" {
		b.Begin(b.PendingAt, api.OriginCommand, b.Pending)
		b.Pending = ""
	}
	if e.failed {
		said, _ := textOf(content, transcript.MaxText)
		b.Fail(d.failure(e, said))
		return
	}
	spoken := d.blocks(e, id, content, b)
	if model == "<synthetic>" {
		model = "" // the CLI's own words, such as "No response requested."
	}
	used := tokens(figures)
	b.Copied = e.copied
	b.Answered(answerID(id, e.request), usage.Use{At: e.at, Vendor: "anthropic", Model: model, Tokens: used})
	if context := used.Input + used.CacheRead + used.CacheWrite + used.Output; !e.sidechain {
		b.Context(context, contextWindow(model, context))
	}
	switch stop {
	case "end_turn", "stop_sequence":
		if spoken {
			b.End(e.at)
		}
	case "refusal":
		b.Judge(api.TurnFailure{Kind: api.FailureRefusal, Message: "the model declined to go on", At: e.at})
	case "max_tokens":
		b.Judge(api.TurnFailure{Kind: api.FailureMaxTokens, Message: "the answer reached the bound of its length", At: e.at})
	case "model_context_window_exceeded":
		b.Judge(api.TurnFailure{Kind: api.FailureMaxTokens, Message: "the conversation is too long for the model", At: e.at})
	}
}

// blocks decodes the blocks of an answer, and reports whether the last one is a text.
func (d Decoder) blocks(e entry, id string, content []byte, b *transcript.Builder) (spoken bool) {
	if said, cut := text(content); said != "" {
		b.Text(e.at, id, said, cut)
		return true
	}
	for list := jsonscan.Array(content); list.Next(); {
		block := list.Value
		kind := word(jsonscan.Get(block, "type"))
		spoken = kind == "text"
		switch kind {
		case "text":
			if said, cut := text(jsonscan.Get(block, "text")); strings.TrimSpace(said) != "" {
				b.Text(e.at, id, said, cut)
			}
		case "thinking":
			said, cut := text(jsonscan.Get(block, "thinking"))
			b.Thinking(e.at, said, cut)
		case "redacted_thinking":
			b.Thinking(e.at, "", 0)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			d.call(e, block, b)
		case "fallback":
		default:
			if strings.HasSuffix(kind, "_tool_result") {
				blockResult(e, block, b)
				continue
			}
			b.Raw(e.at, "block "+kind, block)
		}
	}
	return spoken
}

// failure classifies an error of the API, which the CLI writes as an answer of its own.
func (d Decoder) failure(e entry, said string) api.TurnFailure {
	f := api.TurnFailure{Kind: FailureKind(word(e.failure), jsonscan.Int(e.status), said), Message: said, At: e.at}
	if d.LimitReset != nil {
		if at := d.LimitReset(e.line); !at.IsZero() && at.Year() <= maxYear {
			f.RetryAt = at.UTC()
		}
	}
	return f
}

// statusInWords finds the status of an answer of the API in what the CLI says of it: "API
// Error: 400 …", "API Error: Request rejected (429) · …".
var statusInWords = regexp.MustCompile(`API Error: (?:[^0-9(]*\()?(\d{3})\b`)

// FailureKind classifies an error by the CLI's word for it, the API's HTTP status and the CLI's
// message, as far as they are known (zero values). Refusals and answers that are too long
// have no word of their own (2.1.329).
func FailureKind(word string, status int64, message string) api.FailureKind {
	if status == 0 {
		if m := statusInWords.FindStringSubmatch(message); m != nil {
			status, _ = strconv.ParseInt(m[1], 10, 64)
		}
	}
	switch {
	case word == "rate_limit" || status == 429:
		return api.FailureLimit
	case word == "authentication_failed" || word == "billing_error" || status == 401 || status == 403:
		return api.FailureAuth
	case word == "max_output_tokens" || strings.Contains(message, "output token maximum"):
		return api.FailureMaxTokens
	case word == "refusal" || strings.Contains(message, "safeguards flagged") || strings.Contains(message, "appears to violate our Usage Policy"):
		return api.FailureRefusal
	}
	return api.FailureAPI
}

// The context windows of the models, in tokens. The file does not tell them: the large one
// is asked for by a mark in the model's name, and used without it where more is in it than
// the usual one has.
const (
	usualWindow = 200_000
	largeWindow = 1_000_000
	largeMark   = "[1m]"
)

func contextWindow(model string, used int64) int64 {
	if strings.Contains(model, largeMark) || used > usualWindow {
		return largeWindow
	}
	return usualWindow
}

// answerID tells answers apart by the message's id, and that of the request where it is known.
func answerID(message, request string) string {
	if message == "" {
		return ""
	}
	return message + " " + request
}

// tokens reads the usage of an answer. What is written to the cache has two kinds, which
// cache_creation tells apart.
func tokens(figures []byte) (t api.TurnTokens) {
	for m := jsonscan.Object(figures); m.Next(); {
		n := max(jsonscan.Int(m.Value), 0)
		switch string(m.Key) {
		case "input_tokens":
			t.Input = n
		case "output_tokens":
			t.Output = n
		case "cache_read_input_tokens":
			t.CacheRead = n
		case "cache_creation_input_tokens":
			t.CacheWrite = n
		case "cache_creation":
			t.CacheWriteHour = max(jsonscan.Int(jsonscan.Get(m.Value, "ephemeral_1h_input_tokens")), 0)
		}
	}
	t.CacheWriteHour = min(t.CacheWriteHour, t.CacheWrite)
	t.CacheWriteHour = min(t.CacheWriteHour, t.CacheWrite)
	return t
}
