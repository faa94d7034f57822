// Package conversation decodes the files in which Claude Code keeps its conversations: lines
// of JSON below $CLAUDE_CONFIG_DIR/projects, and beside each file a folder with those of its
// subagents.
//
// Contract: pure but for the folder listing of Nested. The format is the CLI's own affair and
// changes with every version (recorded: 2.1.329, in testdata), so nothing is
// taken for granted: entries, attachments and blocks that are not known become raw items, and
// values of another type count as missing. Only entries that are known to say nothing about
// the conversation are left out.
package conversation

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"ccdir/agents/transcript"
	"ccdir/api"
	"ccdir/internal/text/jsonscan"
)

// Decoder decodes one line after another. The zero value decodes a conversation.
type Decoder struct {
	// LimitReset reads the end of a usage limit from a line; nil: nobody knows it.
	LimitReset func(line []byte) time.Time
}

// silent are the entries about the CLI's own state, by type: they say nothing about the
// conversation, or repeat what other entries say.
var silent = set(
	"mode", "permission-mode", "atis-latch", "file-history-snapshot", "file-history-delta", "api-request",
	"api-request-shape", "api-request-blob", "tools-used", "last-prompt", "custom-title", "agent-name", "agent-color", "ai-title",
	"queue-operation", "progress", "summary", "tag", "bridge-session", "worktree-state", "pr-link")

// silentAttachments are what the CLI adds to prompts for the model, by type.
var silentAttachments = set(
	"environment", "model", "deferred_tools_delta", "deferred_tools_record", "agent_listing_delta", "mcp_instructions_delta", "skill_listing", "auto_mode",
	"auto_mode_exit", "session_context", "date", "date_change", "remote_session_change", "prompt_snapshot", "silent_turn_reminder",
	"todo_reminder", "task_reminder", "hook_success", "output_style", "plan_mode", "plan_mode_reentry", "plan_mode_exit", "token_usage",
	"budget_usd", "command_permissions", "ultrathink_effort", "total_tokens_reminder", "output_token_usage")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// entry has the members of a line that are used, as they are written.
type entry struct {
	kind, subtype                             string
	at                                        time.Time
	message, content, attachment              []byte
	outcome, origin, denial, feedback         []byte
	failure, status                           []byte
	meta, sidechain, summary, failed, listing bool
	beforeRun, ends                           bool
	request                                   string
	copied                                    bool // from the conversation that this one branched off
	line                                      []byte
}

// Line implements transcript.Decoder.
func (d Decoder) Line(line []byte, b *transcript.Builder) {
	e := entry{line: line}
	for m := jsonscan.Object(line); m.Next(); {
		if e.member(m.Key, m.Value) {
			return
		}
	}
	b.Seen(e.at)
	switch {
	case e.kind == "":
		b.Raw(e.at, "no entry", line)
	case e.kind == "user":
		d.user(e, b)
	case e.kind == "assistant":
		d.assistant(e, b)
	case e.kind == "system":
		d.system(e, b)
	case e.kind == "attachment":
		d.attached(e, b)
	case e.kind == "cost-state":
		usd, _ := strconv.ParseFloat(string(jsonscan.Get(line, "totalCostUSD")), 64)
		b.Cost(usd)
	case !silent[e.kind]:
		b.Raw(e.at, e.kind, line)
	}
}

// member takes one member; true: the entry says nothing about the conversation, which most
// of the long ones tell by their beginning.
func (e *entry) member(key, value []byte) (skip bool) {
	switch string(key) {
	case "type":
		e.kind = word(value)
		return silent[e.kind]
	case "subtype":
		e.subtype = word(value)
	case "timestamp":
		e.at = moment(value)
	case "message":
		e.message = value
	case "content":
		e.content = value
	case "attachment":
		e.attachment = value
		return silentAttachments[word(jsonscan.Get(value, "type"))]
	case "toolUseResult":
		e.outcome = value
	case "origin":
		e.origin = value
	case "toolDenialKind":
		e.denial = value
	case "toolDenialBeforeRun":
		e.beforeRun = jsonscan.True(value)
	case "userFeedback":
		e.feedback = value
	case "error":
		e.failure = value
	case "apiErrorStatus":
		e.status = value
	case "isMeta":
		e.meta = jsonscan.True(value)
	case "isSidechain":
		e.sidechain = jsonscan.True(value)
	case "isCompactSummary":
		e.summary = jsonscan.True(value)
	case "isApiErrorMessage":
		e.failed = jsonscan.True(value)
	case "toolEndsTurn":
		e.ends = jsonscan.True(value)
	case "requestId", "requestRef":
		e.request = word(value)
	case "forkedFrom":
		e.copied = jsonscan.Get(value, "sessionId") != nil
	case "queueTranscriptOnly":
		e.listing = jsonscan.True(value)
	}
	return false
}

