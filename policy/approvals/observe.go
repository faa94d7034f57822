package approvals

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"time"

	"ccdir/api"
)

const (
	// toolsKept bounds the tool calls remembered per session.
	toolsKept = 64
	// dialogSlack is how much earlier than the start of the hook process the agent may report
	// its dialog. Both happen when the dialog opens.
	dialogSlack = 2 * time.Second
)

// inputHash is a hash of a tool's input.
type inputHash [sha256.Size]byte

// hashInput hashes a JSON value without white space.
func hashInput(raw json.RawMessage) inputHash {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return sha256.Sum256(raw)
	}
	return sha256.Sum256(b.Bytes())
}

// memory is the state of a session besides its open requests. It identifies the call that a
// request is about (agents do not name it with the dialog), and shows when a late request is
// over already.
type memory struct {
	tools []toolCall // oldest first
	// blocked and cleared are the times of the agent's last report of a dialog and of its end
	// (OSC 7501).
	blocked, cleared time.Time
	// turn is the start or end of the agent's last turn.
	turn time.Time
}

// toolCall is a call that the agent reported when it began.
type toolCall struct {
	id, tool, subagent string
	hash               inputHash
	claimed            bool // a request is about it
	ended              time.Time
}

// memory returns the memory of a session, a new one if needed. mu is held.
func (b *Broker) memory(session string) *memory {
	m := b.sessions[session]
	if m == nil {
		m = &memory{}
		b.sessions[session] = m
	}
	return m
}

// claim assigns the oldest matching call that is not claimed to a new request. over is the
// reason if the request needs no answer, else "".
func (m *memory) claim(r *api.Request, hash inputHash) (over string) {
	for i := range m.tools {
		c := &m.tools[i]
		if c.claimed || c.tool != r.Tool || c.hash != hash || c.subagent != r.Subagent {
			continue
		}
		if !c.ended.IsZero() && !c.ended.After(r.Since) {
			continue // it ran without asking
		}
		c.claimed = true
		r.ToolUseID = c.id
		if !c.ended.IsZero() {
			return "the tool has run already"
		}
		break
	}
	switch {
	case r.Subagent == "" && m.turn.After(r.Since):
		return "the turn has ended already"
	case r.Subagent == "" && m.dialogEnded(r.Since, m.cleared):
		return "the dialog was closed in the pane"
	}
	return ""
}

// dialogEnded reports whether a dialog that was open at since has ended at cleared.
func (m *memory) dialogEnded(since, cleared time.Time) bool {
	if m.cleared.After(m.blocked) && !m.cleared.After(since) {
		return false // that was the dialog before
	}
	return cleared.After(since) && !m.blocked.Before(since.Add(-dialogSlack)) && !cleared.Before(m.blocked)
}

// Observe takes evidence about a session and ends the requests that were answered elsewhere
// according to it. Evidence must come in order. input is the tool's input for hooks about a
// tool.
func (b *Broker) Observe(session string, e api.Evidence, input json.RawMessage) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	over, d := b.judge(session, e, input)
	b.mu.Unlock()
	for _, h := range over {
		b.finish(h, d)
	}
}

// judge records the evidence and returns the requests that it ends, and how. mu is held.
func (b *Broker) judge(session string, e api.Evidence, input json.RawMessage) ([]*held, api.Decision) {
	elsewhere := func(why string) api.Decision {
		return api.Decision{Outcome: api.OutcomeElsewhere, Reason: why}
	}
	all := func(h *held) bool { return e.At.After(h.req.Since) }
	switch e.Source {
	case api.SourceFile, api.SourceTitle, api.SourceKeys, api.SourceScreen, api.SourceTimer:
		// Hooks and program statuses identify the request; these do not.
		if e.Name == api.EvidenceDialogClosed {
			return b.of(session, all), elsewhere("the dialog was closed in the pane")
		}
	case api.SourceProcess:
		if e.Says.Ended() {
			delete(b.sessions, session)
			return b.every(session, func(*held) bool { return true }),
				api.Decision{Outcome: api.OutcomeSession, Reason: "the session's process has ended"}
		}
	case api.SourcePSP:
		over := b.of(session, b.status(session, e))
		if len(over) > 1 {
			b.laterUnlessBlocked(session, over, e.At)
			return nil, api.Decision{}
		}
		return over, elsewhere("the dialog was closed in the pane")
	case api.SourceHook:
		switch e.Kind {
		case api.KindToolBegins:
			b.began(session, e, input)
		case api.KindToolEnds, api.KindToolFails, api.KindToolRefused:
			return b.toolEnded(session, e, input), elsewhere("the tool went on without it (" + e.Name + ")")
		case api.KindTurnEnds, api.KindTurnFails, api.KindTurnInterrupted:
			b.turned(session, e.At)
			return b.of(session, func(h *held) bool { return all(h) && h.req.Subagent == "" }), elsewhere("the turn has ended")
		case api.KindSubagentEnds:
			agent := e.Fields["agent_id"]
			return b.of(session, func(h *held) bool { return all(h) && agent != "" && h.req.Subagent == agent }),
				elsewhere("the subagent has ended")
		case api.KindPrompt:
			b.turned(session, e.At)
			return b.of(session, all), elsewhere("another prompt was given in the pane")
		case api.KindConversationBegins, api.KindConversationEnds:
			if e.Kind == api.KindConversationBegins && e.Says == "" {
				break // after a compaction the turn goes on
			}
			b.turned(session, e.At)
			return b.of(session, all), elsewhere("the conversation has ended")
		}
	}
	return nil, api.Decision{}
}

