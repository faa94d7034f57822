package demo

import (
	"encoding/base64"
	"slices"
	"strings"
)

// maxFinished bounds the texts that are kept for redrawing.
const maxFinished = 1000

// show prints finished texts above the frame and repaints the frame if it changed, in
// one write: it erases the old frame line by line upwards, as Ink does. After a resize
// lines have moved, so the whole screen is redrawn.
func (a *app) show(texts ...string) {
	a.finished = append(a.finished, texts...)
	if over := len(a.finished) - maxFinished; over > 0 {
		a.finished = slices.Delete(a.finished, 0, over)
	}
	frame := a.frame()
	if over := len(frame) - max(a.rows, 1); over > 0 {
		frame = frame[over:]
	}
	if a.opt.alt {
		a.showAlt(frame)
		return
	}
	text := strings.Join(frame, "\r\n")
	if len(texts) == 0 && text == a.shown && !a.stale {
		return
	}
	var b strings.Builder
	if a.sync {
		b.WriteString("\x1b[?2026h")
	}
	if a.stale {
		b.WriteString("\x1b[H\x1b[2J")
		for _, line := range a.above(a.rows - len(frame)) {
			b.WriteString(line + "\r\n")
		}
	} else {
		a.erase(&b)
		for _, t := range texts {
			for _, line := range wrap(t, a.cols) {
				b.WriteString(line + "\r\n")
			}
		}
	}
	b.WriteString(text)
	if a.sync {
		b.WriteString("\x1b[?2026l")
	}
	a.stale, a.shown, a.shownLines = false, text, len(frame)
	a.write(b.String())
}

// erase erases the frame.
func (a *app) erase(b *strings.Builder) {
	for i := range a.shownLines {
		b.WriteString("\x1b[2K")
		if i < a.shownLines-1 {
			b.WriteString("\x1b[1A")
		}
	}
	b.WriteString("\x1b[G")
}

// above is the end of the finished texts: at most room lines.
func (a *app) above(room int) []string {
	var parts [][]string
	n := 0
	for i := len(a.finished) - 1; i >= 0 && n < room; i-- {
		parts = append(parts, wrap(a.finished[i], a.cols))
		n += len(parts[len(parts)-1])
	}
	slices.Reverse(parts)
	lines := slices.Concat(parts...)
	return lines[max(len(lines)-max(room, 0), 0):]
}

// showAlt paints the whole alternate screen: the newest finished lines, then
// the frame at the bottom.
func (a *app) showAlt(frame []string) {
	lines := append(a.above(a.rows-len(frame)), frame...)
	// Erase first: after a full row the erasure would hit its last cell.
	text := strings.Join(lines, "\r\n\x1b[2K")
	if text == a.shown && !a.stale {
		return
	}
	a.shown, a.stale = text, false
	below := ""
	if len(lines) < a.rows {
		below = "\r\n\x1b[J"
	}
	a.write("\x1b[?2026h\x1b[H\x1b[2K" + text + below + "\x1b[?2026l")
}

// write sends bytes to the terminal. The reader notices a terminal that has closed.
func (a *app) write(s string) { _, _ = a.out.Write([]byte(s)) }

// report reports the program's state to the terminal (OSC 7501), once per change.
func (a *app) report(state string) {
	if !a.psp || state == a.reported {
		return
	}
	a.reported = state
	a.write("\x1b]7501;state=" + state + ":app=demo-agent\a")
}

// pspMessage is the msg part of a report.
func pspMessage(s string) string {
	return ":msg=" + base64.StdEncoding.EncodeToString([]byte(s))
}

// title sets the window's title.
func (a *app) title() {
	sign := "✳"
	if a.turn != nil && a.dialog == nil {
		sign = []string{"◐", "◑"}[a.spin/5%2]
	}
	if t := sign + " " + a.opt.name; t != a.titled {
		a.titled = t
		a.write("\x1b]0;" + t + "\a")
	}
}
