package state

import (
	"slices"
	"time"

	"ccdir/api"
)

// How evidence ends open requests: nothing reports an answer that was given in the pane, but
// what the agent does next does.

// toolsKept bounds the tool calls remembered per session.
const toolsKept = 64

// callLog is what evidence says about the calls that requests may be about. It identifies
// the call of a request (agents do not name it with the dialog), and shows when a late
// request is over already.
type callLog struct {
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
	digest             string
	claimed            bool // a request is about it
	ended              time.Time
}

// dialogClosed is why a request ends whose dialog is gone.
const dialogClosed = "the dialog was closed in the pane"

func elsewhere(why string) api.Decision {
	return api.Decision{Outcome: api.OutcomeElsewhere, Reason: why}
}

// claim assigns the oldest matching call that is not claimed to a new request. over is the
// reason if the request needs no answer, else "".
func (l *callLog) claim(q *api.Request, digest string) (over string) {
	for i := range l.tools {
		c := &l.tools[i]
		if c.claimed || c.tool != q.Tool || c.digest != digest || c.subagent != q.Subagent {
			continue
		}
		if !c.ended.IsZero() && !c.ended.After(q.Since) {
			continue // it ran without asking
		}
		c.claimed = true
		q.ToolUseID = c.id
		if !c.ended.IsZero() {
			return "the tool has run already"
		}
		break
	}
	switch {
	case q.Subagent == "" && l.turn.After(q.Since):
		return "the turn has ended already"
	case q.Subagent == "" && l.dialogEnded(q.Since, l.cleared):
		return dialogClosed
	}
	return ""
}

// dialogEnded reports whether a dialog that was open at since has ended at cleared.
func (l *callLog) dialogEnded(since, cleared time.Time) bool {
	if l.cleared.After(l.blocked) && !l.cleared.After(since) {
		return false // that was the dialog before
	}
	return cleared.After(since) && !l.blocked.Before(since.Add(-dialogSlack)) && !cleared.Before(l.blocked)
}

// Observe takes evidence about the session, in order, and returns the requests that were
// answered elsewhere according to it. now is the time of the call.
func (t *Requests) Observe(e api.Evidence, now time.Time) []End {
	rows, d := t.judge(&e, now)
	return endAll(rows, d)
}

// StoppedWaiting returns the requests whose dialogs are closed because the session waits for
// nobody any longer, by evidence of that source and time. Hooks and program statuses name what
// they end: that is left to Observe.
func (t *Requests) StoppedWaiting(by api.EvidenceSource, at time.Time) []End {
	if !weak(by) && by != api.SourceTimer {
		return nil
	}
	return endAll(t.dialogs(func(r *row) bool { return at.After(r.q.Since) }), elsewhere(dialogClosed))
}

// endAll returns the same end of several requests.
func endAll(rows []*row, d api.Decision) (list []End) {
	for _, r := range rows {
		list = append(list, End{r.call, d})
	}
	return list
}

// judge records the evidence and returns the requests that it ends, and how.
func (t *Requests) judge(e *api.Evidence, now time.Time) ([]*row, api.Decision) {
	switch e.Source {
	case api.SourceProcess:
		if e.Says.Ended() {
			t.calls = callLog{}
			return t.every(func(*row) bool { return true }),
				api.Decision{Outcome: api.OutcomeSession, Reason: "the session's process has ended"}
		}
	case api.SourcePSP:
		over := t.dialogs(t.status(e))
		if len(over) > 1 {
			t.closeUnlessBlocked(over, e.At, now)
			return nil, api.Decision{}
		}
		return over, elsewhere(dialogClosed)
	case api.SourceHook:
		return t.judgeReport(e)
	}
	return nil, api.Decision{}
}

// judgeReport is judge for a report of the agent.
func (t *Requests) judgeReport(e *api.Evidence) ([]*row, api.Decision) {
	before := since(e)
	switch {
	case e.Kind == api.KindToolBegins:
		t.began(e)
	case e.Kind.EndsTool():
		return t.toolEnded(e), elsewhere("the tool went on without it (" + e.Name + ")")
	case e.Kind.EndsTurn():
		t.turned(e.At)
		return t.dialogs(func(r *row) bool { return before(r) && r.q.Subagent == "" }), elsewhere("the turn has ended")
	case e.Kind == api.KindSubagentEnds:
		agent := e.Fields["agent_id"]
		return t.dialogs(func(r *row) bool { return before(r) && agent != "" && r.q.Subagent == agent }), elsewhere("the subagent has ended")
	case e.Kind == api.KindPrompt:
		// One that was queued just when a dialog opened says nothing about it.
		t.turned(e.At.Add(-promptGap))
		return t.dialogs(func(r *row) bool { return e.At.After(r.q.Since.Add(promptGap)) }), elsewhere("another prompt was given in the pane")
	case e.Kind == api.KindConversationEnds, e.Kind == api.KindConversationBegins && e.Says != "": // after a compaction the turn goes on
		t.turned(e.At)
		return t.dialogs(before), elsewhere("the conversation has ended")
	}
	return nil, api.Decision{}
}

