package request

import (
	"encoding/json"

	"ccdir/internal/text/toolinput"
)

// patch shows the files of a patch with what changes in each; false if the value is none, or
// has members that would be hidden.
func (b *writer) patch(value json.RawMessage) bool {
	files, ok := toolinput.Patch(value)
	if !ok {
		return false
	}
	for _, f := range files {
		b.add(strong, f.Path)
		switch {
		case f.MoveTo != "":
			b.add(faint, f.Change+", and move to")
			b.add(strong, f.MoveTo)
		default:
			b.add(faint, f.Change)
		}
		var edits []toolinput.Edit
		for _, e := range f.Edits {
			edits = append(edits, toolinput.Edit{Old: &e.Old, New: &e.New})
		}
		b.edits(edits)
	}
	return true
}
