package keyenc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key is one key press.
type Key struct {
	// special is one of the constants below; 0: a character key.
	special special
	// text is the character of a character key, one rune or a cluster of several; r is its
	// first rune.
	text string
	r    rune
	mods keyMods
}

type keyMods uint8

// Modifiers, with the bits that xterm and the kitty protocol add to 1.
const (
	modShift keyMods = 1 << iota
	modAlt
	modCtrl
)

type special uint8

// Special keys, named as tmux names them.
const (
	_ special = iota
	keyEnter
	keyEscape
	keyTab
	keyBTab
	keyBSpace
	keyUp
	keyDown
	keyRight
	keyLeft
	keyHome
	keyEnd
	keyInsert
	keyDelete
	keyPageUp
	keyPageDown
	keyF1 // … keyF1+23
)

// Keys of the numeric keypad: 0 to 9, + - * / . and Enter.
const (
	keyF24     = keyF1 + 23
	keyKP0     = keyF24 + 1 // … keyKP0+9
	keyKPPlus  = keyKP0 + 10
	keyKPMinus = keyKPPlus + 1
	keyKPMul   = keyKPPlus + 2
	keyKPDiv   = keyKPPlus + 3
	keyKPDot   = keyKPPlus + 4
	keyKPEnter = keyKPPlus + 5
)

// keyNames maps names in lower case to special keys.
var keyNames = map[string]special{
	"enter": keyEnter, "return": keyEnter, "escape": keyEscape, "esc": keyEscape,
	"tab": keyTab, "btab": keyBTab, "bspace": keyBSpace, "backspace": keyBSpace,
	"up": keyUp, "down": keyDown, "right": keyRight, "left": keyLeft,
	"home": keyHome, "end": keyEnd,
	"ic": keyInsert, "insert": keyInsert, "dc": keyDelete, "delete": keyDelete,
	"ppage": keyPageUp, "pageup": keyPageUp, "pgup": keyPageUp,
	"npage": keyPageDown, "pagedown": keyPageDown, "pgdn": keyPageDown,
	"kp+": keyKPPlus, "kp-": keyKPMinus, "kp*": keyKPMul, "kp/": keyKPDiv, "kp.": keyKPDot,
	"kpenter": keyKPEnter,
}

// Parse parses a key name as tmux spells it: a character or a name, with modifiers in front
// (C-, M-, S- in any order, also ^x).
func Parse(name string) (Key, error) {
	var k Key
	rest := name
	for len(rest) > 2 && rest[1] == '-' {
		m := map[byte]keyMods{'C': modCtrl, 'c': modCtrl, 'M': modAlt, 'm': modAlt, 'S': modShift, 's': modShift}[rest[0]]
		if m == 0 {
			break
		}
		k.mods |= m
		rest = rest[2:]
	}
	if len(rest) == 2 && rest[0] == '^' {
		k.mods |= modCtrl
		rest = rest[1:]
	}
	if s, ok := specialKey(rest); ok {
		k.special = s
		if s == keyBTab {
			k.special, k.mods = keyTab, k.mods|modShift
		}
		return k, nil
	}
	if strings.EqualFold(rest, "space") {
		rest = " "
	}
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case n == 0, r == utf8.RuneError && n == 1:
		return k, notKey(name)
	case n < len(rest) && !cluster(rest):
		return k, notKey(name)
	case r < ' ' || r == 0x7f:
		return controlKey(k, r)
	}
	k.r, k.text = r, rest
	return k, nil
}

// notKey is the error of an unknown name, of which it quotes the beginning.
func notKey(name string) error {
	return fmt.Errorf("%.40q is not the name of a key: those are Enter, Escape, C-c, F5 and the like, or one character (`ccdir keys -l` types text)", name)
}

// controlKey returns the key that types a control character.
func controlKey(k Key, r rune) (Key, error) {
	switch r {
	case '\r', '\n':
		k.special = keyEnter
	case '\t':
		k.special = keyTab
	case 0x1b:
		k.special = keyEscape
	case 0x7f:
		k.special = keyBSpace
	default:
		k.mods |= modCtrl
		k.r = unicode.ToLower(r + '@')
		k.text = string(k.r)
	}
	return k, nil
}

func specialKey(name string) (special, bool) {
	lower := strings.ToLower(name)
	if s, ok := keyNames[lower]; ok {
		return s, true
	}
	if len(lower) >= 2 && lower[0] == 'f' {
		if n, ok := smallNumber(lower[1:]); ok && n >= 1 && n <= 24 {
			return keyF1 + special(n-1), true
		}
	}
	if len(lower) == 3 && strings.HasPrefix(lower, "kp") && lower[2] >= '0' && lower[2] <= '9' {
		return keyKP0 + special(lower[2]-'0'), true
	}
	return 0, false
}

func smallNumber(s string) (n int, ok bool) {
	if len(s) > 2 || s[0] == '0' {
		return 0, false
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// cluster reports whether s may be one character of several runes, from an input method or
// an emoji key: short, valid, without control characters, with at least one rune beyond
// ASCII.
func cluster(s string) bool {
	if len(s) > 64 || !utf8.ValidString(s) {
		return false
	}
	beyond := false
	for _, r := range s {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return false
		}
		beyond = beyond || r >= 0x80
	}
	return beyond
}

// EvidenceName is the key's name in evidence: keys that matter for an agent's state have
// names, all others are "text".
func (k Key) EvidenceName() string {
	switch {
	case k.special == keyEscape && k.mods == 0:
		return "Escape"
	case k.special == keyEnter || k.special == keyKPEnter:
		return "Enter"
	case k.special == 0 && k.mods == modCtrl && (k.r == 'c' || k.r == 'd' || k.r == 'z'):
		return "C-" + k.text
	case k.special == 0 && k.mods == 0 && len(k.text) == 1 && k.r >= '0' && k.r <= '9':
		return k.text
	}
	return "text"
}

// ParseTyped parses one key name, or several joined by spaces. Unknown names are left out.
func ParseTyped(text string) []Key {
	if k, err := Parse(text); err == nil {
		return []Key{k}
	}
	var keys []Key
	for name := range strings.FieldsSeq(text) {
		if k, err := Parse(name); err == nil {
			keys = append(keys, k)
		}
	}
	return keys
}

func ParseAll(names []string) ([]Key, error) {
	keys := make([]Key, 0, len(names))
	for _, n := range names {
		k, err := Parse(n)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// RawEvidence is the evidence name of raw input.
func RawEvidence(raw []byte) string {
	if len(raw) == 1 {
		switch c := raw[0]; {
		case c == esc:
			return "Escape"
		case c == '\r':
			return "Enter"
		case c == 3:
			return "C-c"
		case c == 4:
			return "C-d"
		case c == 0x1a:
			return "C-z"
		case c >= '0' && c <= '9':
			return string(rune(c))
		}
	}
	switch i := bytes.LastIndexByte(raw, '\r'); {
	case i < 0:
		return "text"
	case i == len(raw)-1:
		return "text Enter"
	}
	return "text Enter text"
}

// ClearsLine reports whether the keys empty an input line, by Ctrl-U.
func ClearsLine(keys []Key) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.special == 0 && k.mods == modCtrl && k.r == 'u' })
}
