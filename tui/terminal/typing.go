package terminal

import (
	"cmp"
	"unicode/utf8"

	"ccdir/tui/pane"
	"ccdir/tui/terminal/input"
	"ccdir/wire"
)

// Plain keys are the keys of text. Those of one read are sent together: terminals without
// bracketed paste send pasted text as keys, and a slow line delivers several keys at once.
// A megabyte of that must neither overflow a pane's queue nor be drawn key
// by key.

// burstKeys is from how many keys in one read on text goes as one piece.
const burstKeys = 16

// keyRun are plain keys of one read for one receiver: a pane, or the program if pane is
// nil.
type keyRun struct {
	pane *pane.Pane
	keys []input.Key
}

// rawKeys are the bytes that plain keys without a character send.
var rawKeys = map[string]string{"Enter": "\r", "C-j": "\n", "Tab": "\t"}

// collect takes a key into the run, once its receiver is known.
func (r *Reader) collect(k input.Key) {
	p := r.Router.direct(k.Name)
	if len(r.typed.keys) > 0 && r.typed.pane != p {
		r.sendRun()
		p = r.Router.direct(k.Name) // keys that went to the program are not overtaken
	}
	r.typed.pane = p
	r.typed.keys = append(r.typed.keys, k)
}

// sendRun sends the run.
func (r *Reader) sendRun() {
	p, keys := r.typed.pane, r.typed.keys
	if len(keys) == 0 {
		return
	}
	at := keys[0].At
	switch {
	case p == nil && len(keys) >= burstKeys:
		r.hand(Typed{Burst: append([]input.Key(nil), keys...)}, at)
	case p == nil:
		for i := range keys {
			k := keys[i]
			r.hand(Typed{Key: &k}, at)
		}
	default:
		r.Router.NoteInput(at)
		typeKeys(p, keys)
	}
	clear(keys)
	r.typed = keyRun{keys: keys[:0]}
}

// typeKeys gives plain keys to a pane: by their names or as text, or, if there are many, as
// one piece of text.
func typeKeys(p *pane.Pane, keys []input.Key) {
	if len(keys) < burstKeys {
		for _, k := range keys {
			if text := directText(k); text == "" || !p.TypeText(text) {
				p.SendSoon(KeyInput(k))
			}
		}
		return
	}
	var text []byte
	for _, k := range keys {
		text = append(text, cmp.Or(k.Char(), rawKeys[k.Name])...)
	}
	p.SendSoon(&wire.Input{Type: wire.InputRaw, Text: text})
}

// KeyInput is a key for a host. Several characters that an input method commits at once
// have no name and are sent as text.
func KeyInput(k input.Key) *wire.Input {
	if input.IsText(k.Press) && utf8.RuneCountInString(k.Press.Text) > 1 {
		return &wire.Input{Type: wire.InputRaw, Text: []byte(k.Press.Text)}
	}
	return &wire.Input{Type: wire.InputKey, Text: []byte(k.Name)}
}

// directText is the text of a key that may bypass the host, "" if it may not: it must mean
// the same to every program, and nothing to the session's state. Digits answer dialogs.
func directText(k input.Key) string {
	text := k.Char()
	if len(text) == 1 && text[0] >= '0' && text[0] <= '9' {
		return ""
	}
	return text
}
