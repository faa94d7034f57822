package tui

import (
	"slices"
	"strings"

	"ccdir/internal/keymap"
	"ccdir/tui/terminal/input"
	"ccdir/tui/widget/modal"
)

// openers lead to where the keys of a mode are pressed. Keys that only move through
// lists are in none of them.
var openers = map[keymap.Mode]keymap.Action{
	keymap.ModeAnswer: keymap.Attention, keymap.ModeList: keymap.List, keymap.ModeBorders: keymap.Borders, keymap.ModePrompt: keymap.Prompt,
	keymap.ModeCopy: keymap.Copy, keymap.ModeEvents: keymap.Events, keymap.ModeQueue: keymap.Queue, keymap.ModeDecisions: keymap.Decisions,
	keymap.ModeCalls: keymap.Calls, keymap.ModeHistory: keymap.History, keymap.ModeRestore: keymap.Restore,
}

// allCommands are what the palette offers: the actions after the prefix key, those
// that are not possible now last, then those of other modes.
func allCommands(keys *keymap.Map, f keymap.Facts) []pick {
	var can, cannot, elsewhere []pick
	for _, b := range keys.Bindings() {
		c := pick{text: b.Text, detail: string(b.Action), keys: keys.Hint(b.Action), disabled: b.Disabled(f)}
		switch mode := keymap.ModeOf(b.Group); {
		case b.Action == keymap.Palette:
		case mode != keymap.ModePrefix:
			if open, ok := openers[mode]; ok {
				elsewhere = append(elsewhere, inMode(keys, f, b, keys.Of(open)))
			}
		case c.disabled != "":
			cannot = append(cannot, c)
		default:
			c.run = func(m *model) cmd { return m.chosen(b) }
			can = append(can, c)
		}
	}
	return append(append(can, cannot...), elsewhere...)
}

// inMode is an action that is done by a key somewhere else: choosing it goes there
// and tells the key.
func inMode(keys *keymap.Map, f keymap.Facts, b, open keymap.Binding) pick {
	c := pick{text: strings.ToLower(b.Group) + ": " + b.Text, detail: string(b.Action), disabled: open.Disabled(f), far: true}
	if c.disabled == "" {
		c.disabled = b.Disabled(f)
	}
	key := "" // the prefix key is none there
	if i := slices.IndexFunc(b.Keys, func(k string) bool { return k != keys.Prefix() }); i >= 0 {
		key = modal.ShortKey(b.Keys[i])
	}
	if first := keys.Hint(open.Action); key != "" && first != "" {
		c.keys = first + " " + key
	}
	c.run = func(m *model) cmd {
		next := m.run(open, input.Key{At: m.now()})
		if key != "" {
			m.say(key + ": " + b.Text)
		}
		return next
	}
	return c
}

// chosen runs an action that was chosen in the palette.
func (m *model) chosen(b keymap.Binding) cmd {
	if b.Action == keymap.FocusN { // its keys say which
		return m.openChooser(false)
	}
	return m.run(b, input.Key{At: m.now()})
}
