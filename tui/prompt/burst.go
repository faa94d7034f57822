package prompt

import (
	"slices"
	"strings"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// PasteGap is the longest time from one piece of a paste that comes as keys to the next
// one: nobody presses Enter so soon after it.
const PasteGap = 500 * time.Millisecond

// Burst takes keys that came in one read, which may be a paste, and returns how many it
// took. The others are keys.
func (b *Bar) Burst(env ui.Env, keys []ui.Key) (n int, _ []ui.Effect) {
	n = b.pasteKeys(env, keys)
	return n, b.effects()
}

// pasteKeys puts the text of keys into the prompt bar and returns how many keys it took.
// It leaves an Enter at the end, which sends: the last key, or the one before a key that
// no paste contains, such as the prefix key. An Enter with text behind it, or in a paste
// that goes on, is a line break.
func (b *Bar) pasteKeys(env ui.Env, keys []ui.Key) (n int) {
	if kind := b.list.kind; kind == listHistory || kind == listTargets {
		return 0
	}
	more := b.Pasting(keys[0].At)
	run := keys
	if end := slices.IndexFunc(keys, func(k ui.Key) bool { return !k.Plain() }); end >= 0 {
		run = keys[:end]
	}
	lines := more || len(run) > 1 && slices.ContainsFunc(run[:len(run)-1], func(k ui.Key) bool { return k.Blank() == "\n" })
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
		return 0
	}
	put := b.text.TryPaste
	if more {
		put = b.text.PasteMore
	}
	b.pasteInto(env, put, text.String())
	if lines || text.Len() >= edit.FoldBytes {
		b.pasted = env.Now
	}
	return n
}

// Pasting reports whether a key that came then belongs to a paste that the terminal
// sends as keys.
func (b *Bar) Pasting(at time.Time) bool { return at.Sub(b.pasted) < PasteGap }

// heldEnter says in the bar that an Enter that came alone was taken for a line break of a
// paste, and how to send. It cannot be distinguished from one in a paste on a slow line,
// which may stall as long as a person needs for a key; sending half of a paste would be
// worse than asking for the key again. The next piece of the paste clears the words.
func (b *Bar) heldEnter(env ui.Env, k ui.Key) {
	if bound, ok := env.Keys.LookupIn(keymap.ModePrompt, k.Name); ok && bound.Action == keymap.PromptSend {
		b.problem = "so soon after a paste " + k.Name + " is a line break of it: press it again to send"
	}
}
