package tui

import (
	"fmt"
	"strconv"
	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// drawFrame draws the border of a pane and the title in it, and what it shows
// as long as there is no picture. The focused pane has heavy lines.
func (sc *scene) drawFrame(s *paint.Surface, t tileView) {
	st := sc.frameStyle(t)
	border := paint.Light
	if t.focused || t.session.ID == sc.target {
		border = paint.Heavy
	}
	s.Box(t.rect, border, st)
	sc.drawPulse(s, t, border)
	sc.drawTitle(s, t, st)
	if t.pane == nil || !t.pane.HasPicture() {
		sc.drawBlankPane(s, t)
	}
}

func (sc *scene) frameStyle(t tileView) cells.Style {
	st := theme.FG(sc.Theme.State(t.session.State))
	if t.session.ID == sc.target {
		st = theme.Bold(sc.Theme.Accent)
	}
	if t.focused {
		st.Attrs |= cells.Bold
	}
	return st
}

// drawTitle writes "1 [*] name · agent · 3m" and at the right what is out of
// the ordinary.
func (sc *scene) drawTitle(s *paint.Surface, t tileView, st cells.Style) {
	room := t.rect.W - 4
	if room <= 0 || t.rect.H < 1 {
		return
	}
	x, y := t.rect.X+2, t.rect.Y
	note := sc.titleNote(t)
	// The name comes first: a note that would cost it is left out.
	sign := paint.Width(t.session.State.Indicator()) + 4
	if name := sign + 1 + paint.Width(textsafe.Line(t.session.Name)); name+paint.Width(note)+3 > room {
		note = paint.Cut(note, max(0, room/2-2))
		if name+paint.Width(note)+3 > room && room < 40 {
			note = ""
		}
	}
	if note != "" {
		w := paint.Width(note)
		s.Text(t.rect.X+t.rect.W-2-w-2, y, w+2, " "+note+" ", st)
		room -= w + 3
	}
	end := x + room
	rest := sc.titleText(t.session, end-x-sign)
	put := func(text string, style cells.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), style)
		}
	}
	put(" ", st)
	if t.number > 0 && t.number <= 9 {
		put(strconv.Itoa(t.number)+" ", st)
	}
	signStyle := st
	if t.session.State.NeedsPerson() {
		signStyle.Attrs |= cells.Bold | cells.Inverse
	}
	put(t.session.State.Indicator(), signStyle)
	put(rest, st)
	put(" ", st)
}

// leastProgress is how many columns of what an agent reports are worth showing.
const leastProgress = 12

// titleText is name, what the agent reports to be doing, agent, exit code and
// time in state, as much as w columns hold: the agent goes first, then the time,
// then the end of the report.
func (sc *scene) titleText(v api.Session, w int) string {
	name := " " + textsafe.Line(v.Name)
	progress := ""
	if v.Progress != "" && !v.State.Ended() {
		progress = " · " + textsafe.Line(v.Progress)
	}
	for _, text := range []string{name + progress + sc.titleRest(v, true), name + progress + sc.titleRest(v, false)} {
		if paint.Width(text) <= w {
			return text
		}
	}
	if room := w - paint.Width(name); progress != "" && room >= leastProgress {
		return name + paint.Cut(progress, room)
	}
	for _, text := range []string{name + sc.titleRest(v, false), name} {
		if paint.Width(text) <= w {
			return text
		}
	}
	return paint.Cut(name, w)
}

func (sc *scene) titleRest(v api.Session, agent bool) string {
	rest := ""
	if agent && v.Agent != "" && v.Agent != v.Name {
		rest += " · " + textsafe.Line(v.Agent)
	}
	if v.State == api.StateExited && v.ExitCode != nil {
		rest += " · exit " + strconv.Itoa(*v.ExitCode)
	} else if v.State == api.StateLost {
		rest += " · lost"
	}
	if a := format.Age(sc.Now, v.Since); a != "" {
		rest += " · " + a
	}
	return rest
}

// titleNote is what is out of the ordinary: put off, an override, no connection,
// another size.
func (sc *scene) titleNote(t tileView) string {
	note := sc.sizeNote(t)
	if text := ui.PutOff(t.session, sc.Now); text != "" {
		text = strings.Replace(text, " until ", " ", 1) // room is scarce
		note = strings.TrimSuffix(text+" · "+note, " · ")
	}
	if text := ui.Override(t.session, sc.Now); text != "" {
		note = strings.TrimSuffix("⚑ "+text+" · "+note, " · ")
	}
	return note
}

// sizeNote is what is out of the ordinary about the connection and the size.
func (sc *scene) sizeNote(t tileView) string {
	in := t.inner()
	switch {
	case t.session.State.Ended():
		return ""
	case t.state.Trouble != "":
		return "reconnecting"
	case t.state.Cols > in.W || t.state.Rows > in.H:
		return fmt.Sprintf("%dx%d clipped", t.state.Cols, t.state.Rows)
	case t.state.Cols > 0 && (t.state.Cols < in.W || t.state.Rows < in.H):
		return fmt.Sprintf("%dx%d", t.state.Cols, t.state.Rows)
	}
	return ""
}

// drawBlankPane says why there is nothing to see.
func (sc *scene) drawBlankPane(s *paint.Surface, t tileView) {
	in := t.inner()
	text := "connecting…"
	switch {
	case t.session.Error != "":
		text = textsafe.Line(t.session.Error)
	case t.session.State == api.StateLost:
		text = "its host has died: see the events for what became of the process"
	case t.session.State.Ended():
		text = "the process has ended"
	case t.state.Trouble != "":
		text = t.state.Trouble
	}
	lines := modal.Wrap(text, in.W-2)
	y := in.Y + max(0, (in.H-len(lines))/2)
	for i, l := range lines {
		if y+i >= in.Y+in.H {
			return
		}
		s.Text(in.X+max(0, (in.W-paint.Width(l))/2), y+i, in.W, l, theme.FG(sc.Theme.Dim))
	}
}
