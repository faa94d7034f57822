package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
)

// pasteGap is the longest time from one piece of a paste that comes as keys to the next
// one: nobody presses Enter so soon after it.
const pasteGap = 500 * time.Millisecond

// burst takes keys that came in one read. In the prompt bar they may be a paste;
// elsewhere they are keys.
func (m *model) burst(keys []input.Key) cmd {
	var cmds []cmd
	if m.mode == modePrompt && m.overlay == nil {
		n, c := m.pasteKeys(keys)
		keys = keys[n:]
		cmds = append(cmds, c)
	}
	if m.asksNow() {
		m.pastedAt = m.now()
		return nil
	}
	for _, k := range keys {
		cmds = append(cmds, m.key(k))
	}
	return tea.Batch(cmds...)
}

// asksNow reports whether keys answer a question: keys that come in one read do not.
func (m *model) asksNow() bool {
	switch d := m.overlay.(type) {
	case layer:
		return d.asks()
	case answerBar:
		return !d.writes() && d.step != answerSending && d.step != answerOver
	}
	return false
}

// pasteKeys puts the text of keys into the prompt bar and returns how many keys it took.
// It leaves an Enter at the end, which sends: the last key, or the one before a key that
// no paste contains, such as the prefix key. An Enter with text behind it, or in a paste
// that goes on, is a line break.
func (m *model) pasteKeys(keys []input.Key) (n int, c cmd) {
	if kind := m.prompt.list.kind; kind == listHistory || kind == listTargets {
		return 0, nil
	}
	more := m.pasting(keys[0].At)
	run := keys
	if end := slices.IndexFunc(keys, func(k input.Key) bool { return !k.Plain() }); end >= 0 {
		run = keys[:end]
	}
	lines := more || len(run) > 1 && slices.ContainsFunc(run[:len(run)-1], func(k input.Key) bool { return k.Blank() == "\n" })
	var text strings.Builder
	for _, k := range keys {
		t := k.Char()
		if t == "" && lines {
			t = k.Blank()
		}
		if t == "" {
			break
		}
		text.WriteString(t)
		n++
	}
	if n == 0 {
		return 0, nil
	}
	put := m.prompt.text.TryPaste
	if more {
		put = m.prompt.text.PasteMore
	}
	c = m.pasteInto(put, text.String())
	if lines || text.Len() >= edit.FoldBytes {
		m.pastedAt = m.now()
	}
	return n, c
}

// pasting reports whether a key that came then belongs to a paste that the terminal
// sends as keys.
func (m *model) pasting(at time.Time) bool { return at.Sub(m.pastedAt) < pasteGap }

// heldEnter says in the bar that an Enter that came alone was taken for a line break of a
// paste, and how to send. It cannot be distinguished from one in a paste on a slow line,
// which may stall as long as a person needs for a key; sending half of a paste would be
// worse than asking for the key again. The next piece of the paste clears the words.
func (m *model) heldEnter(k input.Key) {
	if b, ok := m.keys.LookupIn(keymap.ModePrompt, k.Name); ok && b.Action == keymap.PromptSend {
		m.prompt.problem = "so soon after a paste " + k.Name + " is a line break of it: press it again to send"
	}
}
