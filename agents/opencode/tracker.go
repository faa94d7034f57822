package opencode

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/agents/payload"
	"ccdir/api"
)

// tracker turns the server's events into reports. It remembers what later events refer to, and
// never more than maxKept of a sort.
type tracker struct {
	// session is the conversation, "" before the first; keeps is where it is kept, "" if that is
	// not known.
	session, keeps string
	// children are the conversations of subagents, users the ids of messages that people
	// wrote, told the ids of those that were reported.
	children, users, told memory[bool]
	// born is when the conversation was made, in the server's milliseconds; copies are messages of
	// before, which a fork begins with.
	born   int64
	copies memory[bool]
	// calls are the tool calls by id, begun those that were reported.
	calls memory[call]
	begun memory[bool]
	// reply is the agent's last message, by parts.
	replyOf string
	reply   []part
	// status is the last status that was reported, failure why the API was asked again.
	status, failure string
	// over: the end of the turn was reported. dismissed: a person refused a call without a word,
	// which ends the turn.
	over, dismissed bool

	// agents are the server's; nil: not known.
	agents []agent

	model string
	cwd   string
	// strange are unknown types that were reported: each is once.
	strange memory[bool]
	// dialogs are the open requests, quiet those that opencode would not open by itself.
	dialogs, quiet memory[bool]
}

// maxKept bounds each memory of a tracker.
const maxKept = 256

// memory is a map of bounded size; the oldest entry goes first.
type memory[V any] struct {
	keys   []string
	values map[string]V
}

func (m *memory[V]) put(key string, v V) {
	if m.values == nil {
		m.values = map[string]V{}
	}
	if _, known := m.values[key]; !known {
		if len(m.keys) == maxKept {
			delete(m.values, m.keys[0])
			m.keys = m.keys[1:]
		}
		m.keys = append(slices.Clip(m.keys), key)
	}
	m.values[key] = v
}

func (m *memory[V]) drop(key string) {
	delete(m.values, key)
	m.keys = slices.DeleteFunc(m.keys, func(k string) bool { return k == key })
}

func (m *memory[V]) has(key string) bool { _, ok := m.values[key]; return ok }

type call struct {
	tool  string
	input json.RawMessage
	dir   string
}

type part struct{ id, text string }

// event is one event of the server.
type event struct {
	ID    string          `json:"id"`
	Type  string          `json:"type"`
	Props json.RawMessage `json:"properties"`
}

// silent are events that say nothing of a session, or repeat what others say.
var silent = map[string]bool{
	"server.heartbeat": true, "message.part.delta": true, "plugin.added": true, "catalog.updated": true, "reference.updated": true,
	"integration.updated": true, "session.updated": true, "session.diff": true, "message.removed": true, "message.part.removed": true,
	"file.edited": true, "file.watcher.updated": true, "lsp.updated": true, "lsp.client.diagnostics": true, "todo.updated": true,
	"server.connected": true, "project.updated": true, "vcs.branch.updated": true, "mcp.tools.changed": true, "tui.session.select": true, "tui.prompt.append": true, "tui.command.execute": true,
}

// read returns the reports of one event, in order. at is when it came. An event that is no
// JSON is none.
func (t *tracker) read(data []byte, at time.Time) []agents.Report {
	var e event
	if json.Unmarshal(data, &e) != nil || e.Type == "" || silent[e.Type] {
		return nil
	}
	p := payload.Of(e.Props)
	r := reporter{tracker: t, e: e, p: p, at: at}
	switch e.Type {
	case "session.created":
		r.created()
	case "session.status":
		r.statusChanged()
	case "session.idle":
		r.idle()
	case "session.error":
		r.failed()
	case "session.compacted":
		r.note(api.KindCompactionEnds, "", "compaction")
	case "message.updated":
		r.message()
	case "message.part.updated":
		r.part()
	case "permission.asked":
		r.asked()
	case "question.asked":
		r.question()
	case "permission.replied", "question.replied", "question.rejected":
		r.replied()
	case "server.instance.disposed":
		r.note(api.KindConversationEnds, api.StateExiting, "opencode ends")
	default:
		if !t.strange.has(e.Type) {
			t.strange.put(e.Type, true)
			r.note(api.KindNote, "", agents.Visible(e.Type, agents.MaxField))
		}
	}
	return r.out
}

// text is a part's text so far.
func (t *tracker) text() string {
	var b strings.Builder
	for _, p := range t.reply {
		if b.Len() > 0 && p.text != "" {
			b.WriteString("\n\n")
		}
		b.WriteString(p.text)
	}
	return b.String()
}
