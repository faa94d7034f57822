package request

import (
	"encoding/json"
	"reflect"

	"ccdir/internal/text/patchtext"
)

// patch shows the files of a patch with what changes in each; false if the value is none, or
// has members that would be hidden.
func (b *writer) patch(value json.RawMessage) bool {
	var files []patchtext.File
	if json.Unmarshal(value, &files) != nil || len(files) == 0 {
		return false
	}
	var all, known any
	if again, err := json.Marshal(files); err != nil || json.Unmarshal(again, &known) != nil || json.Unmarshal(value, &all) != nil || !reflect.DeepEqual(all, known) {
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
		var edits []edit
		for _, e := range f.Edits {
			edits = append(edits, edit{Old: &e.Old, New: &e.New})
		}
		b.edits(edits)
	}
	return true
}
