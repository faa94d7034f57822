package copymode

import (
	"strings"

	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/copymode/core"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
)

// Key handles a key for the focused pane, which is in copy mode.
func (p *Panes) Key(env ui.Env, k ui.Key) (effects []ui.Effect, taken bool) {
	v := p.views[env.Focus]
	if v == nil {
		return nil, false
	}
	return p.key(env, v, k), true
}

func (p *Panes) key(env ui.Env, v *View, k ui.Key) []ui.Effect {
	v.toFirst, v.editing = false, false
	if v.find.typing {
		return v.findKey(k)
	}
	if v.peek {
		return p.peekKey(env, v, k)
	}
	if n, digit := digitOf(k.Name); digit && (n > 0 || v.count > 0) {
		v.count = min(v.count*10+n, 999_999)
		return nil
	}
	b, ok := env.Keys.LookupIn(keymap.ModeCopy, k.Name)
	if !ok {
		v.count = 0
		return warn("copy mode has no key " + textsafe.Line(k.Name) + ": " + env.Keys.Hint(keymap.CopyLeave) + " leaves it, " + env.Keys.Hint(keymap.Help) + " lists the keys")
	}
	return p.act(env, v, b.Action)
}

// peekKey: keys that scroll go on scrolling, a copying one copies, and all others are for
// the program in the pane.
func (p *Panes) peekKey(env ui.Env, v *View, k ui.Key) []ui.Effect {
	switch k.Name {
	case "PPage", "NPage", "S-Up", "S-Down":
		b, _ := env.Keys.LookupIn(keymap.ModeCopy, k.Name)
		v.st.Move(motions[b.Action], 1)
		p.endPeek(v)
		return nil
	case "Escape":
		p.Leave(v.id)
		return nil
	}
	p.Leave(v.id)
	return []ui.Effect{ui.Pass{Input: terminal.KeyInput(k)}}
}

// endPeek leaves what the mouse opened when the newest line is back in view and nothing
// is selected.
func (p *Panes) endPeek(v *View) {
	if v.peek && !v.dragging && v.st.AtBottom() && v.st.Kind == core.None {
		p.Leave(v.id)
	}
}

func digitOf(name string) (int, bool) {
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
		return int(name[0] - '0'), true
	}
	return 0, false
}

// act runs an action of copy mode.
func (p *Panes) act(env ui.Env, v *View, a keymap.Action) []ui.Effect {
	n := v.count
	v.count = 0
	if motion, ok := motions[a]; ok {
		if a == keymap.CopyWordEnd && v.st.Kind == core.None {
			v.openEditor()
			return nil
		}
		if a == keymap.CopyFirst {
			v.all = true
			v.toFirst = !v.complete
		}
		v.st.Move(motion, n)
		return nil
	}
	switch a {
	case keymap.CopyFind, keymap.CopyFindBack:
		v.openFind(a == keymap.CopyFindBack)
	case keymap.CopyNext, keymap.CopyPrev:
		return v.findNext(a == keymap.CopyPrev, max(n, 1))
	case keymap.CopyChars:
		v.st.Select(core.Char)
	case keymap.CopyLines:
		v.st.Select(core.Lines)
	case keymap.CopyBlock:
		v.st.Select(core.Block)
	case keymap.CopyOther:
		v.st.Swap()
	case keymap.CopyYank:
		return p.yank(v, true)
	case keymap.CopyEditor:
		v.openEditor()
	case keymap.CopyFresh:
		return p.fresh(env, v)
	case keymap.CopyLeave:
		p.Leave(v.id)
	case keymap.CopyClear:
		switch {
		case v.st.Kind != core.None:
			v.st.Kind = core.None
		case v.find.query != "":
			v.stopFind()
			v.find = find{at: -1}
		default:
			p.Leave(v.id)
		}
	}
	return nil
}

// fresh takes a new picture of the pane.
func (p *Panes) fresh(env ui.Env, v *View) []ui.Effect {
	p.Leave(v.id)
	t, ok := env.Tile(v.id)
	if !ok {
		return nil
	}
	_, effects := p.enter(t, v.peek)
	return effects
}

// yank copies the selection, or the cursor's line if there is none; leave ends copy mode
// then.
func (p *Panes) yank(v *View, leave bool) []ui.Effect {
	st := v.st
	if st.Kind == core.None {
		st.Anchor, st.Kind = st.Cursor, core.Lines
	}
	text := st.Text()
	if leave {
		p.Leave(v.id)
	}
	switch {
	case strings.TrimSpace(text) != "":
		return []ui.Effect{ui.Copy{Text: text}}
	case leave:
		return say("nothing but blanks is selected: nothing was copied")
	}
	return nil
}

var motions = map[keymap.Action]core.Motion{
	keymap.CopyLeft: core.Left, keymap.CopyRight: core.Right, keymap.CopyUp: core.Up, keymap.CopyDown: core.Down,
	keymap.CopyWord: core.WordForward, keymap.CopyWordBack: core.WordBack, keymap.CopyWordEnd: core.WordEnd,
	keymap.CopyLineStart: core.LineStart, keymap.CopyLineText: core.LineText, keymap.CopyLineEnd: core.LineEnd,
	keymap.CopyFirst: core.First, keymap.CopyLast: core.Last,
	keymap.CopyHalfUp: core.HalfUp, keymap.CopyHalfDown: core.HalfDown,
	keymap.CopyPageUp: core.PageUp, keymap.CopyPageDown: core.PageDown,
	keymap.CopyScrollUp: core.ScrollUp, keymap.CopyScrollDown: core.ScrollDown,
	keymap.CopyTop: core.ViewTop, keymap.CopyMiddle: core.ViewMiddle, keymap.CopyBottom: core.ViewBottom,
	keymap.CopyParaBack: core.PreviousPara, keymap.CopyPara: core.NextPara,
}
