package tui

import (
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/copymode"
	"ccdir/tui/terminal/input"
)

// copyKey handles a key for a pane in copy mode.
func (m *model) copyKey(c *copyView, k input.Key) cmd {
	c.toFirst, c.editing = false, false
	if c.find.typing {
		return m.findKey(c, k)
	}
	if c.peek {
		return m.peekKey(c, k)
	}
	if n, digit := digitOf(k.Name); digit && (n > 0 || c.count > 0) {
		c.count = min(c.count*10+n, 999_999)
		return nil
	}
	b, ok := m.keys.LookupIn(keymap.ModeCopy, k.Name)
	if !ok {
		c.count = 0
		m.warn("copy mode has no key " + textsafe.Line(k.Name) + ": " + m.keys.Hint(keymap.CopyLeave) + " leaves it, " + m.keys.Hint(keymap.Help) + " lists the keys")
		return nil
	}
	return m.copyAction(c, b.Action)
}

// peekKey: keys that scroll go on scrolling, a copying one copies, and all
// others are for the program in the pane.
func (m *model) peekKey(c *copyView, k input.Key) cmd {
	switch k.Name {
	case "PPage", "NPage", "S-Up", "S-Down":
		b, _ := m.keys.LookupIn(keymap.ModeCopy, k.Name)
		c.st.Move(copyMotions[b.Action], 1)
		m.endPeek(c)
		return nil
	case "Escape":
		m.leaveCopy(c.id)
		return nil
	}
	m.leaveCopy(c.id)
	m.toPane(k)
	return nil
}

// endPeek leaves what the mouse opened when the newest line is back in view and
// nothing is selected.
func (m *model) endPeek(c *copyView) {
	if c.peek && !c.dragging && c.st.AtBottom() && c.st.Kind == copymode.None {
		m.leaveCopy(c.id)
	}
}

func digitOf(name string) (int, bool) {
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
		return int(name[0] - '0'), true
	}
	return 0, false
}

// copyAction runs an action of copy mode.
func (m *model) copyAction(c *copyView, a keymap.Action) cmd {
	n := c.count
	c.count = 0
	if motion, ok := copyMotions[a]; ok {
		if a == keymap.CopyWordEnd && c.st.Kind == copymode.None {
			return m.openEditor(c)
		}
		if a == keymap.CopyFirst {
			c.all = true
			c.toFirst = !c.complete
		}
		c.st.Move(motion, n)
		return nil
	}
	switch a {
	case keymap.CopyFind, keymap.CopyFindBack:
		c.openFind(a == keymap.CopyFindBack)
	case keymap.CopyNext, keymap.CopyPrev:
		return m.findNext(c, a == keymap.CopyPrev, max(n, 1))
	case keymap.CopyChars:
		c.st.Select(copymode.Char)
	case keymap.CopyLines:
		c.st.Select(copymode.Lines)
	case keymap.CopyBlock:
		c.st.Select(copymode.Block)
	case keymap.CopyOther:
		c.st.Swap()
	case keymap.CopyYank:
		return m.yank(c, true)
	case keymap.CopyEditor:
		return m.openEditor(c)
	case keymap.CopyFresh:
		return m.refreshCopy(c)
	case keymap.CopyLeave:
		m.leaveCopy(c.id)
	case keymap.CopyClear:
		switch {
		case c.st.Kind != copymode.None:
			c.st.Kind = copymode.None
		case c.find.query != "":
			c.stopFind()
			c.find = copyFind{at: -1}
		default:
			m.leaveCopy(c.id)
		}
	}
	return nil
}

// refreshCopy takes a new picture of the pane.
func (m *model) refreshCopy(c *copyView) cmd {
	m.leaveCopy(c.id)
	for _, t := range m.tiles(m.shown()) {
		if t.session.ID == c.id {
			m.enterCopy(t, c.peek)
		}
	}
	return nil
}

var copyMotions = map[keymap.Action]copymode.Motion{
	keymap.CopyLeft: copymode.Left, keymap.CopyRight: copymode.Right, keymap.CopyUp: copymode.Up, keymap.CopyDown: copymode.Down,
	keymap.CopyWord: copymode.WordForward, keymap.CopyWordBack: copymode.WordBack, keymap.CopyWordEnd: copymode.WordEnd,
	keymap.CopyLineStart: copymode.LineStart, keymap.CopyLineText: copymode.LineText, keymap.CopyLineEnd: copymode.LineEnd,
	keymap.CopyFirst: copymode.First, keymap.CopyLast: copymode.Last,
	keymap.CopyHalfUp: copymode.HalfUp, keymap.CopyHalfDown: copymode.HalfDown,
	keymap.CopyPageUp: copymode.PageUp, keymap.CopyPageDown: copymode.PageDown,
	keymap.CopyScrollUp: copymode.ScrollUp, keymap.CopyScrollDown: copymode.ScrollDown,
	keymap.CopyTop: copymode.ViewTop, keymap.CopyMiddle: copymode.ViewMiddle, keymap.CopyBottom: copymode.ViewBottom,
	keymap.CopyParaBack: copymode.PreviousPara, keymap.CopyPara: copymode.NextPara,
}
