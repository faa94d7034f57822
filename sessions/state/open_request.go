package state

import (
	"maps"
	"slices"

	"ccdir/api"
)

// A request that approvals hold is open: its hook's process waits for an answer. That
// is certain whatever else was heard, and in which order, and so is its end.

// closes: the end of a request closes its dialog. Other ends leave it in the pane.
func closes(e *api.Evidence) bool {
	if e.Name != EvidenceRequestEnded {
		return true
	}
	switch api.RequestOutcome(e.Fields["outcome"]) {
	case api.OutcomeDeadline, api.OutcomeHungUp, api.OutcomeLimit, api.OutcomeUnrecorded:
		return false
	}
	return true
}

// held are the open dialogs after the request of one of them began, or ceased, to be
// held. m's own list is not changed.
func (m *Memory) held(e *api.Evidence) []api.Evidence {
	list := slices.Clone(m.Dialogs)
	if e.Name == EvidenceRequestEnded {
		for i, d := range list {
			if d.Fields[FieldRequest] == e.Fields[FieldRequest] {
				list[i].Fields = maps.Clone(d.Fields)
				delete(list[i].Fields, FieldRequest)
			}
		}
		return list
	}
	for i, d := range list {
		if d.Fields[FieldRequest] == e.Fields[FieldRequest] {
			return list
		}
		if d.Fields[FieldRequest] == "" && SameDialog(d, *e) {
			list[i] = with(d, FieldRequest, e.Fields[FieldRequest])
			return list
		}
	}
	if len(list) == maxOpenDialogs || m.endedSince(e) {
		return list
	}
	d := *e
	d.Source, d.Name = api.SourceHook, "PermissionRequest" // of which nothing is known any more
	return append(list, d)
}

// HasDialogOf reports whether the hook that makes the request has told of its dialog.
func (m *Memory) HasDialogOf(q api.Request) bool {
	e := RequestEvidence(q)
	return slices.ContainsFunc(m.Dialogs, func(d api.Evidence) bool { return sameHook(d, e) })
}

// sameHook: the dialogs were told of by one hook.
func sameHook(a, b api.Evidence) bool {
	return a.At.Equal(b.At) && a.Fields["tool"] == b.Fields["tool"] && a.Fields["agent_id"] == b.Fields["agent_id"]
}

// heldElsewhere: after e a request of an agent in the background is still held. Its
// dialog is not shown (2.1.294 to 2.1.329), so nothing but its end tells of an answer.
// An agent that the conversation waits for, in older versions, has dialogs as the
// conversation itself.
func heldElsewhere(f *Fold, e *api.Evidence) bool {
	if f.Status == "" && f.File == "waiting" && slices.ContainsFunc(f.Calls, delegates) {
		return false
	}
	list := f.Dialogs
	if e.Source == api.SourceHook || e.Source == api.SourceDelivery {
		list = f.openDialogs(e)
	}
	return slices.ContainsFunc(list, func(d api.Evidence) bool { return d.Fields[FieldRequest] != "" && d.Fields["agent_id"] != "" })
}

// delegates: the call is that of an agent, which has not returned.
func delegates(c Call) bool { return c.Agent == "" && (c.Tool == "Agent" || c.Tool == "Task") }

// forgetsHeld: e says that the session does not wait, while a request is held.
func forgetsHeld(f *Fold, e *api.Evidence) bool {
	return e.Source != api.SourceProcess && e.Source != api.SourceDelivery && !e.Says.NeedsPerson() && heldElsewhere(f, e)
}

// openedLate: the turn, or the agent, has ended since the request was made.
func openedLate(f *Fold, e *api.Evidence) bool {
	return f.endedSince(e) || e.Fields["agent_id"] == "" && f.State == api.StateIdle && overtaken(f.Last, e.At)
}

// lastClosed: e closes the dialog that the session waits for, the last one.
func lastClosed(f *Fold, e *api.Evidence) bool {
	return len(f.Dialogs) == 1 && len(f.openDialogs(e)) == 0 && f.Winner != nil && f.Winner.Source == api.SourceHook
}

// byDialog: an open dialog gave the state.
func byDialog(f *Fold) bool {
	return f.Winner != nil && slices.ContainsFunc(f.Dialogs, func(d api.Evidence) bool { return SameDialog(d, *f.Winner) })
}
