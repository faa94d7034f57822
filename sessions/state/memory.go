package state

import (
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Memory holds facts from evidence besides the state. Zero values mean that nothing was
// reported.
type Memory struct {
	// Status is the latest program status (OSC 7501) of the agent itself; "" if it never
	// sent one.
	Status string `json:"status,omitempty"`
	// StatusAt is when Status came.
	StatusAt time.Time `json:"status_at,omitzero"`
	// BlockedAt is when Status last reported a dialog, ClearedAt when it last reported the
	// end of one. Leftover is true while Status says working only because of background
	// activities.
	BlockedAt time.Time `json:"blocked_at,omitzero"`
	ClearedAt time.Time `json:"cleared_at,omitzero"`
	Leftover  bool      `json:"leftover,omitempty"`
	// Background is the latest program status of each named background activity that was
	// not cleared.
	Background map[string]string `json:"background,omitempty"`
	// Owed counts background activities that ended in this turn and have not reported to
	// the agent yet. Each report starts a turn.
	Owed int `json:"owed,omitempty"`
	// File is the latest status in the agent's session file, FileFor what it waits for.
	File    string `json:"file,omitempty"`
	FileFor string `json:"file_for,omitempty"`
	// FileAt is when File came. FileLive is true once the file has reported work: only then
	// does its idle mean anything.
	FileAt   time.Time `json:"file_at,omitzero"`
	FileLive bool      `json:"file_live,omitempty"`
	// Begun is true once a conversation exists; before, a dialog may ask for trust.
	Begun bool `json:"begun,omitempty"`
	// Titled is true once the title has shown a glyph of the agent's state, TitleWork while
	// the latest glyph is that of work.
	Titled    bool `json:"titled,omitempty"`
	TitleWork bool `json:"title_work,omitempty"`
	// AtWork is true while the latest report of title or session file is work.
	AtWork bool `json:"at_work,omitempty"`
	// Turn is true from a prompt's acknowledgement to the end of its turn.
	Turn bool `json:"turn,omitempty"`
	// Prompted is when the last prompt was taken, TurnOver when a turn ended last or was
	// interrupted; zero: not yet. Interrupted: a person ended the last turn before its end.
	Prompted    time.Time `json:"prompted,omitzero"`
	TurnOver    time.Time `json:"turn_over,omitzero"`
	Interrupted bool      `json:"turn_interrupted,omitempty"`
	// Hooked is true once a hook of the agent was heard.
	Hooked bool `json:"hooked,omitempty"`
	// Queued counts prompts that the agent took during a turn.
	Queued int `json:"queued,omitempty"`
	// Tool is the tool that runs or is about to, by hooks; "" for none.
	Tool string `json:"tool,omitempty"`
	// ToolInput is its input as JSON; "" if it has more than MaxInput bytes.
	ToolInput string `json:"tool_input,omitempty"`
	// Dialogs are the open dialogs that hooks reported, in the order in which the agent
	// shows them: subagents may ask at the same time. At most maxOpenDialogs.
	Dialogs []api.Evidence `json:"dialogs,omitempty"`
	// Calls are tool calls that have begun and not ended, oldest first. At most maxCalls.
	Calls []Call `json:"calls,omitempty"`
	// Closings are the ends of dialogs within the last lateWindow, so that a request whose
	// hook arrives after its end does not open again. At most maxClosings.
	Closings []Closing `json:"closings,omitempty"`
	// Agents counts subagents in the background, by the end of the last turn.
	Agents int `json:"agents,omitempty"`
	// Tasks counts the activities that the last turn left running, Crons the prompts that the agent
	// gives itself at their times, by the end of the last turn.
	Tasks int `json:"tasks,omitempty"`
	Crons int `json:"crons,omitempty"`
	// Switching is when a conversation ended that another one follows; zero once that
	// began.
	Switching time.Time `json:"switching,omitzero"`
	// Escaped is when a key that interrupts turns was pressed while no prompt was queued; zero
	// after the next prompt.
	Escaped time.Time `json:"interrupted,omitzero"`
	// Pressed is when a key was pressed that may interrupt a turn or answer a dialog, while
	// no prompt was queued.
	Pressed time.Time `json:"pressed,omitzero"`
	// Sign is the latest agents.TurnSign on the screen since ccdir began to watch it; ""
	// for none.
	Sign string `json:"sign,omitempty"`
}

// note remembers what the evidence reports besides the state. It copies maps and slices
// before changing them: a Fold is a value.
func (m Memory) note(state api.State, e api.Evidence) Memory {
	switch e.Source {
	case api.SourcePSP:
		return m.noteStatus(e)
	case api.SourceFile:
		m.File, m.FileFor, m.FileAt = e.Fields["status"], e.Fields["waiting_for"], e.At
		m.FileLive = m.FileLive || m.File == "busy"
		m.AtWork = e.Says == api.StateWorking
	case api.SourceTitle:
		m.Titled = m.Titled || e.Says != ""
		if e.Says != "" {
			m.AtWork = e.Says == api.StateWorking
			m.TitleWork = m.AtWork
		}
	case api.SourceScreen:
		if e.Name == agents.EvidenceTurn {
			m.Sign = e.Fields["sign"]
		}
	case api.SourceKeys:
		if m.Queued == 0 && pressed(e.Fields["keys"]) {
			m.Pressed = e.At
		}
		if k := e.Fields["keys"]; k == "Escape" || k == "C-c" {
			if m.Queued == 0 {
				m.Escaped = e.At
			}
			m.Queued = 0 // Esc ends the turn, or runs the queued prompt
		}
	case api.SourceHook:
		m.Hooked = true
		m.Dialogs, m.Closings, m.Calls = m.openDialogs(&e), m.noteClosing(&e), m.afterCall(&e)
		return m.noteHook(state, e)
	case api.SourceDelivery:
		m.Dialogs, m.Closings = m.openDialogs(&e), m.noteClosing(&e)
	}
	return m
}

func (m Memory) noteStatus(e api.Evidence) Memory {
	id, state := e.Fields["id"], e.Fields["state"]
	if id == "" {
		switch {
		case state == "blocked":
			m.BlockedAt = e.At
		case m.Status == "blocked":
			m.ClearedAt = e.At
		}
		m.Status, m.StatusAt = state, e.At
		m.Leftover = state == "working" && stillRunning.MatchString(e.Fields["msg"])
		m.Begun = m.Begun || state == "idle"
		return m
	}
	background := make(map[string]string, len(m.Background)+1)
	for k, v := range m.Background {
		background[k] = v
	}
	if state == "clear" || state == "done" {
		if _, known := background[id]; known {
			m.Owed++
			m.Tasks = max(m.Tasks-1, 0)
		}
		delete(background, id)
	} else if len(background) < maxBackground {
		background[id] = state
	}
	m.Background = background
	return m
}

func (m Memory) noteHook(state api.State, e api.Evidence) Memory {
	if e.Fields["agent_id"] != "" {
		return m // a subagent's
	}
	m = m.noteOutcome(&e)
	switch e.Kind {
	case api.KindPrompt, api.KindReport:
		if e.Kind == api.KindReport {
			m.Owed = max(m.Owed-1, -maxBackground)
		} else if m.Turn && state != api.StateIdle && e.Fields[agents.FieldSteers] == "" {
			m.Queued++
		}
		m.Turn, m.Escaped = true, time.Time{}
	case api.KindToolBegins:
		m.Tool, m.ToolInput = e.Fields["tool"], e.Fields[FieldInput]
	case api.KindToolEnds, api.KindToolFails, api.KindToolRefused:
		m.Tool, m.ToolInput = "", ""
	case api.KindTurnEnds, api.KindTurnFails, api.KindTurnInterrupted:
		m.Tool, m.ToolInput = "", ""
		if e.Fields[FieldContinued] != "" {
			return m // the turn goes on
		}
		m.Turn, m.Queued = m.Queued > 0, 0
		m.Agents, _ = strconv.Atoi(e.Fields["background_agents"])
		if e.Kind == api.KindTurnEnds { // the other ends do not tell
			m.Tasks, _ = strconv.Atoi(e.Fields["background_tasks"])
			m.Crons, _ = strconv.Atoi(e.Fields["session_crons"])
		}
	case api.KindConversationEnds:
		if e.Says == "" {
			m.Switching = e.At
		}
	case api.KindConversationBegins:
		m.Begun, m.Switching = true, time.Time{}
	}
	return m
}

// maxBackground bounds Memory.Background.
const maxBackground = 64
