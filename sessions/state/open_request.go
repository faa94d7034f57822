package state

import (
	"maps"
	"slices"

	"ccdir/api"
)

// A request in the table (Requests) is open: its hook process waits for an answer. That is
// certain, whatever other evidence says and in whatever order it comes, and so is the
// request's end.

// closes reports whether the evidence closes its dialog. A request that ends for another
// reason than an answer leaves the dialog in the pane.
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

// dialogsHeld returns the open dialogs after the request of one of them began or ceased to be
// held. It does not change m's list.
func (m *Memory) dialogsHeld(e *api.Evidence) []api.Evidence {
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
	d.Source, d.Kind = api.SourceHook, api.KindDialog // the dialog's own hook was lost
	return append(list, d)
}

// HasDialogOf reports whether the hook that makes the request was weighed already.
func (m *Memory) HasDialogOf(q api.Request) bool {
	e := RequestEvidence(q)
	return slices.ContainsFunc(m.Dialogs, func(d api.Evidence) bool { return sameHook(d, e) })
}

// sameHook reports whether one hook reported both dialogs.
func sameHook(a, b api.Evidence) bool {
	return a.At.Equal(b.At) && a.Fields["tool"] == b.Fields["tool"] && a.Fields["agent_id"] == b.Fields["agent_id"]
}

// heldElsewhere reports whether a background agent's request is still held after e. The
// agent does not show its dialog (2.1.294 to 2.1.329), so only its end reports an answer.
// In older versions an agent that the conversation waits for has dialogs like the
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

// delegates reports whether the call is a subagent's that has not returned.
func delegates(c Call) bool { return c.Agent == "" && c.Delegates }

// forgetsHeld reports whether e would end the waiting while a request is held.
func forgetsHeld(f *Fold, e *api.Evidence) bool {
	return e.Source != api.SourceProcess && e.Source != api.SourceDelivery && !e.Says.NeedsPerson() && heldElsewhere(f, e)
}

// openedLate reports whether the turn or the agent has ended since the request was made.
func openedLate(f *Fold, e *api.Evidence) bool {
	return f.endedSince(e) || e.Fields["agent_id"] == "" && f.State == api.StateIdle && overtaken(f.Last, e.At)
}

// lastClosed reports whether e closes the only dialog that the session waits for.
func lastClosed(f *Fold, e *api.Evidence) bool {
	return len(f.Dialogs) == 1 && len(f.openDialogs(e)) == 0 && f.Winner != nil && f.Winner.Source == api.SourceHook
}

// byDialog reports whether an open dialog gave the state.
func byDialog(f *Fold) bool {
	return f.Winner != nil && slices.ContainsFunc(f.Dialogs, func(d api.Evidence) bool { return SameDialog(d, *f.Winner) })
}