// since selects the requests that were made before the evidence.
func since(e *api.Evidence) func(*row) bool {
	return func(r *row) bool { return e.At.After(r.q.Since) }
}

// dialogs returns the open requests of the agent's dialogs that choose selects; nil selects
// none. Questions of the ask_person tool have no dialog; their call reports the end.
func (t *Requests) dialogs(choose func(*row) bool) []*row {
	if choose == nil {
		return nil
	}
	return t.every(func(r *row) bool { return r.q.Origin != api.OriginMCP && choose(r) })
}

// status records a program status and returns a filter for the requests that it ends.
func (t *Requests) status(e *api.Evidence) func(*row) bool {
	if e.Fields["id"] != "" {
		return nil // a background activity
	}
	l := &t.calls
	switch e.Fields["state"] {
	case "blocked":
		if e.At.After(l.blocked) {
			l.blocked = e.At
		}
		for _, r := range t.rows {
			if !r.cleared.After(l.blocked) {
				r.closing = time.Time{} // the agent shows the next dialog
			}
		}
		return nil
	case "":
		return nil
	}
	if !l.cleared.After(l.blocked) && e.At.After(l.cleared) {
		l.cleared = e.At // the first status after the dialog is its end
	}
	// A background agent's dialog is not shown while its request is held (2.1.294 to
	// 2.1.329), so the status says nothing about it.
	return func(r *row) bool { return r.q.Subagent == "" && l.dialogEnded(r.q.Since, e.At) }
}

// closeUnlessBlocked ends requests whose dialog may have closed at cleared, all but one. The
// agent asks for several calls at once and shows their dialogs one after the other, with a
// moment of work reported in between. If it reports another dialog within nextDialogTime, the
// end of the tool decides which request is over.
func (t *Requests) closeUnlessBlocked(over []*row, cleared, now time.Time) {
	if !t.calls.blocked.Before(cleared) {
		return
	}
	for _, r := range over {
		if r.closing.IsZero() {
			r.closing, r.cleared = now.Add(nextDialogTime), cleared
		}
	}
}

// began records a tool call. If a request about it came first, the request gets its name:
// hook processes race.
func (t *Requests) began(e *api.Evidence) {
	c := toolCall{id: e.Fields["tool_use_id"], tool: e.Fields["tool"], subagent: e.Fields["agent_id"], digest: e.Fields[FieldInputDigest]}
	for _, r := range t.dialogs(func(r *row) bool {
		return r.q.ToolUseID == "" && r.q.Tool == c.tool && r.q.Subagent == c.subagent && r.digest == c.digest
	}) {
		if e.At.After(r.q.Since) {
			continue // a later call of the same
		}
		r.q.ToolUseID, c.claimed = c.id, true
		break
	}
	l := &t.calls
	if len(l.tools) == toolsKept {
		l.tools = append(l.tools[:0], l.tools[1:]...)
	}
	l.tools = append(l.tools, c)
}

// toolEnded records the end of a tool call and returns the requests about it: those of that
// call, else the oldest of an unknown call with that input.
func (t *Requests) toolEnded(e *api.Evidence) []*row {
	id, tool, digest := e.Fields["tool_use_id"], e.Fields["tool"], e.Fields[FieldInputDigest]
	for i := range t.calls.tools {
		if c := &t.calls.tools[i]; id != "" && c.id == id {
			c.ended = e.At
		}
	}
	if exact := t.dialogs(func(r *row) bool { return id != "" && r.q.ToolUseID == id }); len(exact) > 0 {
		return exact
	}
	before := since(e)
	like := t.dialogs(func(r *row) bool {
		return r.q.ToolUseID == "" && r.q.Tool == tool && r.digest == digest && before(r)
	})
	if len(like) == 0 {
		return nil
	}
	return []*row{slices.MinFunc(like, func(a, b *row) int { return a.q.Since.Compare(b.q.Since) })}
}

// turned records the start or end of a turn. Earlier calls can no longer ask.
func (t *Requests) turned(at time.Time) {
	l := &t.calls
	if at.After(l.turn) {
		l.turn = at
	}
	l.tools = slices.DeleteFunc(l.tools, func(c toolCall) bool {
		return c.subagent == "" || !c.ended.IsZero() // those of background agents stay
	})
}
