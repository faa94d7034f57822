package toolinput

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestDiff: of an edit stands what goes and what comes, with the lines around it; what is left out
// between two changes is marked.
func TestDiff(t *testing.T) {
	t.Parallel()
	before, after := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nK\nl\n"
	var got strings.Builder
	for _, l := range (Edit{Old: &before, New: &after}).Diff() {
		got.WriteString(string(" -+~"[l.Kind]) + l.Text + "|")
	}
	if want := " a|-b|+B| c| d| e|~| h| i| j|-k|+K| l|"; got.String() != want {
		t.Errorf("got  %s\nwant %s", got.String(), want)
	}
	same := "x"
	if lines := (Edit{Old: &same, New: &same}).Diff(); len(lines) != 2 {
		t.Errorf("an edit that changes nothing: %v", lines)
	}
}

// TestEdits: an edit with members that would be hidden is none.
func TestEdits(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"file_path": "a", "old_string": "x", "new_string": "y"}`:                 "1 map[new_string:true old_string:true]",
		`{"edits": [{"old_string": "x", "new_string": "y", "replace_all": true}]}`: "1 map[edits:true]",
		`{"edits": [{"old_string": "x", "new_string": "y", "run": "rm"}]}`:         "0 map[]",
		`{"edits": [{"old_string": "x"}]}`:                                         "0 map[]",
		`{"old_string": "x"}`:                                                      "0 map[]",
		`{"edits": []}`:                                                            "0 map[]",
	} {
		fields, ok := Fields(json.RawMessage(input))
		edits, keys := Edits(fields)
		if got := fmt.Sprint(len(edits), " ", keys); !ok || got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
}

// TestQuestions: questions are read by the members that agents read.
func TestQuestions(t *testing.T) {
	t.Parallel()
	got := Questions(json.RawMessage(`{"questions": [{"question": "Which?", "header": "H", "multiSelect": true, "options": [{"label": "A", "description": "first"}, {"label": "B"}]}, {"question": 7}]}`))
	if len(got) != 2 || got[0].Text != "Which?" || !got[0].Multiple || got[0].Options[0] != (Option{"A", "first"}) || got[1].Text != "" {
		t.Errorf("%+v", got)
	}
}

// FuzzInput: whatever an agent sends, fields come back in its order and nothing panics.
func FuzzInput(f *testing.F) {
	f.Add([]byte(`{"old_string": "a", "new_string": "b", "questions": [{"question": "q", "options": [{"label": "l"}]}]}`))
	f.Add([]byte(`{"files": [{"path": "a", "change": "add", "edits": [{"old": "", "new": "x"}]}]}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) {
		fields, _ := Fields(data)
		edits, _ := Edits(fields)
		for _, e := range edits {
			e.Diff()
		}
		for _, f := range fields {
			Patch(f.Value)
		}
		Questions(data)
	})
}
