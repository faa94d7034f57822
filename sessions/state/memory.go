package state

import (
	"strconv"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// Memory is what evidence told beside the state.
type Memory struct {
	// Status is the latest program status (OSC 7501) of the agent itself, ""
	// if there never was one.
	Status string `json:"status,omitempty"`
	// StatusAt is when it came, and Leftover tells that it says working for what is
	// left in the background alone.
	StatusAt time.Time `json:"status_at,omitzero"`
	// BlockedAt is when it told of a dialog last, ClearedAt when of its end.
	BlockedAt time.Time `json:"blocked_at,omitzero"`
	ClearedAt time.Time `json:"cleared_at,omitzero"`
	Leftover  bool      `json:"leftover,omitempty"`
	// Background holds the latest program status of each named background
	// activity that is not cleared.
	Background map[string]string `json:"background,omitempty"`
	// Owed counts background activities that ended in this turn without having
	// reported to the agent: each report starts a turn.
	Owed int `json:"owed,omitempty"`
	// File is the latest status in the agent's own session file, and FileFor
	// what it waits for.
	File    string `json:"file,omitempty"`
	FileFor string `json:"file_for,omitempty"`
	// FileAt is since when it says so; FileLive: it has told of work, so that its
	// rest means something.
	FileAt   time.Time `json:"file_at,omitzero"`
	FileLive bool      `json:"file_live,omitempty"`
	// Begun: a conversation is there (before, a dialog may ask for trust).
	Begun bool `json:"begun,omitempty"`
	// Titled: the title has shown a sign of the agent's state, and TitleWork that
	// the latest is that of work.
	Titled    bool `json:"titled,omitempty"`
	TitleWork bool `json:"title_work,omitempty"`
	// AtWork: of title and session file, the one that spoke last showed work.
	AtWork bool `json:"at_work,omitempty"`
	// Turn: a prompt was taken and its turn has not ended.
	Turn bool `json:"turn,omitempty"`
	// Queued counts prompts that were taken while a turn ran.
	Queued int `json:"queued,omitempty"`
	// Tool is the tool that runs, or is about to, as hooks tell it.
	Tool string `json:"tool,omitempty"`
	// ToolInput is its input as JSON, if that is not too long.
	ToolInput string `json:"tool_input,omitempty"`
	// Dialogs are those that PermissionRequest hooks told of and nothing has closed
	// since, in the order in which the agent shows them: subagents may ask at the
	// same time. At most maxOpenDialogs.
	Dialogs []api.Evidence `json:"dialogs,omitempty"`
	// Calls are those of tools that have begun and whose end was not heard of, oldest
	// first. At most maxCalls.
	Calls []Call `json:"calls,omitempty"`
	// Closings tell when dialogs were closed, or would have been, within the last
	// lateWindow: a request that is heard of after its end is over. At most
	// maxClosings.
	Closings []Closing `json:"closings,omitempty"`
	// Agents counts subagents in the background, as the last Stop told.
	Agents int `json:"agents,omitempty"`
	// Switching is when a conversation ended that another one follows.
	Switching time.Time `json:"switching,omitzero"`
	// Interrupted is when a key interrupted a turn while no prompt was queued.
	Interrupted time.Time `json:"interrupted,omitzero"`
	// Pressed is when a key was pressed that may interrupt a turn or answer a dialog,
	// while no prompt was queued.
	Pressed time.Time `json:"pressed,omitzero"`
	// Sign is what the screen showed last of the turn (agents.TurnSign), since it is
	// looked at.
	Sign string `json:"sign,omitempty"`
}

// note remembers what evidence tells beside the state. The maps of m are not
// changed: a Fold is a value.
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
				m.Interrupted = e.At
			}
			m.Queued = 0 // it ends the turn, or runs what is queued
		}
	case api.SourceHook:
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
		return m // of a subagent
	}
	switch e.Name {
	case "UserPromptSubmit":
		if e.Fields["kind"] != "" {
			m.Owed = max(m.Owed-1, -maxBackground)
		} else if m.Turn && state != api.StateIdle {
			m.Queued++
		}
		m.Turn, m.Interrupted = true, time.Time{}
	case "PreToolUse":
		m.Tool, m.ToolInput = e.Fields["tool"], e.Fields[FieldInput]
	case "PostToolUse", "PostToolUseFailure", "PermissionDenied":
		m.Tool, m.ToolInput = "", ""
	case "Stop", "StopFailure":
		m.Tool, m.ToolInput = "", ""
		if e.Fields[FieldContinued] != "" {
			return m // the turn goes on
		}
		m.Turn, m.Queued = m.Queued > 0, 0
		m.Agents, _ = strconv.Atoi(e.Fields["background_agents"])
	case "SessionEnd":
		if r := e.Fields["reason"]; r == "clear" || r == "resume" {
			m.Switching = e.At
		}
	case "SessionStart":
		m.Begun, m.Switching = true, time.Time{}
	}
	return m
}

// maxBackground bounds the background activities told apart.
const maxBackground = 64
