package state

import (
	"encoding/json"
	"fmt"
	"maps"

	"ccdir/api"
)

// AsksAbout returns the tool that a waiting session asks about, and its input; "" and nil
// if none.
func (f *Fold) AsksAbout() (tool string, input json.RawMessage) {
	w := f.Winner
	if !f.State.NeedsPerson() || w == nil {
		return "", nil
	}
	tool, text := w.Fields["tool"], w.Fields[FieldInput]
	about := w.Fields["kind"] != "" || w.Source == api.SourceFile && f.FileFor != PanelOpen
	if tool == "" && (w.Source == api.SourcePSP || w.Source == api.SourceFile) && about {
		tool, text = f.Tool, f.ToolInput // no hook reported the dialog
	}
	if tool != "" && json.Valid([]byte(text)) {
		input = json.RawMessage(text)
	}
	return tool, input
}

// shown returns evidence as `ccdir explain` prints it: without the tool's input, which is
// in the question and in the hook's event.
func shown(e api.Evidence) api.Evidence {
	if _, ok := e.Fields[FieldInput]; ok {
		e.Fields = maps.Clone(e.Fields)
		delete(e.Fields, FieldInput)
	}
	return e
}

// whatEnds lists what would end a waiting state.
func (f Fold) whatEnds() (list []string) {
	exit := "the end of the process: exited"
	switch w := f.Winner; {
	case w != nil && w.Name == EvidenceAsksPerson:
		return []string{"an answer (`ccdir answer`, or in the grid): working", exit}
	case w != nil && w.Source == api.SourceFile && f.FileFor == PanelOpen:
		return []string{"the end of the panel or dialog in the pane (Esc): idle, or working where a turn goes on", exit}
	case len(f.Dialogs) > 1:
		list = append(list, fmt.Sprintf("an answer to this dialog: the next of %d that are open", len(f.Dialogs)))
	}
	if len(f.Dialogs) > 0 {
		list = append(list, "an answer from outside the pane (`ccdir approve`, `ccdir deny`), as long as its request is held: working")
	}
	if f.Status != "" {
		return append(list, "an answer in the pane (the tool's end, or status working): working", "the end of the turn, or status idle: idle", exit)
	}
	return append(list, "an answer in the pane (the tool's end; or work in the title, on the screen or in the session file): working",
		"the end of the turn, a turn that the screen shows as interrupted, or session file idle: idle", exit)
}
