package state

import (
	"maps"
	"slices"
	"time"

	"ccdir/api"
)

// maxOpenDialogs bounds the open dialogs remembered.
const maxOpenDialogs = 16

// dialogEnds are the hooks, and what approvals tell, after which the dialog about the
// same call is closed.
var dialogEnds = []string{"PostToolUse", "PostToolUseFailure", "PermissionDenied", EvidenceRequestEnded}

// parallelTime is how soon after a dialog has opened another call of the same agent
// is no sign that it was closed: calls of one message begin at the same time. Between
// a dialog's end that no hook tells of (a denial in the pane) and the next call are a
// person and an answer of the model.
const parallelTime = time.Second

// openDialogs are those that are open after e. m's own list is not changed.
func (m *Memory) openDialogs(e *api.Evidence) []api.Evidence {
	agent := e.Fields["agent_id"]
	without := func(closed func(d *api.Evidence) bool) []api.Evidence {
		return slices.DeleteFunc(slices.Clone(m.Dialogs), func(d api.Evidence) bool { return !overtaken(d.At, e.At) && closed(&d) })
	}
	switch {
	case e.Name == "PermissionRequest":
		if len(m.Dialogs) == maxOpenDialogs || m.closedSince(e) || m.shownBefore(e) {
			return m.Dialogs
		}
		return append(slices.Clone(m.Dialogs), with(*e, "tool_use_id", m.callFor(e)))
	case e.Name == EvidenceRequestOpened && e.Source == api.SourceDelivery:
		return m.held(e)
	case e.Name == EvidenceRequestEnded && !closes(e):
		return m.held(e)
	case (e.Name == "Stop" || e.Name == "StopFailure") && agent == "":
		// The dialogs of agents in the background stay.
		return without(func(d *api.Evidence) bool { return d.Fields["agent_id"] == "" })
	case endsTurn(e) && agent == "":
		return without(func(*api.Evidence) bool { return true })
	case e.Name == "SubagentStop":
		return without(func(d *api.Evidence) bool { return agent != "" && d.Fields["agent_id"] == agent })
	case e.Name == "PreToolUse":
		return m.nextCall(e)
	case slices.Contains(dialogEnds, e.Name):
		if i := m.dialogOf(e); i >= 0 {
			return slices.Delete(slices.Clone(m.Dialogs), i, i+1)
		}
	}
	return m.Dialogs
}

// nextCall are the dialogs that are open while another call begins.
func (m *Memory) nextCall(e *api.Evidence) []api.Evidence {
	call := Call{ID: e.Fields["tool_use_id"], Agent: e.Fields["agent_id"], Tool: e.Fields["tool"], Input: e.Fields[FieldInputDigest], At: e.At}
	for i := range m.Dialogs {
		d := &m.Dialogs[i]
		if about, known := m.call(d.Fields["tool_use_id"], d); call.ID == "" || !call.fits(d) || known && !about.At.Before(e.At) {
			continue
		}
		list := slices.Clone(m.Dialogs) // its own hook was overtaken
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

// with is evidence with one more field; "" leaves it as it is.
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

// Closing is when the dialog about a call was closed: one about the tool, "" for all
// of the agent's.
type Closing struct {
	Agent string    `json:"agent,omitempty"`
	Tool  string    `json:"tool,omitempty"`
	Input string    `json:"input,omitempty"` // as FieldInputDigest; "" if it is not known
	At    time.Time `json:"at"`
}

// maxClosings bounds those remembered.
const maxClosings = 16

// noteClosing remembers which dialogs e closes, or would. m's own list is not
// changed.
func (m *Memory) noteClosing(e *api.Evidence) []Closing {
	c := Closing{Agent: e.Fields["agent_id"], At: e.At}
	switch {
	case slices.Contains(dialogEnds, e.Name) && closes(e) && e.Fields["tool"] != "":
		c.Tool, c.Input = e.Fields["tool"], e.Fields[FieldInputDigest]
		if call, ok := m.call(e.Fields["tool_use_id"], e); ok {
			c.Input = call.Input // an answer may have changed it since
		}
	case e.Name == "SubagentStop" && c.Agent != "", c.Agent == "" && endsTurn(e):
	default:
		return m.Closings
	}
	old := slices.DeleteFunc(slices.Clone(m.Closings), func(o Closing) bool {
		covered := c.Tool == "" || o.Tool == c.Tool && o.Input == c.Input
		return o.Agent == c.Agent && covered && !o.At.After(c.At) || c.At.Sub(o.At) > lateWindow
	})
	return append(old[max(0, len(old)-maxClosings+1):], c)
}

// closedSince: a request is heard of after its dialog was closed.
func (m *Memory) closedSince(e *api.Evidence) bool {
	input := e.Fields[FieldInputDigest]
	return slices.ContainsFunc(m.Closings, func(c Closing) bool {
		return c.Agent == e.Fields["agent_id"] && overtaken(c.At, e.At) &&
			(c.Tool == "" || c.Tool == e.Fields["tool"] && (c.Input == input || c.Input == "" || input == ""))
	})
}

// endedSince: the turn or the agent that made a request has ended.
func (m *Memory) endedSince(e *api.Evidence) bool {
	return slices.ContainsFunc(m.Closings, func(c Closing) bool {
		return c.Agent == e.Fields["agent_id"] && c.Tool == "" && overtaken(c.At, e.At)
	})
}

// dialogsLeft: e closes a dialog, and behind it another one is open.
func dialogsLeft(f *Fold, e *api.Evidence) bool {
	left := len(f.openDialogs(e))
	return left > 0 && left < len(f.Dialogs)
}

// nextDialog brings a dialog into force that is open: that of the request which e
// tells of, or the one behind that which e closed. Both were waited for, so the state
// may stay the same.
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

// dialogSlack is how much earlier than the hook's process starts the program status
// may tell of a dialog: both happen when it opens.
const dialogSlack = 2 * time.Second

// shownBefore: the conversation's own dialog, whose hook is heard of only now, was
// shown and closed before.
func (m *Memory) shownBefore(e *api.Evidence) bool {
	return e.Fields["agent_id"] == "" && m.Status != "blocked" && overtaken(m.ClearedAt, e.At) && !m.BlockedAt.Before(e.At.Add(-dialogSlack))
}

// unshown: the program status has not told of the dialog that is open, so that it
// cannot tell of its end either: it will in a moment, or an agent in the background
// asks, whose dialog is not shown (2.1.329).
func unshown(f *Fold, _ *api.Evidence) bool {
	return f.Status != "blocked" && len(f.Dialogs) > 0
}

// SameDialog reports whether two open dialogs are one.
func SameDialog(a, b api.Evidence) bool {
	return sameHook(a, b) && a.Fields[FieldInputDigest] == b.Fields[FieldInputDigest]
}