// maxWord bounds names, ids and other short values, in bytes.
const maxWord = 256

func word(value []byte) string {
	text, _ := jsonscan.Text(value, maxWord)
	return text
}

func text(value []byte) (string, int) { return jsonscan.Text(value, transcript.MaxText) }

func moment(value []byte) time.Time {
	at, err := time.Parse(time.RFC3339, word(value))
	if at = at.UTC(); err != nil || at.Year() < 0 || at.Year() > maxYear {
		return time.Time{}
	}
	return at
}

// maxYear is the last year of times that JSON can write.
const maxYear = 9999

// attached decodes what was added to the conversation beside messages.
func (d Decoder) attached(e entry, b *transcript.Builder) {
	kind := word(jsonscan.Get(e.attachment, "type"))
	switch {
	case kind == "queued_command":
		prompt, cut := textOf(jsonscan.Get(e.attachment, "prompt"), transcript.MaxText)
		item := api.ItemPrompt
		if mode := word(jsonscan.Get(e.attachment, "commandMode")); mode != "" && mode != "prompt" {
			item, prompt = api.ItemNote, notification(prompt)
		}
		b.Note(item, e.at, Unpasted(prompt), cut)
	case kind == "max_turns_reached":
		b.Judge(api.TurnFailure{Kind: api.FailureMaxTurns, Message: "the bound of turns was reached", At: e.at})
	case kind == "hook_permission_decision":
		// What was allowed shows by the call, and who allowed it in the ledger.
		if decision := word(jsonscan.Get(e.attachment, "decision")); decision != "allow" {
			b.Note(api.ItemNote, e.at, "a hook decided on the permission: "+decision, 0)
		}
	case strings.HasPrefix(kind, "hook_"):
		note, cut := hookNote(e.attachment)
		if note == "" {
			b.Raw(e.at, "attachment "+kind, e.attachment)
			return
		}
		b.Note(api.ItemNote, e.at, note, cut)
	default:
		b.Raw(e.at, "attachment "+kind, e.attachment)
	}
}

// hookNote is the message of one of the person's own hooks.
func hookNote(attachment []byte) (string, int) {
	name := word(jsonscan.Get(attachment, "hookName"))
	for m := jsonscan.Object(attachment); m.Next(); {
		switch string(m.Key) {
		case "blockingError", "content", "stderr", "message", "stdout":
			value := m.Value
			if inner := jsonscan.Get(value, "blockingError"); inner != nil {
				value = inner
			}
			if said, cut := textOf(value, transcript.MaxText); said != "" {
				return name + " hook: " + said, cut
			}
		}
	}
	return "", 0
}

// system decodes what the CLI itself says.
func (d Decoder) system(e entry, b *transcript.Builder) {
	said, cut := text(e.content)
	switch e.subtype {
	case "turn_duration":
		b.End(e.at)
	case "stop_hook_summary":
	case "local_command":
		d.localCommand(e, said, cut, b)
	case "informational", "compact_boundary", "microcompact_boundary", "away_summary", "model_refusal", "bridge_status":
		b.Note(api.ItemNote, e.at, plain(said), cut)
	case "api_error":
		b.Note(api.ItemNote, e.at, "an error of the API, tried again: "+apiError(jsonscan.Get(e.line, "error")), 0)
	default:
		b.Raw(e.at, "system "+e.subtype, e.line)
	}
}

// apiError is the message of an error value of any shape.
func apiError(value []byte) string {
	for range 3 { // {"error":{"error":{"message":…}}}
		for _, key := range []string{"message", "formatted"} {
			if said, _ := jsonscan.Text(jsonscan.Get(value, key), maxArgument); said != "" {
				return said
			}
		}
		inner := jsonscan.Get(value, "error")
		if inner == nil {
			break
		}
		value = inner
	}
	if said := word(value); said != "" {
		return said
	}
	return string(bytes.ToValidUTF8(value[:min(len(value), maxWord)], nil))
}
