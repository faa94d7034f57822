package keymap

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// special are the names of keys without a character, in tmux's spelling; the values are
// the spelling used here for keys that have several names.
var special = map[string]string{
	"enter": "Enter", "return": "Enter", "escape": "Escape", "esc": "Escape", "tab": "Tab", "btab": "BTab",
	"bspace": "BSpace", "backspace": "BSpace", "space": "Space",
	"up": "Up", "down": "Down", "left": "Left", "right": "Right", "home": "Home", "end": "End",
	"ppage": "PPage", "pageup": "PPage", "pgup": "PPage", "npage": "NPage", "pagedown": "NPage", "pgdn": "NPage",
	"ic": "IC", "insert": "IC", "dc": "DC", "delete": "DC",
}

// Normal returns the canonical spelling of a key's name, or an error that says what is
// wrong with it. Modifiers come first, in the order C- M- S-.
func Normal(name string) (string, error) {
	var ctrl, alt, shift bool
	rest := name
	if strings.HasPrefix(rest, "^") && utf8.RuneCountInString(rest) == 2 {
		ctrl, rest = true, rest[1:]
	}
	for len(rest) > 2 && rest[1] == '-' {
		switch rest[0] {
		case 'C', 'c':
			ctrl = true
		case 'M', 'm':
			alt = true
		case 'S', 's':
			shift = true
		default:
			return "", fmt.Errorf("key %q: the modifiers are C- (control), M- (alt) and S- (shift)", name)
		}
		rest = rest[2:]
	}
	base, err := normalBase(name, rest)
	if err != nil {
		return "", err
	}
	if utf8.RuneCountInString(base) == 1 {
		switch {
		case ctrl && strings.ToUpper(base) != strings.ToLower(base):
			base = strings.ToLower(base) // C-S-a keeps its shift
		case shift:
			base, shift = strings.ToUpper(base), false
		}
	}
	if base == "Tab" && shift && !ctrl && !alt {
		return "BTab", nil
	}
	return Join(ctrl, alt, shift, base), nil
}

func normalBase(name, rest string) (string, error) {
	if r, n := utf8.DecodeRuneInString(rest); n > 0 && n == len(rest) {
		if r == ' ' {
			return "Space", nil
		}
		if r != utf8.RuneError && unicode.IsPrint(r) {
			return rest, nil
		}
		return "", fmt.Errorf("key %q: not a printable character", name)
	}
	if s, ok := special[strings.ToLower(rest)]; ok {
		return s, nil
	}
	var n int
	if _, err := fmt.Sscanf(strings.ToUpper(rest), "F%d", &n); err == nil && n >= 1 && n <= 20 && strings.EqualFold(rest, fmt.Sprintf("F%d", n)) {
		return fmt.Sprintf("F%d", n), nil
	}
	return "", fmt.Errorf("key %q is not known: write one character, or a name such as C-b, M-x, Up, PPage, Enter, F5", name)
}

// Join puts modifiers before a key's name.
func Join(ctrl, alt, shift bool, base string) string {
	if !ctrl && !alt && !shift {
		return base
	}
	var b strings.Builder
	if ctrl {
		b.WriteString("C-")
	}
	if alt {
		b.WriteString("M-")
	}
	if shift {
		b.WriteString("S-")
	}
	b.WriteString(base)
	return b.String()
}
