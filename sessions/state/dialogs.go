package state

import (
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// maxOpenDialogs bounds Memory.Dialogs.
const maxOpenDialogs = 16

// endsDialog reports whether the dialog about the same call is closed after e.
func endsDialog(e *api.Evidence) bool { return e.Kind.EndsTool() || e.Name == EvidenceRequestEnded }

// openDialogs returns the dialogs that are open after e. It does not change m's list.
func (m *Memory) openDialogs(e *api.Evidence) []api.Evidence {
	agent := e.Fields["agent_id"]
	without := func(closed func(d *api.Evidence) bool) []api.Evidence {
		return slices.DeleteFunc(slices.Clone(m.Dialogs), func(d api.Evidence) bool { return !overtaken(d.At, e.At) && closed(&d) })
	}
	switch {
	case e.Kind == api.KindDialog:
		if len(m.Dialogs) == maxOpenDialogs || m.closedSince(e) || m.shownBefore(e) {
			return m.Dialogs
		}
		return append(slices.Clone(m.Dialogs), with(*e, "tool_use_id", m.callFor(e)))
	case e.Name == EvidenceRequestOpened && e.Source == api.SourceDelivery:
		return m.dialogsHeld(e)
	case e.Name == EvidenceRequestEnded && !closes(e):
		return m.dialogsHeld(e)
	case e.Kind.EndsTurn() && agent == "":
		// Dialogs of agents in the background stay open.
		return without(func(d *api.Evidence) bool { return d.Fields["agent_id"] == "" })
	case endsTurn(e) && agent == "":
		return without(func(d *api.Evidence) bool { return e.Kind != api.KindPrompt || e.At.Sub(d.At) > promptGap })
	case e.Kind == api.KindSubagentEnds:
		return without(func(d *api.Evidence) bool { return agent != "" && d.Fields["agent_id"] == agent })
	case e.Kind == api.KindToolBegins:
		return m.nextCall(e)
	case endsDialog(e):
		if i := m.dialogOf(e); i >= 0 {
			return slices.Delete(slices.Clone(m.Dialogs), i, i+1)
		}
	}
	return m.Dialogs
}

// nextCall returns the dialogs that are open when another call begins.
func (m *Memory) nextCall(e *api.Evidence) []api.Evidence {
	call := Call{ID: e.Fields["tool_use_id"], Agent: e.Fields["agent_id"], Tool: e.Fields["tool"], Input: e.Fields[FieldInputDigest], At: e.At}
	for i := range m.Dialogs {
		d := &m.Dialogs[i]
		if about, known := m.call(d.Fields["tool_use_id"], d); call.ID == "" || !call.fits(d) || known && !about.At.Before(e.At) {
			continue
		}
		list := slices.Clone(m.Dialogs) // the dialog's hook overtook that of its call
		list[i] = with(*d, "tool_use_id", call.ID)
		return list
	}
	reported := m.Status == "blocked" || m.File == "waiting"
	i := slices.IndexFunc(m.Dialogs, func(d api.Evidence) bool {
		return d.Fields["agent_id"] == call.Agent && d.Fields["tool"] == call.Tool && d.Fields["request"] == "" &&
			(call.ID == "" || d.Fields["tool_use_id"] != call.ID) && e.At.Sub(d.At) > parallelTime
	})
	if i < 0 || reported {
		return m.Dialogs
	}
	return slices.Delete(slices.Clone(m.Dialogs), i, i+1)
}

// with returns the evidence with one more field; a value of "" changes nothing.
func with(e api.Evidence, field, value string) api.Evidence {
	if value == "" {
		return e
	}
	fields := maps.Clone(e.Fields)
	if fields == nil {
		fields = map[string]string{}
	}
	fields[field] = value
	e.Fields = fields
	return e
}

// Closing is the end of a dialog about a tool, or of all the agent's dialogs if Tool is "".
type Closing struct {
	Agent string    `json:"agent,omitempty"`
	Tool  string    `json:"tool,omitempty"`
	Input string    `json:"input,omitempty"` // a FieldInputDigest; "" if unknown
	At    time.Time `json:"at"`
}

// maxClosings bounds Memory.Closings.
const maxClosings = 16

// noteClosing returns the closings after e. It does not change m's list.
func (m *Memory) noteClosing(e *api.Evidence) []Closing {
	c := Closing{Agent: e.Fields["agent_id"], At: e.At}
	switch {
	case endsDialog(e) && closes(e) && e.Fields["tool"] != "":
		c.Tool, c.Input = e.Fields["tool"], e.Fields[FieldInputDigest]
		if call, ok := m.call(e.Fields["tool_use_id"], e); ok {
			c.Input = call.Input // an answer may have changed the input
		}
	case e.Kind == api.KindSubagentEnds && c.Agent != "", c.Agent == "" && endsTurn(e):
	default:
		return m.Closings
	}
	old := slices.DeleteFunc(slices.Clone(m.Closings), func(o Closing) bool {
		covered := c.Tool == "" || o.Tool == c.Tool && o.Input == c.Input
		return o.Agent == c.Agent && covered && !o.At.After(c.At) || c.At.Sub(o.At) > lateWindow
	})
	return append(old[max(0, len(old)-maxClosings+1):], c)
}

// closedSince reports whether the dialog of a request was closed after the request was
// made, so that its hook came too late.
func (m *Memory) closedSince(e *api.Evidence) bool {
	input := e.Fields[FieldInputDigest]
	return slices.ContainsFunc(m.Closings, func(c Closing) bool {
		return c.Agent == e.Fields["agent_id"] && overtaken(c.At, e.At) &&
			(c.Tool == "" || c.Tool == e.Fields["tool"] && (c.Input == input || c.Input == "" || input == ""))
	})
}

// endedSince reports whether the turn or the agent that made a request has ended.
func (m *Memory) endedSince(e *api.Evidence) bool {
	return slices.ContainsFunc(m.Closings, func(c Closing) bool {
		return c.Agent == e.Fields["agent_id"] && c.Tool == "" && overtaken(c.At, e.At)
	})
}

// dialogsLeft reports whether e closes a dialog behind which another one is open.
func dialogsLeft(f *Fold, e *api.Evidence) bool {
	left := len(f.openDialogs(e))
	return left > 0 && left < len(f.Dialogs)
}

// nextDialog puts an open dialog into force: that of the request in e, or the one behind
// the dialog that e closed. The state may stay the same.
func (f Fold) nextDialog(e api.Evidence, r *rule) Fold {
	d := f.Dialogs[0]
	for _, o := range f.Dialogs {
		if e.Name == EvidenceRequestOpened && o.Fields["request"] == e.Fields["request"] {
			d = o
		}
	}
	if d.Says != f.State {
		f.Since = e.At
	}
	if e.At.After(f.Last) {
		f.Last = e.At
	}
	f.State, f.Winner, f.Rule, f.Reason, f.Question = d.Says, &d, r.name, r.reason, d.Fields["question"]
	f.Pending = nil
	return f
}

// shownBefore reports whether the conversation's own dialog, whose hook arrives only now,
// was shown and closed before.
func (m *Memory) shownBefore(e *api.Evidence) bool {
	return e.Fields["agent_id"] == "" && m.Status != "blocked" && overtaken(m.ClearedAt, e.At) && !m.BlockedAt.Before(e.At.Add(-dialogSlack))
}

// unshown reports whether the program status has not reported the open dialog, so that it
// cannot report its end either. It will in a moment, or a background agent asks, whose
// dialog the agent does not show (2.1.329).
func unshown(f *Fold, _ *api.Evidence) bool {
	return f.Status != "blocked" && len(f.Dialogs) > 0
}

// SameDialog reports whether two pieces of evidence are about one dialog.
func SameDialog(a, b api.Evidence) bool {
	return sameHook(a, b) && a.Fields[FieldInputDigest] == b.Fields[FieldInputDigest]
}
