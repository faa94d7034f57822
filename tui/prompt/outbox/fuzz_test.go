package outbox

import (
	"testing"

	"ccdir/tui/ui"
)

// FuzzSent: whatever stands in the file that is kept beside the draft, what is taken of
// it is about the draft's text.
func FuzzSent(f *testing.F) {
	for _, data := range []string{
		"", "{", "[]", `{"session":{"prompt":"other"},"prompts":[{"text":"other"}]}`, `{"session":7}`,
		`{"session":{"prompt":"fix","request":"r"},"prompts":[{"text":"fix","session":"s","id":"i"}]}`, `{"task":{"prompt":"fix"}}`,
		`{"for":"a","drafts":[{"session":"b","text":"other"},{"session":"a","text":"x"},{"session":"b","text":" "}]}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var o Outbox
		sent := o.takeSent(data, " fix\n")
		if nothing := o.unsure == (ui.Making{}) && len(o.tries.left) == 0; sent == nothing {
			t.Errorf("sent: %t, taken: %+v %+v", sent, o.unsure, o.tries.left)
		}
		if u := o.unsure; u.Session != nil && u.Session.Prompt != "fix" || u.Task != nil && u.Task.Prompt != "fix" {
			t.Errorf("taken: %+v", u)
		}
		if len(o.Drafts.aside) > mostTries {
			t.Errorf("%d drafts", len(o.Drafts.aside))
		}
		if len(o.tries.left) > mostTries {
			t.Errorf("%d tries", len(o.tries.left))
		}
	})
}
