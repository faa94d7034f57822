package host

import (
	"bytes"
	"fmt"
	"strconv"

	"ccdir/internal/cells"
	"ccdir/sessions/screen"
	"ccdir/wire"
)

// OSC codes of colours: a palette entry, the foreground, the background, the cursor.
const (
	oscPalette    = 4
	oscForeground = 10
	oscBackground = 11
	oscCursor     = 12
)

// seen takes over the colours of a client's terminal if it has reported them, and tells an
// application that wants to know it (mode 2031) when they have become dark or light. h.mu is
// held.
func (h *host) seen(c wire.Colours) {
	if !c.Known {
		return
	}
	before := h.light()
	if h.colours = c; h.light() != before && h.eng.State().Modes.ColorScheme {
		h.addReply([]byte(screen.SchemeReport(!before)))
	}
}

// light reports whether the background is rather white than black. h.mu is held.
func (h *host) light() bool {
	b := h.colour(oscBackground)
	return 299*int(b.R)+587*int(b.G)+114*int(b.B) > 127*1000 // luma, of 255
}

// LightScheme implements screen.SchemeListener.
func (l *oscListener) LightScheme() bool { return l.h.light() }

// colour returns the colour that is queried by an OSC code: of the terminal of the client that was
// used last, also when it is gone; before any has reported its own, of the theme. h.mu is
// held.
func (h *host) colour(code int) wire.RGB {
	c := h.colours
	switch light := (wire.RGB{R: 0xff, G: 0xff, B: 0xff}); {
	case !c.Known && h.spec.Light:
		c.Background = light
	case !c.Known:
		c.Foreground = wire.RGB{R: 0xe5, G: 0xe5, B: 0xe5}
	}
	if code == oscBackground {
		return c.Background
	}
	return c.Foreground
}

// colourAnswer returns the replies to the colour queries in an OSC command; nil if it has
// none. Commands that set colours are ignored. h.mu is held.
func (h *host) colourAnswer(code int, data []byte, end string) (reply []byte) {
	if code == oscPalette {
		return paletteAnswer(data, end)
	}
	for spec := range bytes.SplitSeq(data, []byte{';'}) { // each further one is for the next code
		if code > oscCursor {
			break
		}
		if string(spec) == "?" {
			reply = appendColour(reply, strconv.Itoa(code), h.colour(code), end)
		}
		code++
	}
	return reply
}

// paletteAnswer returns the replies to queries of palette entries, in pairs of index and
// "?". The entries are those of xterm's palette: terminals are not asked for theirs.
func paletteAnswer(data []byte, end string) (reply []byte) {
	parts := bytes.Split(data, []byte{';'})
	for i := 0; i+1 < len(parts); i += 2 {
		n, err := strconv.ParseUint(string(parts[i]), 10, 8)
		if err != nil || string(parts[i+1]) != "?" {
			continue
		}
		r, g, b := cells.PaletteRGB(uint8(n))
		reply = appendColour(reply, fmt.Sprintf("%d;%d", oscPalette, n), wire.RGB{R: r, G: g, B: b}, end)
	}
	return reply
}

// appendColour appends a reply, with two bytes a component as xterm writes it.
func appendColour(dst []byte, what string, c wire.RGB, end string) []byte {
	return fmt.Appendf(dst, "\x1b]%s;rgb:%02[2]x%02[2]x/%02[3]x%02[3]x/%02[4]x%02[4]x%[5]s", what, c.R, c.G, c.B, end)
}
