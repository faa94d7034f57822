package keyenc

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"ccdir/sessions/screen"
)

// Flags of the kitty keyboard protocol that change how a press is encoded. Repeats and
// releases are not reported: clients do not send them.
const (
	kittyDisambiguate = 1
	KittyAllKeys      = 8
	kittyText         = 16
)

// Append appends the bytes of key k for an application with those modes, as xterm encodes
// it (ctlseqs, "Special Keyboard Keys"), or by the kitty keyboard protocol if the
// application has asked for it.
func Append(dst []byte, k Key, m screen.Modes) []byte {
	if m.KittyFlags&(kittyDisambiguate|KittyAllKeys) != 0 {
		return appendKittyKey(dst, k, m)
	}
	if k.special != 0 {
		return appendSpecial(dst, k, m)
	}
	if k.mods&modAlt != 0 {
		dst = append(dst, esc)
	}
	if k.mods&modCtrl != 0 && len(k.text) == 1 {
		return append(dst, control(k.text[0]))
	}
	if k.mods&modShift != 0 {
		return utf8.AppendRune(dst, unicode.ToUpper(k.r))
	}
	return append(dst, k.text...)
}

const esc = 0x1b

// control returns the control character of Ctrl with an ASCII character; c itself if there
// is none.
func control(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z', c >= '@' && c <= '_':
		return c & 0x1f
	case c == ' ', c == '2':
		return 0
	case c >= '3' && c <= '7':
		return c - '3' + 0x1b
	case c == '8', c == '?':
		return 0x7f
	case c == '/', c == '-':
		return 0x1f
	}
	return c
}

// appendSpecial appends a special key in the legacy encoding.
func appendSpecial(dst []byte, k Key, m screen.Modes) []byte {
	switch k.special {
	case keyEnter, keyKPEnter:
		dst = altPrefix(dst, k)
		if k.special == keyKPEnter && m.AppKeypad && k.mods == 0 {
			return append(dst, esc, 'O', 'M')
		}
		if m.NewLine {
			return append(dst, '\r', '\n')
		}
		return append(dst, '\r')
	case keyEscape:
		return append(altPrefix(dst, k), esc)
	case keyTab:
		dst = altPrefix(dst, k)
		if k.mods&modShift != 0 {
			return append(dst, esc, '[', 'Z')
		}
		return append(dst, '\t')
	case keyBSpace:
		dst = altPrefix(dst, k)
		if k.mods&modCtrl != 0 {
			return append(dst, '\b')
		}
		return append(dst, 0x7f)
	}
	if k.special >= keyKP0 {
		return appendKeypad(altPrefix(dst, k), k, m)
	}
	if final := cursorFinal(k.special); final != 0 {
		return appendLetter(dst, final, k.mods, m.AppCursor)
	}
	if k.special >= keyF1 {
		n := int(k.special - keyF1)
		mods := k.mods
		if n >= 12 { // as xterm's terminfo entry has them
			n -= 12
			mods |= modShift
		}
		if n < 4 {
			return appendLetter(dst, "PQRS"[n], mods, true)
		}
		return appendTilde(dst, functionNumbers[n], mods)
	}
	return appendTilde(dst, editNumber(k.special), k.mods)
}

func altPrefix(dst []byte, k Key) []byte {
	if k.mods&modAlt != 0 {
		return append(dst, esc)
	}
	return dst
}

// cursorFinal is the final byte of a cursor key's sequence; 0 for other keys.
func cursorFinal(s special) byte {
	switch s {
	case keyUp:
		return 'A'
	case keyDown:
		return 'B'
	case keyRight:
		return 'C'
	case keyLeft:
		return 'D'
	case keyHome:
		return 'H'
	case keyEnd:
		return 'F'
	}
	return 0
}

// functionNumbers are the numbers of F1 to F12 in their sequences.
var functionNumbers = [12]int{11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24}

// editNumber is the number of an editing key (Insert to PageDown) in its sequence.
func editNumber(s special) int {
	switch s {
	case keyInsert:
		return 2
	case keyDelete:
		return 3
	case keyPageUp:
		return 5
	}
	return 6
}

// appendLetter appends CSI or SS3 and a final letter; with modifiers always CSI.
func appendLetter(dst []byte, final byte, mods keyMods, ss3 bool) []byte {
	switch {
	case mods != 0:
		dst = append(dst, esc, '[', '1', ';', '1'+byte(mods))
	case ss3:
		dst = append(dst, esc, 'O')
	default:
		dst = append(dst, esc, '[')
	}
	return append(dst, final)
}

