package input

import (
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
)

// keyNames are tmux's names of the keys without a character.
var keyNames = map[rune]string{
	tea.KeyUp: "Up", tea.KeyDown: "Down", tea.KeyLeft: "Left", tea.KeyRight: "Right",
	tea.KeyHome: "Home", tea.KeyEnd: "End", tea.KeyFind: "Home", tea.KeySelect: "End",
	tea.KeyPgUp: "PPage", tea.KeyPgDown: "NPage", tea.KeyInsert: "IC", tea.KeyDelete: "DC",
	tea.KeyEnter: "Enter", tea.KeyEscape: "Escape", tea.KeyTab: "Tab", tea.KeyBackspace: "BSpace", tea.KeySpace: "Space",
	tea.KeyKpEnter: "KPEnter", tea.KeyKpMultiply: "KP*", tea.KeyKpPlus: "KP+", tea.KeyKpMinus: "KP-",
	tea.KeyKpDecimal: "KP.", tea.KeyKpDivide: "KP/", tea.KeyKpEqual: "=", tea.KeyKpComma: ",", tea.KeyKpSep: ",",
	tea.KeyKp0: "KP0", tea.KeyKp1: "KP1", tea.KeyKp2: "KP2", tea.KeyKp3: "KP3", tea.KeyKp4: "KP4",
	tea.KeyKp5: "KP5", tea.KeyKp6: "KP6", tea.KeyKp7: "KP7", tea.KeyKp8: "KP8", tea.KeyKp9: "KP9",
	tea.KeyKpUp: "Up", tea.KeyKpDown: "Down", tea.KeyKpLeft: "Left", tea.KeyKpRight: "Right",
	tea.KeyKpPgUp: "PPage", tea.KeyKpPgDown: "NPage", tea.KeyKpHome: "Home", tea.KeyKpEnd: "End",
	tea.KeyKpInsert: "IC", tea.KeyKpDelete: "DC",
}

// functionKeys is how many function keys a PC keyboard has. Terminals encode higher ones
// for Shift (13-24) and Control (25-36).
const functionKeys = 12

// KeyName is the name of a key as tmux spells it, in keymap.Normal's form, ""
// for keys that have none (modifiers alone, media keys). A key that produces
// text is named by that text, which may be several runes (an emoji, what an
// input method commits).
func KeyName(k tea.Key) string {
	ctrl := k.Mod&tea.ModCtrl != 0
	alt := k.Mod&(tea.ModAlt|tea.ModMeta) != 0
	shift := k.Mod&tea.ModShift != 0
	if k.Code >= tea.KeyF1 && k.Code <= tea.KeyF63 {
		return functionKey(int(k.Code-tea.KeyF1)+1, ctrl, alt, shift)
	}
	if name, ok := keyNames[k.Code]; ok && !(name == "Space" && windowKey(k)) {
		return namedKey(name, k, ctrl, alt, shift)
	}
	if windowKey(k) {
		return ""
	}
	if k.Text != "" && !ctrl && !alt {
		if k.Text == " " {
			return "Space"
		}
		return k.Text
	}
	if k.Code > unicode.MaxRune || k.Code < ' ' || k.Code == 0x7f || !unicode.IsPrint(k.Code) {
		return ""
	}
	return characterKey(k, ctrl, alt, shift)
}

// windowKey reports whether a key is pressed with a modifier of the window system (Super,
// Cmd). With a character it is not for us, and must not type that.
func windowKey(k tea.Key) bool { return k.Mod&(tea.ModSuper|tea.ModHyper) != 0 }

// namedKey puts the modifiers before a key's name.
func namedKey(name string, k tea.Key, ctrl, alt, shift bool) string {
	if utf8.RuneCountInString(name) == 1 || k.Code >= tea.KeyKpEnter && k.Code <= tea.KeyKp9 {
		shift = false // on the keypad, Shift inverts Num Lock
	}
	switch {
	case name == "Tab" && shift && !ctrl && !alt:
		return "BTab"
	case name == "Space" && shift && !ctrl && !alt:
		return "Space"
	}
	return keymap.Join(ctrl, alt, shift, name)
}

// characterKey names a key with a character and modifiers. Shift is in the
// character where there is no Control: M-A, but C-S-a.
func characterKey(k tea.Key, ctrl, alt, shift bool) string {
	c := k.Code
	switch {
	case ctrl:
		if c >= utf8.RuneSelf && k.BaseCode != 0 { // C-b exists on every layout
			c = k.BaseCode
		}
		c = unicode.ToLower(c)
		if shift && unicode.ToUpper(c) == c {
			shift = false
			if k.ShiftedCode != 0 {
				c = k.ShiftedCode
			}
		}
	case shift && k.ShiftedCode != 0:
		c, shift = k.ShiftedCode, false
	case shift:
		c, shift = unicode.ToUpper(c), false
	}
	return keymap.Join(ctrl, alt, shift, string(c))
}

func functionKey(n int, ctrl, alt, shift bool) string {
	switch {
	case n > 3*functionKeys:
		return ""
	case n > 2*functionKeys:
		n, ctrl = n-2*functionKeys, true
	case n > functionKeys:
		n, shift = n-functionKeys, true
	}
	digits := string(rune('0' + n%10))
	if n >= 10 {
		digits = "1" + digits
	}
	return keymap.Join(ctrl, alt, shift, "F"+digits)
}

// IsText reports whether a key types the text that is its name.
func IsText(k tea.Key) bool {
	return k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta) == 0
}
