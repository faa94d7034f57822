package ansi

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"ccdir/api"
	"ccdir/wire"
)

// Inputs converts a message to inputs of the host's protocol.
func Inputs(in api.AttachInput) []*wire.Input {
	switch {
	case in.Type == api.AttachKeys:
		if len(in.Keys) == 0 {
			return nil
		}
		return []*wire.Input{{Type: wire.InputKey, Text: []byte(strings.Join(in.Keys, " "))}}
	case in.Data == "":
		return nil
	case in.Type == api.AttachPaste:
		return []*wire.Input{{Type: wire.InputPaste, Text: []byte(in.Data)}}
	}
	if key := keyName(in.Data); key != "" {
		return []*wire.Input{{Type: wire.InputKey, Text: []byte(key)}}
	}
	if events := mouseEvents(in.Data); events != nil {
		return events
	}
	if text, ok := strings.CutPrefix(in.Data, "\x1b[200~"); ok {
		if text, ok = strings.CutSuffix(text, "\x1b[201~"); ok {
			return []*wire.Input{{Type: wire.InputPaste, Text: []byte(text)}}
		}
	}
	switch in.Data {
	case "\x1b[I", "\x1b[O":
		return []*wire.Input{{Type: wire.InputFocus, Focused: in.Data == "\x1b[I"}}
	}
	return []*wire.Input{{Type: wire.InputRaw, Text: []byte(in.Data)}}
}

// sequences maps what terminals send for keys in their default modes to names of keys.
// The client's terminal does not have the application's modes, so the host encodes the
// keys again.
var sequences = map[string]string{
	"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End", "Z": "BTab",
	"2~": "IC", "3~": "DC", "5~": "PPage", "6~": "NPage",
	"15~": "F5", "17~": "F6", "18~": "F7", "19~": "F8", "20~": "F9", "21~": "F10", "23~": "F11", "24~": "F12",
}

// modifiers are xterm's parameters of keys with modifiers.
var modifiers = map[string]string{"2": "S-", "3": "M-", "4": "S-M-", "5": "C-", "6": "C-S-", "7": "C-M-", "8": "C-S-M-"}

// keyName returns the name of the key if data is one key as a terminal sends it, and ""
// otherwise.
func keyName(data string) string {
	if len(data) == 1 {
		switch c := data[0]; {
		case c == '\r':
			return "Enter"
		case c == '\t':
			return "Tab"
		case c == 0x1b:
			return "Escape"
		case c == 0x7f:
			return "BSpace"
		case c >= 1 && c <= 26:
			return "C-" + string(rune('a'+c-1))
		}
		return ""
	}
	if rest, ok := strings.CutPrefix(data, "\x1bO"); ok && len(rest) == 1 {
		if rest[0] >= 'P' && rest[0] <= 'S' {
			return "F" + strconv.Itoa(int(rest[0]-'P')+1)
		}
		return sequences[rest]
	}
	rest, ok := strings.CutPrefix(data, "\x1b[")
	if !ok {
		if rest, ok := strings.CutPrefix(data, "\x1b"); ok && utf8.RuneCountInString(rest) == 1 && rest[0] > ' ' && rest[0] != 0x7f {
			return "M-" + rest
		}
		return ""
	}
	if name := sequences[rest]; name != "" {
		return name
	}
	// 1;MX and N;M~ have a modifier.
	number, after, ok := strings.Cut(rest, ";")
	if !ok || len(after) != 2 {
		return ""
	}
	mods, final := modifiers[after[:1]], after[1:]
	switch {
	case mods == "":
		return ""
	case number == "1" && final[0] >= 'P' && final[0] <= 'S':
		return mods + "F" + strconv.Itoa(int(final[0]-'P')+1)
	case number == "1":
		final = sequences[final]
	default:
		final = sequences[number+final]
	}
	if final == "" {
		return ""
	}
	return mods + final
}

// mouseEvents decodes mouse events in the SGR encoding (1006); nil if data is anything
// else. The host encodes them for the application's modes.
func mouseEvents(data string) (list []*wire.Input) {
	for data != "" {
		rest, ok := strings.CutPrefix(data, "\x1b[<")
		end := strings.IndexAny(rest, "mM")
		if !ok || end < 0 {
			return nil
		}
		fields := strings.Split(rest[:end], ";")
		var n [3]int
		if len(fields) != len(n) {
			return nil
		}
		for i, f := range fields {
			v, err := strconv.ParseUint(f, 10, 16)
			if err != nil {
				return nil
			}
			n[i] = int(v)
		}
		list = append(list, &wire.Input{Type: wire.InputMouse, Mouse: mouseEvent(n[0], n[1], n[2], rest[end] == 'm')})
		data = rest[end+1:]
	}
	return list
}

// mouseEvent converts one event; code, x and y are as in the sequence.
func mouseEvent(code, x, y int, release bool) wire.MouseEvent {
	e := wire.MouseEvent{X: max(x-1, 0), Y: max(y-1, 0), Shift: code&4 != 0, Alt: code&8 != 0, Ctrl: code&16 != 0}
	button := code & 3
	switch {
	case code >= 128:
		e.Button = uint8(8 + button)
	case code&64 != 0:
		e.Button = uint8(4 + button)
	case button < 3:
		e.Button = uint8(1 + button)
	}
	switch {
	case release:
		e.Action = wire.MouseRelease
	case code&32 != 0:
		e.Action = wire.MouseMotion
	}
	return e
}
