package input

import (
	"bytes"
	"image/color"
	"strconv"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// escapeTime is how long a lone ESC may be the beginning of a sequence. A
// terminal with kitty's keyboard protocol doesn't send lone ones.
const escapeTime = 25 * time.Millisecond

// partTime is how long the beginning of a sequence or of a character waits for the
// rest: nobody types one, and on a slow line its parts come apart. What came too
// late would be typed into the pane.
const partTime = 500 * time.Millisecond

// behindTime is escapeTime behind the prefix key, where no program waits for an Escape:
// the rest of an arrow key that came later would move nothing and be typed.
const behindTime = 100 * time.Millisecond

// Patience is how long what is left may wait for more bytes before Flush takes it
// for what it is.
func (d *Decoder) Patience() time.Duration {
	b := d.buf
	if len(b) > 3 && b[0] == 0x1b && b[1] == 0x1b {
		b = b[1:]
	}
	switch {
	case len(b) == 0:
		return escapeTime
	case b[0] >= 0x80: // a part of a character
		return partTime
	case len(b) > 2 && b[0] == 0x1b && strings.IndexByte("[]P_^X", b[1]) >= 0:
		return partTime
	case d.behind:
		return behindTime
	}
	return escapeTime
}

// x10Part reports whether b is a mouse event in X10's encoding (of terminals without
// mode 1006, GNU screen for one) of which bytes are missing.
func x10Part(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\x1b[M")) && len(b) < len("\x1b[M")+3 || x10Narrow(b) && len(b) < len("\x9bM")+3
}

// x10Narrow reports whether b begins with one whose CSI is a single byte: a Latin-1
// terminal's, or a paste that is no text.
func x10Narrow(b []byte) bool { return bytes.HasPrefix(b, []byte("\x9bM")) }

// maxReport bounds a report of the terminal, in bytes.
const maxReport = 64 << 10

// report is what the beginning of the input is, seen as a string of the terminal.
type report uint8

const (
	reportNone  report = iota // nothing of the kind
	reportAlt                 // Alt with a key, and other keys after it
	reportPart                // its end is missing
	reportWhole               // it is all there
)

// reportOf looks at what begins as strings do (OSC, DCS, APC and the like).
func reportOf(b []byte) report {
	if len(b) < 3 || b[0] != 0x1b {
		return reportNone
	}
	begins := map[byte]string{']': "0123456789lLI", 'P': "0123456789>!+$=|?", '_': "G", '^': "", 'X': ""}
	with, is := begins[b[1]]
	switch {
	case !is:
		return reportNone
	case strings.IndexByte(with, b[2]) < 0:
		return reportAlt
	case bytes.Contains(b, []byte("\x1b\\")), bytes.ContainsAny(b, "\x18\x1a"), b[1] == ']' && bytes.IndexByte(b, '\a') >= 0, len(b) >= maxReport:
		return reportWhole
	}
	return reportPart
}

// altPart reports whether b is a sequence after another Escape, as rxvt and iTerm2
// send Alt with the cursor keys, of which bytes are missing.
func altPart(b []byte) bool {
	if len(b) < 3 || b[0] != 0x1b || b[1] != 0x1b {
		return false
	}
	switch b[2] {
	case 'O':
		return len(b) == 3
	case '[':
		return bytes.IndexFunc(b[3:], func(r rune) bool { return r >= '@' || r == '$' || r == '^' }) < 0
	}
	return false
}

// schemeReport is what a terminal in mode 2031 tells of itself when it becomes dark
// (black) or light (white). The decoder gives it as a background, which it is as far
// as the palette goes.
type schemeReport struct{ color.Color }

// Unasked reports whether a background was told unasked, by mode 2031.
func Unasked(ev uv.BackgroundColorEvent) bool { _, is := ev.Color.(schemeReport); return is }

// xColor reads the colour in an answer to OSC 11, nil if it is none. Terminals write
// it as X does: rgb:R/G/B with one to four hexadecimal digits each, rgba: with the
// opacity, or # and three numbers of one to four digits.
func xColor(answer []byte) color.Color {
	s := string(answer)
	_, s, _ = strings.Cut(s, ";")
	for _, end := range []string{"\\", "\x1b", "\a", "\x9c"} {
		s = strings.TrimSuffix(s, end)
	}
	var parts []string
	switch name, rest, _ := strings.Cut(s, ":"); {
	case strings.HasPrefix(s, "#"):
		n := len(s) / 3
		if n == 0 || len(s) != 1+3*n {
			return nil
		}
		parts = []string{s[1 : 1+n], s[1+n : 1+2*n], s[1+2*n:]}
	case strings.EqualFold(name, "rgb"), strings.EqualFold(name, "rgba"):
		parts = strings.Split(rest, "/")
		if len(parts) != len(name) {
			return nil
		}
	default:
		return nil
	}
	var rgb [3]uint8
	for i := range rgb {
		v, err := strconv.ParseUint(parts[i], 16, 16)
		if err != nil || len(parts[i]) > 4 {
			return nil
		}
		rgb[i] = uint8(v * 255 / (1<<(4*len(parts[i])) - 1))
	}
	return color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 0xff}
}

// Status reports whether an event is the answer to the question for the terminal's
// status (DSR): that it is well, or not.
func Status(ev uv.UnknownCsiEvent) bool { return ev == "\x1b[0n" || ev == "\x1b[3n" }
