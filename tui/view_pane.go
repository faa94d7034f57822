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
// as long as there is no picture. The frame says where the focus is, the title what the
// session does: only the focused frame has a colour, and heavy lines.
func (sc *scene) drawFrame(s *paint.Surface, t tileView) {
	st, border := sc.frameStyle(t), paint.Round
	if t.focused || t.session.ID == sc.target {
		border = paint.Heavy
	}
	s.Box(t.rect, border, st)
	sc.drawTitle(s, t, st)
	if t.pane == nil || !t.pane.HasPicture() {
		sc.drawBlankPane(s, t)
	}
}

func (sc *scene) frameStyle(t tileView) cells.Style {
	if t.focused || t.session.ID == sc.target {
		return theme.Bold(sc.Theme.Accent)
	}
	return theme.FG(sc.Theme.Dim)
}

// drawTitle writes "1 name ✋ asks · 3m · what it asks" and at the right its branch and
// what is out of the ordinary.
func (sc *scene) drawTitle(s *paint.Surface, t tileView, frame cells.Style) {
	room := t.rect.W - 4
	if room <= 0 || t.rect.H < 1 {
		return
	}
	parts := sc.titleParts(t)
	// The name and the sign come first: a note that would cost them is left out.
	least := parts[0].width() + parts[1].width() + 2
	if note := sc.titleRight(t, room-least-3); note != "" {
		w := paint.Width(note)
		s.Text(t.rect.X+t.rect.W-2-w-2, t.rect.Y, w+2, " "+note+" ", theme.FG(sc.Theme.Dim))
		room -= w + 3
	}
	x, y, end := t.rect.X+2, t.rect.Y, t.rect.X+2+room
	put := func(text string, style cells.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), style)
		}
	}
	put(" ", frame)
	for i, p := range parts {
		if i > 1 && x+p.width()+1 > end && (!p.cuts || end-x < leastHeadline) {
			break
		}
		put(p.text, p.style)
	}
	put(" ", frame)
}

// leastHeadline is how many columns of a headline are worth showing.
const leastHeadline = 12

// titlePart is a piece of a title in one style; one that cuts may be shown in part.
type titlePart struct {
	text  string
	style cells.Style
	cuts  bool
}

func (p titlePart) width() int { return paint.Width(p.text) }

// titleParts are number and name, sign and word of the standing, time in it, and what is
// to be said of it: the most needed first.
func (sc *scene) titleParts(t tileView) []titlePart {
	v, dim := t.session, theme.FG(sc.Theme.Dim)
	name := cells.Style{}
	if t.focused {
		name = theme.Bold(sc.Theme.Accent)
	}
	number := ""
	if t.number > 0 && t.number <= 9 {
		number = strconv.Itoa(t.number) + " "
	}
	standing := v.Standing(v.PutOff(sc.Now))
	sign := theme.FG(sc.Theme.Standing(standing))
	if standing == api.StandingAsks || standing == api.StandingFailed || standing == api.StandingDone {
		sign.Attrs |= cells.Bold
	}
	parts := []titlePart{
		{text: number + textsafe.Line(v.Name), style: name},
		{text: " " + sc.Sign(standing), style: sign},
		{text: " " + ui.StandingWord(v, standing), style: sign},
	}
	if a := format.Age(sc.Now, v.Since); a != "" {
		parts = append(parts, titlePart{text: " · " + a, style: dim})
	}
	if line := v.Headline(v.PutOff(sc.Now)); line != "" && standing != api.StandingIdle {
		parts = append(parts, titlePart{text: " · " + textsafe.Line(line), style: dim, cuts: true})
	}
	return parts
}

// titleRight is what stands at the right of a title in at most w columns: what is out of
// the ordinary, then the branch.
func (sc *scene) titleRight(t tileView, w int) string {
	note, branch := sc.titleNote(t), ui.BranchLine(t.session)
	if both := strings.Trim(branch+" · "+note, " ·"); paint.Width(both) <= w {
		return both
	}
	if note == "" {
		note = branch
	}
	if w < leastHeadline {
		return ""
	}
	return paint.Cut(note, w)
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