// of returns the open requests of a session's dialogs that choose selects. mu is held. A nil
// choose selects none. Questions of the ask_person tool have no dialog; their call reports
// the end.
func (b *Broker) of(session string, choose func(*held) bool) []*held {
	if choose == nil {
		return nil
	}
	return b.every(session, func(h *held) bool { return h.req.Origin != api.OriginMCP && choose(h) })
}

// every returns the open requests of a session that choose selects. mu is held.
func (b *Broker) every(session string, choose func(*held) bool) (list []*held) {
	for _, h := range b.open {
		if h.req.Session == session && !h.over && choose(h) {
			list = append(list, h)
		}
	}
	return list
}

// status records a program status and returns a filter for the requests that it ends.
func (b *Broker) status(session string, e api.Evidence) func(*held) bool {
	if e.Fields["id"] != "" {
		return nil // a background activity
	}
	m := b.memory(session)
	switch e.Fields["state"] {
	case "blocked":
		if e.At.After(m.blocked) {
			m.blocked = e.At
		}
		return nil
	case "":
		return nil
	}
	if !m.cleared.After(m.blocked) && e.At.After(m.cleared) {
		m.cleared = e.At // the first status after the dialog is its end
	}
	// A background agent's dialog is not shown while its request is held (2.1.294 to
	// 2.1.329), so the status says nothing about it.
	return func(h *held) bool { return h.req.Subagent == "" && m.dialogEnded(h.req.Since, e.At) }
}

// nextDialogTime bounds the time between the end of one dialog and the report of the next.
const nextDialogTime = 500 * time.Millisecond

// laterUnlessBlocked ends requests whose dialog may have closed at cleared, all but one. The
// agent asks for several calls at once and shows their dialogs one after the other, with a
// moment of work reported in between. If it reports another dialog soon, the end of the tool
// decides which request is over. mu is held.
func (b *Broker) laterUnlessBlocked(session string, over []*held, cleared time.Time) {
	time.AfterFunc(nextDialogTime, func() {
		b.mu.Lock()
		m := b.sessions[session]
		again := m != nil && !m.blocked.Before(cleared)
		b.mu.Unlock()
		if again {
			return
		}
		for _, h := range over {
			b.finish(h, api.Decision{Outcome: api.OutcomeElsewhere, Reason: "the dialog was closed in the pane"})
		}
	})
}

// began records a tool call. If a request about it came first, the request gets its name:
// hook processes race.
func (b *Broker) began(session string, e api.Evidence, input json.RawMessage) {
	m := b.memory(session)
	c := toolCall{id: e.Fields["tool_use_id"], tool: e.Fields["tool"], subagent: e.Fields["agent_id"], hash: hashInput(input)}
	for _, h := range b.of(session, func(h *held) bool {
		return h.req.ToolUseID == "" && h.req.Tool == c.tool && h.req.Subagent == c.subagent && h.hash == c.hash
	}) {
		if e.At.After(h.req.Since) {
			continue // a later call of the same
		}
		h.req.ToolUseID, c.claimed = c.id, true
		break
	}
	if len(m.tools) == toolsKept {
		m.tools = append(m.tools[:0], m.tools[1:]...)
	}
	m.tools = append(m.tools, c)
}

// toolEnded records the end of a tool call and returns the requests about it.
func (b *Broker) toolEnded(session string, e api.Evidence, input json.RawMessage) []*held {
	id, tool, hash := e.Fields["tool_use_id"], e.Fields["tool"], hashInput(input)
	m := b.memory(session)
	for i := range m.tools {
		if c := &m.tools[i]; id != "" && c.id == id {
			c.ended = e.At
		}
	}
	exact := b.of(session, func(h *held) bool { return id != "" && h.req.ToolUseID == id })
	if len(exact) > 0 {
		return exact
	}
	var oldest *held
	for _, h := range b.of(session, func(h *held) bool {
		return h.req.ToolUseID == "" && h.req.Tool == tool && h.hash == hash && e.At.After(h.req.Since)
	}) {
		if oldest == nil || h.req.Since.Before(oldest.req.Since) {
			oldest = h
		}
	}
	if oldest == nil {
		return nil
	}
	return []*held{oldest}
}

// turned records the start or end of a turn. Earlier calls can no longer ask.
func (b *Broker) turned(session string, at time.Time) {
	m := b.memory(session)
	if at.After(m.turn) {
		m.turn = at
	}
	kept := m.tools[:0]
	for _, c := range m.tools {
		if c.subagent != "" && c.ended.IsZero() {
			kept = append(kept, c) // a background agent's
		}
	}
	m.tools = kept
}
