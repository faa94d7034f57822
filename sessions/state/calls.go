package state

import (
	"slices"
	"time"

	"ccdir/api"
)

// Which call of a tool a dialog is about. The agent runs calls of one message at the
// same time if the tools allow it (WebFetch, tools of MCP servers that only read), so
// several dialogs about one tool may be open. PermissionRequest hooks do not name the
// call; its input does, and PreToolUse hooks tell input and name.

// Call is a call that PreToolUse told of and whose end was not heard of.
type Call struct {
	ID    string    `json:"id"`
	Agent string    `json:"agent,omitempty"`
	Tool  string    `json:"tool"`
	Input string    `json:"input,omitempty"` // as FieldInputDigest
	At    time.Time `json:"at"`
}

// maxCalls bounds those remembered.
const maxCalls = 32

// afterCall are the calls under way after e. m's own list is not changed.
func (m *Memory) afterCall(e *api.Evidence) []Call {
	c := Call{ID: e.Fields["tool_use_id"], Agent: e.Fields["agent_id"], Tool: e.Fields["tool"], Input: e.Fields[FieldInputDigest], At: e.At}
	drop := func(over func(o Call) bool) []Call {
		if !slices.ContainsFunc(m.Calls, over) {
			return m.Calls
		}
		return slices.DeleteFunc(slices.Clone(m.Calls), over)
	}
	same := func(o Call) bool { return o.ID == c.ID && o.Agent == c.Agent && o.Tool == c.Tool }
	switch {
	case e.Name == "PreToolUse" && c.ID != "":
		kept := drop(same)
		kept = kept[max(0, len(kept)-maxCalls+1):]
		return append(slices.Clone(kept), c)
	case slices.Contains(dialogEnds, e.Name) && c.ID != "":
		return drop(same)
	case e.Name == "SubagentStop" && c.Agent != "", c.Agent == "" && endsTurn(e):
		return drop(func(o Call) bool { return o.Agent == c.Agent && !o.At.After(e.At) })
	}
	return m.Calls
}

// endsTurn: no dialog of the conversation itself that was open before is open after
// this hook.
func endsTurn(e *api.Evidence) bool {
	switch e.Name {
	case "Stop", "StopFailure":
		return true
	case "UserPromptSubmit":
		return e.Fields["kind"] == "" // a person is at the prompt
	case "SessionStart":
		return e.Fields["source"] != "compact"
	}
	return false
}

// call finds the call of that name.
func (m *Memory) call(id string, e *api.Evidence) (Call, bool) {
	i := slices.IndexFunc(m.Calls, func(c Call) bool {
		return id != "" && c.ID == id && c.Agent == e.Fields["agent_id"] && c.Tool == e.Fields["tool"]
	})
	if i < 0 {
		return Call{}, false
	}
	return m.Calls[i], true
}

// callFor is the name of the call that a new dialog is about, "" if that is not
// known: the latest that fits and no other dialog is about.
func (m *Memory) callFor(d *api.Evidence) string {
	for _, c := range slices.Backward(m.Calls) {
		taken := slices.ContainsFunc(m.Dialogs, func(o api.Evidence) bool { return o.Fields["tool_use_id"] == c.ID })
		if !taken && c.fits(d) {
			return c.ID
		}
	}
	return ""
}

// fits: the dialog may be about the call.
func (c *Call) fits(d *api.Evidence) bool {
	input := d.Fields[FieldInputDigest]
	return c.Agent == d.Fields["agent_id"] && c.Tool == d.Fields["tool"] && !overtaken(c.At, d.At) &&
		(input == c.Input || input == "" || c.Input == "")
}

// overtaken: what happened at that time was later than what did at the other, as far
// as clocks can be believed.
func overtaken(at, by time.Time) bool {
	ahead := at.Sub(by)
	return ahead > 0 && ahead <= lateWindow
}

// How surely evidence is about a dialog.
const (
	aboutAnother = iota
	aboutTool    // about the same tool of the same agent, of which no more is known
	aboutInput
	aboutCall
	aboutRequest
)

// about tells how surely evidence of a call's end is about the dialog.
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
		return aboutTool // an answer may change the input
	}
	return aboutAnother
}

// dialogOf finds the open dialog that evidence of a call's end is about, -1 if there
// is none.
func (m *Memory) dialogOf(e *api.Evidence) int {
	found, best := -1, aboutAnother
	for i := range m.Dialogs {
		if sure := m.about(&m.Dialogs[i], e); sure > best {
			found, best = i, sure
		}
	}
	return found
}
