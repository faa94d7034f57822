package demoagent

import (
	"encoding/base64"
	"strings"
)

// show prints finished lines above the frame and repaints the frame if it
// changed, in one write: erase the old frame line by line upwards, as Ink does.
func (a *app) show(finished ...string) {
	for _, text := range finished {
		a.printed = append(a.printed, wrap(text, a.cols)...)
	}
	if over := len(a.printed) - 1000; over > 0 && a.opt.alt {
		a.printed = a.printed[over:]
	}
	frame := a.frame()
	if a.opt.alt {
		a.showAlt(frame)
		return
	}
	text := strings.Join(frame, "\r\n")
	if len(a.printed) == 0 && text == a.shown {
		return
	}
	var b strings.Builder
	if a.sync {
		b.WriteString("\x1b[?2026h")
	}
	for i := range a.shownLines {
		b.WriteString("\x1b[2K")
		if i < a.shownLines-1 {
			b.WriteString("\x1b[1A")
		}
	}
	b.WriteString("\x1b[G")
	for _, line := range a.printed {
		b.WriteString(line + "\r\n")
	}
	b.WriteString(text)
	if a.sync {
		b.WriteString("\x1b[?2026l")
	}
	a.printed, a.shown, a.shownLines = nil, text, len(frame)
	a.write(b.String())
}

// showAlt paints the whole alternate screen: the newest finished lines, then
// the frame at the bottom.
func (a *app) showAlt(frame []string) {
	room := max(a.rows-len(frame), 0)
	above := a.printed
	if len(above) > room {
		above = above[len(above)-room:]
	}
	lines := append(append([]string{}, above...), frame...)
	if len(lines) > a.rows {
		lines = lines[len(lines)-a.rows:]
	}
	// The erasure comes first: after a full row it would take the last cell.
	text := strings.Join(lines, "\r\n\x1b[2K")
	if text == a.shown {
		return
	}
	a.shown = text
	below := ""
	if len(lines) < a.rows {
		below = "\r\n\x1b[J"
	}
	a.write("\x1b[?2026h\x1b[H\x1b[2K" + text + below + "\x1b[?2026l")
}

// write sends bytes to the terminal. A terminal that is gone is noticed by the
// reader.
func (a *app) write(s string) { _, _ = a.out.Write([]byte(s)) }

// report tells the terminal the program's state (OSC 7501), once per change.
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
