package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"ccdir/api"
	"ccdir/internal/text/redact"
)

// Names of the evidence that the daemon gives itself (api.SourceProcess and
// api.SourceDelivery). They are saved with sessions: a value never changes.
const (
	EvidenceStarted       = "started"        // the process runs
	EvidenceExit          = "exit"           // the process ended; fields: code, signal
	EvidenceLost          = "lost"           // the session's host died
	EvidenceKill          = "kill"           // the session was asked to end
	EvidencePark          = "park"           // its process is being ended to be parked
	EvidenceParkOff       = "park_off"       // and goes on after all
	EvidenceRequestOpened = "request_opened" // the request of a dialog is held
	EvidenceRequestEnded  = "permission"     // a request ended, answered or not; fields: outcome
	EvidenceAsksPerson    = "ask_person"     // the agent asks the person by a tool of ccdir's
)

// Fields of evidence that the fold reads. They are saved too.
const (
	// FieldInput is the tool's input as JSON without likely secrets, of hooks and requests
	// whose input has at most MaxInput bytes.
	FieldInput = "input"
	// FieldInputDigest is InputDigest of the tool's input.
	FieldInputDigest = "call"
	// FieldRequest is the id of the request that is held for a dialog.
	FieldRequest = "request"
	// FieldSignalled marks that a process that was to be parked goes on, and may still end.
	FieldSignalled = "signalled"
	// FieldContinued marks the end of a turn that ccdir's answer continues; the value is
	// the reason for it.
	FieldContinued = "continued"
)

// MaxInput bounds FieldInput, in bytes: it is published with every change of the session.
const MaxInput = 4 << 10

// PanelOpen is the value of waiting_for in the session file while a panel is open.
const PanelOpen = "dialog open"

// InputDigest identifies a tool's input: equal for equal JSON, "" for no input.
func InputDigest(input json.RawMessage) string {
	if len(input) == 0 {
		return ""
	}
	var b bytes.Buffer
	if json.Compact(&b, input) != nil {
		b.Reset()
		b.Write(input)
	}
	sum := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(sum[:8])
}

// RequestEvidence is evidence that the request of a dialog is open.
func RequestEvidence(q api.Request) api.Evidence {
	e := api.Evidence{Source: api.SourceDelivery, At: q.Since, Name: EvidenceRequestOpened, Says: api.StatePermission, Detail: q.Question, Fields: RequestFields(q)}
	if q.Kind == api.RequestQuestion {
		e.Says = api.StateInput
	}
	if q.Question != "" {
		e.Fields["question"] = q.Question
	}
	if len(q.Input) <= MaxInput {
		e.Fields[FieldInput] = string(redact.JSON(q.Input))
	}
	return e
}

// RequestFields are the fields that tell which dialog a request is about.
func RequestFields(q api.Request) map[string]string {
	fields := map[string]string{FieldRequest: q.ID}
	if q.Origin == api.OriginMCP {
		return fields // it has none
	}
	for field, value := range map[string]string{"tool": q.Tool, "agent_id": q.Subagent, "tool_use_id": q.ToolUseID, FieldInputDigest: InputDigest(q.Input)} {
		if value != "" {
			fields[field] = value
		}
	}
	return fields
}
