package tui

import (
	"strings"
	"testing"

	"ccdir/tui/edit"
)

// TestEditorTakesBack: each edit of a line can be taken back, text typed in one go at
// once, and what was deleted put in again.
func TestEditorTakesBack(t *testing.T) {
	var e editor
	steps := []struct{ key, want string }{
		{"a", "a"}, {"b", "ab"}, {"Space", "ab "}, {"c", "ab c"}, {"C-w", "ab "}, {"C-u", ""}, {"C-u", ""}, {"C-y", "ab "},
		{"d", "ab d"}, {"Home", "ab d"}, {"M-d", " d"}, {"C-k", ""}, {"C-z", " d"}, {"C-_", "ab d"}, {"C-_", "ab "}, {"C-_", ""},
		{"C-_", "ab "}, {"C-_", "ab c"}, {"C-_", ""}, {"C-_", ""}, {"x", "x"}, {"C-_", ""},
	}
	for i, s := range steps {
		var ok bool
		if e, ok = e.key(s.key, keyOf(s.key)); !ok || e.String() != s.want {
			t.Fatalf("step %d, %s: %q, not %q", i, s.key, e.String(), s.want)
		}
	}
	e = newEditor("one").insert(" two").back()
	if e.String() != "one" {
		t.Errorf("a paste taken back: %q", e.String())
	}
	for range 3 * editorSteps {
		e = e.insert("x")
	}
	if len(e.past) > editorSteps {
		t.Errorf("%d steps are kept", len(e.past))
	}
}

// TestEditorKeysOfTheHelp: what the help names for texts holds for single lines, but for
// keys that only several lines need.
func TestEditorKeysOfTheHelp(t *testing.T) {
	several := map[string]bool{"Up": true, "Down": true, "C-Home": true, "C-End": true, "M-<": true, "M->": true}
	for _, l := range edit.KeyLines() {
		for _, key := range strings.Fields(l.Keys) {
			if _, ok := newEditor("one two").key(key, keyOf(key)); !ok && !several[key] {
				t.Errorf("%s means nothing", key)
			}
		}
	}
}

// TestLeftDialogKeepsItsText: a prompt or a task that was written and not sent is there
// when the dialog is opened again; one that was sent is not.
func TestLeftDialogKeepsItsText(t *testing.T) {
	m, c := clientModel(t, two()...)
	do(m, "C-b", "n", "BTab", "BTab", "h", "i", "Escape")
	if do(m, "C-b", "n"); m.overlay.(newSession).fields[newPrompt].String() != "hi" {
		t.Errorf("the prompt is gone: %+v", m.overlay)
	}
	do(m, "Enter", "C-b", "n")
	if got := m.overlay.(newSession).fields[newPrompt].String(); got != "" || len(c.created) != 1 || c.created[0].Prompt != "hi" {
		t.Errorf("sent, and still there: %q, created %+v", got, c.created)
	}
	do(m, "Escape")
	m.panes["new00001"].close()

	m, c = queued(t)
	do(m, "C-b", "T", "a", "x", "y", "Escape", "a", "z", "Enter", "a")
	if got := calledFor(c, "add-task"); len(got) != 1 || got[0] != "add-task xyz in /src" || !m.overlay.(queuePanel).prompt.empty() {
		t.Errorf("called %q", got)
	}
}
