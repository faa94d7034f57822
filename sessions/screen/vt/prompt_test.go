package vt

import (
	"testing"

	"ccdir/sessions/screen"
)

// TestPromptEndsModes: the modes of a program that was killed end where the shell says that
// the command is over or that its prompt begins; those that the shell has set meanwhile stay.
func TestPromptEndsModes(t *testing.T) {
	const leftovers = "\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?1h\x1b=\x1b[>1u\x1b[>4;2m\x1b[?25l\x1b[?5h\x1b[?2026h\x1b[4h\x1b[?7l"
	for _, c := range []struct {
		name, in string
		want     screen.Modes
		cursor   bool
		alt      bool
	}{
		{"a prompt", leftovers + "\x1b]133;A\a", screen.Modes{}, true, false},
		{"the end of a command", leftovers + "\x1b]133;D;137\x1b\\", screen.Modes{}, true, false},
		{"with parameters", leftovers + "\x1b]133;A;cl=m\a", screen.Modes{}, true, false},
		{"the alternate screen", "text\x1b[?1049h\x1b[>1u" + leftovers + "\x1b]133;A\a", screen.Modes{}, true, false},
		{"keys of the main screen too", "\x1b[>1u\x1b[?1049h\x1b]133;A\a", screen.Modes{}, true, false},
		{"the shell's own modes", leftovers + "\x1b]133;D\a\x1b[?2004h\x1b[=1u\x1b=\x1b]133;A\a", screen.Modes{BracketedPaste: true, KittyFlags: 1, AppKeypad: true}, true, false},
		{"the next prompt", "\x1b]133;D\a\x1b]133;A\a\x1b]133;C\a\x1b[?1003h\x1b]133;A\a", screen.Modes{}, true, false},
		{"input and output begin", "\x1b[?1003h\x1b[?1049h\x1b]133;B\a\x1b]133;C\a", screen.Modes{Mouse: screen.MouseAny}, true, true},
	} {
		s := newTest(20, 4, c.in).State()
		if s.Modes != c.want || s.Cursor.Visible != c.cursor || s.Alt != c.alt || s.Sync {
			t.Errorf("%s: %+v", c.name, s)
		}
	}
	term := newTest(20, 4, "text\x1b[?1049h\x1b[3;3Hx\x1b]133;D\a")
	wantGrid(t, term, "text", "", "", "")
	if got := cursorOf(term); got != [2]int{4, 0} {
		t.Errorf("cursor %v after the alternate screen", got)
	}
}

// TestEndProgram: where the shell marks no prompts, its owner ends a program's modes; the
// keypad's and bracketed paste are left to the shell.
func TestEndProgram(t *testing.T) {
	const leftovers = "text\x1b[?1049h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[>1u\x1b[>4;2m\x1b[?25l"
	term := newTest(20, 4, leftovers+"\x1b[?1h\x1b[?2004h")
	gen := term.Gen()
	if !term.ProgramModes() {
		t.Error("the modes are not seen")
	}
	term.EndProgram()
	if s := term.State(); s.Modes != (screen.Modes{AppCursor: true, BracketedPaste: true}) || s.Alt || !s.Cursor.Visible || term.Gen() == gen {
		t.Errorf("%+v, generation %d, before %d", s, term.Gen(), gen)
	}
	if term.ProgramModes() {
		t.Error("modes are left")
	}
	wantGrid(t, term, "text", "", "", "")
	term = newTest(20, 4, "\x1b]133;A\a"+leftovers)
	if term.EndProgram(); !term.ProgramModes() {
		t.Error("modes end before the mark that ends them")
	}
}
