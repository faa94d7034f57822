package edit

import (
	"strings"
	"testing"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
)

// TestLineTakesBack: each edit of a line can be taken back, text typed in one go at
// once, and what was deleted put in again.
func TestLineTakesBack(t *testing.T) {
	var e Line
	steps := []struct{ key, want string }{
		{"a", "a"}, {"b", "ab"}, {"Space", "ab "}, {"c", "ab c"}, {"C-w", "ab "}, {"C-u", ""}, {"C-u", ""}, {"C-y", "ab "},
		{"d", "ab d"}, {"Home", "ab d"}, {"M-d", " d"}, {"C-k", ""}, {"C-z", " d"}, {"C-_", "ab d"}, {"C-_", "ab "}, {"C-_", ""},
		{"C-_", "ab "}, {"C-_", "ab c"}, {"C-_", ""}, {"C-_", ""}, {"x", "x"}, {"C-_", ""},
	}
	for i, s := range steps {
		var ok bool
		if e, ok = e.Key(s.key, typedBy(s.key)); !ok || e.String() != s.want {
			t.Fatalf("step %d, %s: %q, not %q", i, s.key, e.String(), s.want)
		}
	}
	e = NewLine("one").Insert(" two").back()
	if e.String() != "one" {
		t.Errorf("a paste taken back: %q", e.String())
	}
	for range 3 * maxUndo {
		e = e.Insert("x")
	}
	if len(e.past) > maxUndo {
		t.Errorf("%d steps are kept", len(e.past))
	}
}

// TestLineKeysOfTheHelp: what the help names for texts holds for single lines, but for
// keys that only several lines need.
func TestLineKeysOfTheHelp(t *testing.T) {
	several := map[string]bool{"Up": true, "Down": true, "C-Home": true, "C-End": true, "M-<": true, "M->": true}
	for _, l := range KeyLines() {
		for _, key := range strings.Fields(l.Keys) {
			if _, ok := NewLine("one two").Key(key, typedBy(key)); !ok && !several[key] {
				t.Errorf("%s means nothing", key)
			}
		}
	}
}

func TestLine(t *testing.T) {
	type step struct{ key, want string }
	var e Line
	show := func() string { return strings.Join(e.before, "") + "|" + strings.Join(e.after, "") }
	for _, s := range []step{
		{"a", "a|"}, {"b", "ab|"}, {"Space", "ab |"}, {"日", "ab 日|"}, {"Left", "ab |日"}, {"x", "ab x|日"}, {"Home", "|ab x日"},
		{"DC", "|b x日"}, {"BSpace", "|b x日"}, {"C-Right", "b| x日"}, {"End", "b x日|"}, {"BSpace", "b x|"}, {"C-w", "b |"},
		{"C-a", "|b "}, {"C-k", "|"}, {"C-w", "|"}, {"Left", "|"}, {"Right", "|"}, {"é", "é|"}, {"C-u", "|"},
	} {
		e, _ = e.Key(s.key, typedBy(s.key))
		if got := show(); got != s.want {
			t.Fatalf("after %s: %q, want %q", s.key, got, s.want)
		}
	}
	e = e.Insert("one\r\ntwo\rthree\x00").move(-1)
	if e.String() != "one\ntwo\nthree\x00" {
		t.Errorf("%q", e.String())
	}
	if _, ok := e.Key("F5", typedBy("F5")); ok {
		t.Error("F5 was taken")
	}
	// An older value does not change with a newer one.
	a := NewLine("abc")
	b := a.Insert("x")
	c := a.Insert("y")
	if a.String() != "abc" || b.String() != "abcx" || c.String() != "abcy" {
		t.Errorf("%q %q %q", a.String(), b.String(), c.String())
	}
}

func TestLineShowsTheCursor(t *testing.T) {
	s := paint.NewSurface(10, 1, paint.Caps{})
	e := NewLine("0123456789abc日")
	for back := range len(e.before) + 1 {
		s.Clear()
		at := e.move(-back).Draw(s, 1, 0, 8, cells.Style{})
		if at < 0 || at > 7 {
			t.Fatalf("%d back: cursor in column %d of 8", back, at)
		}
		if got := s.Row(0); got[0].Glyph != 0 || got[9].Glyph != 0 || got[9].Span != 0 {
			t.Fatalf("%d back: drawn outside: %q", back, s.Dump())
		}
	}
}
