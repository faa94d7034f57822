package input

import (
	"bytes"
	"image/color"
	"strconv"
	"strings"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
)

// escapeTime is how long a lone ESC may be the beginning of a sequence. A terminal with
// kitty's keyboard protocol sends no lone ESC.
const escapeTime = 25 * time.Millisecond

// partTime is how long the beginning of a longer sequence or of a character waits for the
// rest: nobody types one by hand, and a slow line delivers it in parts. Parts that come
// too late would be typed into the pane.
const partTime = 500 * time.Millisecond

// behindTime is escapeTime behind the prefix key, where no program waits for Escape. The
// rest of an arrow key that came later would be typed as text.
const behindTime = 100 * time.Millisecond

// Patience is how long the bytes that are left may wait for more before Flush.
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

// x10Part reports whether b is an incomplete mouse event in X10's encoding (terminals
// without mode 1006, such as GNU screen).
func x10Part(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\x1b[M")) && len(b) < len("\x1b[M")+3 || x10Narrow(b) && len(b) < len("\x9bM")+3
}

// x10Narrow reports whether b begins with one whose CSI is a single byte: from a Latin-1
// terminal, or a binary paste.
func x10Narrow(b []byte) bool { return bytes.HasPrefix(b, []byte("\x9bM")) }

// maxReport bounds a report of the terminal, in bytes.
const maxReport = 64 << 10

// report classifies the beginning of the input as a control string.
type report uint8

const (
	reportNone  report = iota // no control string
	reportAlt                 // Alt with a key, and other keys after it
	reportPart                // its end is missing
	reportWhole               // complete
)

// reportOf looks at input that begins as a control string does (OSC, DCS, APC and others).
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

// altPart reports whether b is an incomplete sequence after another ESC: rxvt and iTerm2
// send Alt with the cursor keys so.
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

// schemeReport is the report of mode 2031: the terminal became dark (black) or light
// (white). The decoder emits it as a background colour.
type schemeReport struct{ color.Color }

// Unasked reports whether a background colour came unasked, by mode 2031.
func Unasked(ev uv.BackgroundColorEvent) bool { _, is := ev.Color.(schemeReport); return is }

// xColor parses the colour in a reply to OSC 10 or 11; nil: it has none. Terminals use X's
// notation: rgb:R/G/B with one to four hexadecimal digits each, rgba: with the opacity, or
// # and three numbers of one to four digits.
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

// Status reports whether an event is a status reply (DSR): ready, or malfunction.
func Status(ev uv.UnknownCsiEvent) bool { return ev == "\x1b[0n" || ev == "\x1b[3n" }
