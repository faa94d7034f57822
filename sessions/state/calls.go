package state

import (
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Which tool call a dialog is about. The agent runs the calls of one message in parallel if
// the tools allow it (WebFetch, read-only tools of MCP servers), so several dialogs about
// one tool may be open. Agents do not name the call when they report a dialog. Its
// input does, and the report of the call's begin names both.

// Call is a tool call that has begun and not ended.
type Call struct {
	ID    string    `json:"id"`
	Agent string    `json:"agent,omitempty"`
	Tool  string    `json:"tool"`
	Input string    `json:"input,omitempty"` // a FieldInputDigest
	At    time.Time `json:"at"`
	// Delegates: it runs a subagent.
	Delegates bool `json:"delegates,omitempty"`
}

// maxCalls bounds Memory.Calls.
const maxCalls = 32

// afterCall returns the running calls after e. It does not change m's list.
func (m *Memory) afterCall(e *api.Evidence) []Call {
	c := Call{ID: e.Fields["tool_use_id"], Agent: e.Fields["agent_id"], Tool: e.Fields["tool"], Input: e.Fields[FieldInputDigest], At: e.At, Delegates: e.Fields[agents.FieldDelegates] != ""}
	drop := func(over func(o Call) bool) []Call {
		if !slices.ContainsFunc(m.Calls, over) {
			return m.Calls
		}
		return slices.DeleteFunc(slices.Clone(m.Calls), over)
	}
	same := func(o Call) bool { return o.ID == c.ID && o.Agent == c.Agent && o.Tool == c.Tool }
	switch {
	case e.Kind == api.KindToolBegins && c.ID != "":
		kept := drop(same)
		kept = kept[max(0, len(kept)-maxCalls+1):]
		return append(slices.Clone(kept), c)
	case endsDialog(e) && c.ID != "":
		return drop(same)
	case e.Kind == api.KindSubagentEnds && c.Agent != "", c.Agent == "" && endsTurn(e):
		return drop(func(o Call) bool { return o.Agent == c.Agent && !o.At.After(e.At) })
	}
	return m.Calls
}

// endsTurn reports whether the report closes all dialogs of the conversation itself.
func endsTurn(e *api.Evidence) bool {
	// With a prompt a person is at the input line; after a compaction the turn goes on.
	return e.Kind.EndsTurn() || e.Kind == api.KindPrompt || e.Kind == api.KindConversationBegins && e.Says != ""
}

// call finds a running call by its id.
func (m *Memory) call(id string, e *api.Evidence) (Call, bool) {
	i := slices.IndexFunc(m.Calls, func(c Call) bool {
		return id != "" && c.ID == id && c.Agent == e.Fields["agent_id"] && c.Tool == e.Fields["tool"]
	})
	if i < 0 {
		return Call{}, false
	}
	return m.Calls[i], true
}

// callFor returns the id of the call that a new dialog is about: the latest that fits and
// has no dialog yet; "" if none.
func (m *Memory) callFor(d *api.Evidence) string {
	for _, c := range slices.Backward(m.Calls) {
		taken := slices.ContainsFunc(m.Dialogs, func(o api.Evidence) bool { return o.Fields["tool_use_id"] == c.ID })
		if !taken && c.fits(d) {
			return c.ID
		}
	}
	return ""
}

// fits reports whether the dialog may be about the call.
func (c *Call) fits(d *api.Evidence) bool {
	input := d.Fields[FieldInputDigest]
	return c.Agent == d.Fields["agent_id"] && c.Tool == d.Fields["tool"] && !overtaken(c.At, d.At) &&
		(input == c.Input || input == "" || c.Input == "")
}

// overtaken reports whether at is later than by, within what clocks can be trusted.
func overtaken(at, by time.Time) bool {
	ahead := at.Sub(by)
	return ahead > 0 && ahead <= lateWindow
}

// How surely evidence is about a dialog, from least to most.
const (
	aboutAnother = iota
	aboutTool    // same tool of the same agent; the call is unknown
	aboutInput
	aboutCall
	aboutRequest
)

// about returns how surely the evidence of a call's end is about the dialog.
func (m *Memory) about(d, e *api.Evidence) int {
	if request, own := e.Fields["request"], d.Fields["request"]; request != "" && own != "" {
		if request == own {
			return aboutRequest
		}
		return aboutAnother
	}
	if d.Fields["agent_id"] != e.Fields["agent_id"] || d.Fields["tool"] != e.Fields["tool"] {
		return aboutAnother
	}
	id, own := e.Fields["tool_use_id"], d.Fields["tool_use_id"]
	switch input, asked := e.Fields[FieldInputDigest], d.Fields[FieldInputDigest]; {
	case id != "" && id == own:
		return aboutCall
	case id != "" && own != "" || overtaken(d.At, e.At):
		return aboutAnother
	case input != "" && input == asked:
		return aboutInput
	case input == "" || asked == "" || id == "" && own == "":
		return aboutTool
	}
	if _, known := m.call(id, e); id != "" && !known {
		return aboutTool // an answer may have changed the input
	}
	return aboutAnother
}

// dialogOf returns the index of the open dialog that a call's end is about; -1 if none.
func (m *Memory) dialogOf(e *api.Evidence) int {
	found, best := -1, aboutAnother
	for i := range m.Dialogs {
		if sure := m.about(&m.Dialogs[i], e); sure > best {
			found, best = i, sure
		}
	}
	return found
}
