package vt

import "ccdir/sessions/screen"

// promptMark acts on a mark of the shell (OSC 133): the modes of a program that was killed end
// with the command (D), or where the next prompt begins (A). A shell that reports the end
// may set modes of its own before its prompt.
func (t *Terminal) promptMark(data []byte) {
	if len(data) == 0 || len(data) > 1 && data[1] != ';' {
		return
	}
	t.marked = true
	switch data[0] {
	case 'D':
		t.endProgram()
		t.commandEnded = true
	case 'A':
		if !t.commandEnded {
			t.endProgram()
		}
		t.commandEnded = false
	}
}

// ProgramModes implements [screen.ProgramEnder].
func (t *Terminal) ProgramModes() bool {
	m := &t.mode
	return t.cur == &t.alt || t.kitty[0].flags() != 0 || m.mouse != screen.MouseOff || m.focus || m.altScroll ||
		m.colorScheme || m.modifyOtherKeys != 0 || !m.cursor
}

// EndProgram implements [screen.ProgramEnder]. The keypad's modes stay: line editors switch them
// at their prompts.
func (t *Terminal) EndProgram() {
	if t.marked {
		return
	}
	before, keys, pad := t.State(), t.mode.appCursor, t.mode.appKeypad
	t.damage.next = t.damage.gen + 1
	t.endProgram()
	t.mode.appCursor, t.mode.appKeypad = keys, pad
	t.settle(before)
}

// endProgram sets the modes of mouse, focus, keys, cursor and screen to what a shell expects at its
// prompt. Bracketed paste stays: shells switch it themselves. So does everything that other text than a program's shows: colours, margins,
// the cursor's shape.
func (t *Terminal) endProgram() {
	switch {
	case t.cur == &t.main:
	case t.main.saved.kept:
		t.altWithCursor(true, false)
	default:
		t.showAlt(false)
	}
	t.kitty = [2]kittyStack{}
	m := &t.mode
	m.mouse, m.mouseEncoding = screen.MouseOff, screen.MouseLegacy
	m.focus, m.altScroll, m.colorScheme = false, false, false
	m.appCursor, m.appKeypad, m.modifyOtherKeys = false, false, 0
	m.cursor, m.wrap = true, true
	m.reverse, m.insert, m.newLine, m.sync = false, false, false, false
}
