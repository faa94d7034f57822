package tui

import (
	"strings"
	"testing"

	"ccdir/internal/grid"
	"ccdir/tui/paint"

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

func TestEditor(t *testing.T) {
	type step struct{ key, want string }
	var e editor
	show := func() string { return strings.Join(e.before, "") + "|" + strings.Join(e.after, "") }
	for _, s := range []step{
		{"a", "a|"}, {"b", "ab|"}, {"Space", "ab |"}, {"日", "ab 日|"}, {"Left", "ab |日"}, {"x", "ab x|日"}, {"Home", "|ab x日"},
		{"DC", "|b x日"}, {"BSpace", "|b x日"}, {"C-Right", "b| x日"}, {"End", "b x日|"}, {"BSpace", "b x|"}, {"C-w", "b |"},
		{"C-a", "|b "}, {"C-k", "|"}, {"C-w", "|"}, {"Left", "|"}, {"Right", "|"}, {"é", "é|"}, {"C-u", "|"},
	} {
		e, _ = e.key(s.key, keyOf(s.key))
		if got := show(); got != s.want {
			t.Fatalf("after %s: %q, want %q", s.key, got, s.want)
		}
	}
	e = e.insert("one\r\ntwo\rthree\x00").move(-1)
	if e.String() != "one\ntwo\nthree\x00" {
		t.Errorf("%q", e.String())
	}
	if _, ok := e.key("F5", keyOf("F5")); ok {
		t.Error("F5 was taken")
	}
	// An older value does not change with a newer one.
	a := newEditor("abc")
	b := a.insert("x")
	c := a.insert("y")
	if a.String() != "abc" || b.String() != "abcx" || c.String() != "abcy" {
		t.Errorf("%q %q %q", a.String(), b.String(), c.String())
	}
}

func TestEditorShowsTheCursor(t *testing.T) {
	s := paint.NewSurface(10, 1, paint.Caps{})
	e := newEditor("0123456789abc日")
	for back := range len(e.before) + 1 {
		s.Clear()
		at := e.move(-back).draw(s, 1, 0, 8, grid.Style{})
		if at < 0 || at > 7 {
			t.Fatalf("%d back: cursor in column %d of 8", back, at)
		}
		if got := s.Row(0); got[0].Glyph != 0 || got[9].Glyph != 0 || got[9].Span != 0 {
			t.Fatalf("%d back: drawn outside: %q", back, s.Dump())
		}
	}
}
