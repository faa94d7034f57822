package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/edit"
	"ccdir/wire"
)

// Terminals without bracketed paste send pasted text as keys, and a slow line
// delivers what was typed in one piece. A megabyte of that must neither overflow a
// pane's queue nor be drawn key by key.
const (
	// burstKeys is from how many keys in one read on text goes as one piece.
	burstKeys = 16
	// pasteGap is the longest time from one piece of such a paste to the next one:
	// nobody presses Enter so soon after it.
	pasteGap = 500 * time.Millisecond
)

// keyRun are plain keys of one read on their way to one receiver: a pane, or the
// program if that is nil.
type keyRun struct {
	pane *pane.Pane
	keys []input.Key
}

// blankKeys are the keys that line breaks and tabs in pasted text are, rawKeys what
// they send.
var (
	blankKeys = map[string]string{"Enter": "\n", "C-j": "\n", "Tab": "\t"}
	rawKeys   = map[string]string{"Enter": "\r", "C-j": "\n", "Tab": "\t"}
)

// plain reports whether a key is one that pasted text consists of.
func plain(k input.Key) bool { return blankKeys[k.Name] != "" || typedText(k) != "" }

// typedText is the text that a key types, "" if it types none.
func typedText(k input.Key) string {
	switch {
	case k.Name == "Space":
		return " "
	case input.IsText(k.Press) && k.Name == k.Press.Text:
		return k.Press.Text
	}
	return ""
}

// collect takes a key into the run, after it was found out who gets it.
func (r *reader) collect(k input.Key) {
	p := r.router.direct(k.Name)
	if len(r.typed.keys) > 0 && r.typed.pane != p {
		r.sendRun()
		p = r.router.direct(k.Name) // what went to the program is not overtaken
	}
	r.typed.pane = p
	r.typed.keys = append(r.typed.keys, k)
}

// sendRun sends what was collected.
func (r *reader) sendRun() {
	p, keys := r.typed.pane, r.typed.keys
	if len(keys) == 0 {
		return
	}
	at := keys[0].At
	switch {
	case p == nil && len(keys) >= burstKeys:
		r.hand(typedMsg{burst: append([]input.Key(nil), keys...)}, at)
	case p == nil:
		for i := range keys {
			k := keys[i]
			r.hand(typedMsg{key: &k}, at)
		}
	default:
		r.router.touched(at)
		typeRun(p, keys)
	}
	clear(keys)
	r.typed = keyRun{keys: keys[:0]}
}

// typeRun gives keys to the session's program: by their names, or, if there are many,
// in one piece.
func typeRun(p *pane.Pane, keys []input.Key) {
	if len(keys) < burstKeys {
		for _, k := range keys {
			if text := directText(k); text == "" || !p.TypeText(text) {
				p.SendSoon(keyInput(k.Name, k.Press))
			}
		}
		return
	}
	var text []byte
	for _, k := range keys {
		text = append(text, cmp.Or(typedText(k), rawKeys[k.Name])...)
	}
	p.SendSoon(&wire.Input{Type: wire.InputRaw, Text: text})
}

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

// asksNow reports whether keys are answers: what comes at once is none.
func (m *model) asksNow() bool {
	switch d := m.overlay.(type) {
	case layer:
		return d.asks()
	case answerBar:
		return !d.writes() && d.step != answerSending && d.step != answerOver
	}
	return false
}

// pasteKeys puts the text of keys into the prompt bar and returns how many of them
// it took. An Enter at the end of what was typed is left, it sends: the last key, or
// the one before a key that no paste has, such as the prefix key. One with text
// behind it, or in a paste that goes on, is a line break.
func (m *model) pasteKeys(keys []input.Key) (n int, c cmd) {
	if kind := m.prompt.list.kind; kind == listHistory || kind == listTargets {
		return 0, nil
	}
	more := m.pasting(keys[0].At)
	run := keys
	if end := slices.IndexFunc(keys, func(k input.Key) bool { return !plain(k) }); end >= 0 {
		run = keys[:end]
	}
	lines := more || len(run) > 1 && slices.ContainsFunc(run[:len(run)-1], func(k input.Key) bool { return blankKeys[k.Name] == "\n" })
	var text strings.Builder
	for _, k := range keys {
		t := typedText(k)
		if t == "" && lines {
			t = blankKeys[k.Name]
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

// heldEnter says in the bar that an Enter that came alone was taken for a line break
// of a paste, and what sends. Nothing tells it from one of the paste on a slow line:
// such a line stalls as long as a hand needs, and to send half of a paste would be
// worse than to ask for the key once more. The next piece of the paste takes the
// words away again.
func (m *model) heldEnter(k input.Key) {
	if b, ok := m.keys.LookupIn(keymap.ModePrompt, k.Name); ok && b.Action == keymap.PromptSend {
		m.prompt.problem = "so soon after a paste " + k.Name + " is a line break of it: press it again to send"
	}
}