func appendTilde(dst []byte, n int, mods keyMods) []byte {
	dst = append(dst, esc, '[')
	dst = strconv.AppendInt(dst, int64(n), 10)
	if mods != 0 {
		dst = append(dst, ';', '1'+byte(mods))
	}
	return append(dst, '~')
}

// keypadText are the characters of the numeric keypad in numeric mode, in the order of the
// key constants.
const keypadText = "0123456789+-*/."

// keypadApp are the final bytes after SS3 in application mode.
const keypadApp = "pqrstuvwxykmjon"

func appendKeypad(dst []byte, k Key, m screen.Modes) []byte {
	i := k.special - keyKP0
	if m.AppKeypad && k.mods == 0 {
		return append(dst, esc, 'O', keypadApp[i])
	}
	return append(dst, keypadText[i])
}

// appendKittyKey appends a key in the kitty keyboard protocol.
func appendKittyKey(dst []byte, k Key, m screen.Modes) []byte {
	all := m.KittyFlags&KittyAllKeys != 0
	switch k.special {
	case 0:
		return appendKittyText(dst, k, m)
	case keyEscape:
		return appendKittyU(dst, 27, k.mods, "")
	case keyEnter:
		if k.mods == 0 && !all {
			return append(dst, '\r')
		}
		return appendKittyU(dst, 13, k.mods, "")
	case keyTab:
		if k.mods == 0 && !all {
			return append(dst, '\t')
		}
		return appendKittyU(dst, 9, k.mods, "")
	case keyBSpace:
		if k.mods == 0 && !all {
			return append(dst, 0x7f)
		}
		return appendKittyU(dst, 127, k.mods, "")
	case keyKPEnter:
		return appendKittyU(dst, 57414, k.mods, "")
	}
	if k.special >= keyKP0 {
		if k.mods == 0 && !all {
			return append(dst, keypadText[k.special-keyKP0])
		}
		// 57399 is KP_0; the operators follow in the order . / * - +.
		code := 57399 + int(k.special-keyKP0)
		if i := k.special - keyKPPlus; k.special >= keyKPPlus {
			code = [...]int{57413, 57412, 57411, 57410, 57409}[i]
		}
		return appendKittyU(dst, code, k.mods, "")
	}
	if final := cursorFinal(k.special); final != 0 {
		return appendLetter(dst, final, k.mods, false)
	}
	if k.special >= keyF1 {
		switch n := int(k.special - keyF1); {
		case n == 2: // CSI R is a cursor report
			return appendTilde(dst, 13, k.mods)
		case n < 4:
			return appendLetter(dst, "PQRS"[n], k.mods, false)
		case n >= 12:
			return appendKittyU(dst, 57376+n-12, k.mods, "")
		default:
			return appendTilde(dst, functionNumbers[n], k.mods)
		}
	}
	return appendTilde(dst, editNumber(k.special), k.mods)
}

func appendKittyText(dst []byte, k Key, m screen.Modes) []byte {
	all := m.KittyFlags&KittyAllKeys != 0
	if utf8.RuneCountInString(k.text) > 1 || !all && k.mods&^modShift == 0 {
		if k.mods&modShift != 0 && len(k.text) == utf8.RuneLen(k.r) {
			return utf8.AppendRune(dst, unicode.ToUpper(k.r))
		}
		return append(dst, k.text...)
	}
	code, mods := k.r, k.mods
	if l := unicode.ToLower(code); l != code {
		code, mods = l, mods|modShift
	}
	text := ""
	if all && m.KittyFlags&kittyText != 0 && mods&^modShift == 0 {
		text = k.text
		if mods&modShift != 0 {
			text = string(unicode.ToUpper(k.r))
		}
	}
	return appendKittyU(dst, int(code), mods, text)
}

func appendKittyU(dst []byte, code int, mods keyMods, text string) []byte {
	dst = append(dst, esc, '[')
	dst = strconv.AppendInt(dst, int64(code), 10)
	if mods != 0 || text != "" {
		dst = append(dst, ';')
		if mods != 0 {
			dst = append(dst, '1'+byte(mods))
		}
	}
	for i, r := range text {
		sep := byte(';')
		if i > 0 {
			sep = ':'
		}
		dst = strconv.AppendInt(append(dst, sep), int64(r), 10)
	}
	return append(dst, 'u')
}

// AppendFocus appends a focus report if the application wants focus events.
func AppendFocus(dst []byte, focused bool, m screen.Modes) []byte {
	switch {
	case !m.FocusEvents:
		return dst
	case focused:
		return append(dst, "\x1b[I"...)
	}
	return append(dst, "\x1b[O"...)
}
