package grid

import (
	"fmt"
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

// drawFrame draws the rule above a pane and the title in it, and what the pane shows as
// long as there is no picture. Rules and their weight say where the focus is, the title
// what the session does: only what is around the focus has a colour, and is heavy.
func (p Picture) drawFrame(s *paint.Surface, t ui.Tile) {
	p.drawTitle(s, t, p.FrameStyle(t))
	if t.Pane == nil || !t.Pane.HasPicture() {
		p.drawBlankPane(s, t)
	}
}

// marked reports whether a tile's rules are those of the focus.
func (p Picture) marked(t ui.Tile) bool { return t.Focused || t.ID() == p.Target }

// FrameStyle is the style of the rules around a tile.
func (p Picture) FrameStyle(t ui.Tile) cells.Style {
	if t.Session.Away.IsZero() && p.marked(t) {
		return theme.Bold(p.Theme.Accent)
	}
	return theme.FG(p.Theme.Dim) // also while its machine is away: what it shows is old
}

// drawTitle writes "1 name ✋ asks · 3m · what it asks" and at the right its branch and
// what is out of the ordinary.
func (p Picture) drawTitle(s *paint.Surface, t ui.Tile, frame cells.Style) {
	room := t.Rect.W - 2*ui.TitleIn
	if room <= 0 || t.Rect.H < 1 {
		return
	}
	parts := p.titleParts(t)
	// Name, sign and word come first: a note that would cost them is left out.
	least := parts[0].width() + parts[1].width() + parts[2].width() + 2
	if note := p.titleRight(t, room-least-3); note != "" {
		w := paint.Width(note)
		s.Text(t.Rect.X+t.Rect.W-ui.TitleIn-w-2, t.Rect.Y, w+2, " "+note+" ", theme.FG(p.Theme.Dim))
		room -= w + 3
	}
	x, y := t.Rect.X+ui.TitleIn, t.Rect.Y
	end := x + room
	put := func(text string, style cells.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), style)
		}
	}
	put(" ", frame)
	for i, pt := range parts {
		if i > 1 && x+pt.width()+1 > end && (!pt.cuts || end-x < leastHeadline) {
			break
		}
		text := pt.text
		if pt.cuts {
			text = ui.CutHeadline(*t.Session, p.Now, text, end-x-1) // a blank is before the rule
		}
		put(text, pt.style)
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
func (p Picture) titleParts(t ui.Tile) []titlePart {
	v, dim := t.Session, theme.FG(p.Theme.Dim)
	name := cells.Style{}
	if t.Focused {
		name = theme.Bold(p.Theme.Accent)
	}
	standing := v.Standing(p.Now)
	sign := theme.FG(p.Theme.Standing(standing))
	if standing == api.StandingAsks || standing == api.StandingFailed || standing == api.StandingDone {
		sign.Attrs |= cells.Bold
	}
	if v.Retry != nil {
		sign = theme.FG(p.Theme.Input)
	}
	if !v.Away.IsZero() {
		name, sign = dim, dim
	}
	parts := []titlePart{
		{text: t.Label(), style: name},
		{text: " " + p.Sign(standing), style: sign},
		{text: " " + ui.StandingWord(*v, p.Now), style: sign},
	}
	if a := format.Age(p.Now, v.Since); a != "" {
		parts = append(parts, titlePart{text: " · " + a, style: dim})
	}
	asked := standing == api.StandingAsks && p.showsDialog(t) // nothing twice
	if line := v.Headline(p.Now); line != "" && standing != api.StandingIdle && !asked {
		parts = append(parts, titlePart{text: " · " + textsafe.Line(line), style: dim, cuts: true})
	}
	return parts
}

// dialogRows is how many rows of a screen an agent's dialog takes at most, as a rule.
const dialogRows = 12

// showsDialog reports whether a pane has the room for what its agent asks, and shows it.
func (p Picture) showsDialog(t ui.Tile) bool {
	return t.Pane != nil && t.Pane.HasPicture() && !t.Still && t.Inner().H >= dialogRows
}

// usageFrom is the room from which on a session that asks shows what it uses.
const usageFrom = 50

// titleRight is the right part of a title in at most w columns: what is out of
// the ordinary, then the branch, then what the conversation uses.
func (p Picture) titleRight(t ui.Tile, w int) string {
	note, branch := p.titleNote(t), textsafe.Line(t.Session.BranchLine())
	if pull, _ := t.Session.PullRequestLine(); pull != "" {
		branch = strings.Trim(branch+" · "+textsafe.Line(pull), " ·")
	}
	if turn := t.Session.TurnNews(); turn != "" {
		if all := strings.Trim(turn+" · "+strings.Trim(branch+" · "+note, " ·"), " ·"); paint.Width(all) <= w {
			return all
		}
	}
	crowded := t.Session.Standing(p.Now) == api.StandingAsks && w < usageFrom // what it asks says more
	if usage := t.Session.UsageNews(); usage != "" && !t.Session.State.Ended() && !crowded {
		if all := strings.Trim(usage+" · "+strings.Trim(branch+" · "+note, " ·"), " ·"); paint.Width(all) <= w {
			return all
		}
	}
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

// titleNote is what is out of the ordinary: no policy holds, an override, a permission mode, walls, put
// off, no connection, another size, prompts that are kept for later.
func (p Picture) titleNote(t ui.Tile) string {
	note := p.sizeNote(t)
	if n := t.Session.Pending; n > 0 {
		note = strings.TrimPrefix(fmt.Sprintf("%s · %d later", note, n), " · ")
	}
	if text := ui.PutOff(*t.Session, p.Now); text != "" {
		text = strings.Replace(text, " until ", " ", 1) // room is scarce
		note = strings.TrimSuffix(text+" · "+note, " · ")
	}
	if a := format.Seconds(p.Now, t.Session.Away); a != "" && !t.Session.State.Ended() {
		note = strings.TrimSuffix("as of "+a+" ago · "+note, " · ")
	}
	if walls := t.Session.Sandbox.Line(); walls != "" && !t.Session.State.Ended() {
		note = strings.TrimSuffix("sandbox "+walls+" · "+note, " · ")
	}
	if mode := ui.PermissionMode(*t.Session); mode != "" {
		note = strings.TrimSuffix(mode+" · "+note, " · ")
	}
	if text := ui.Override(*t.Session, p.Now); text != "" {
		note = strings.TrimSuffix("⚑ "+text+" · "+note, " · ")
	}
	if t.Session.Unguarded != "" && !t.Session.State.Ended() {
		note = strings.TrimSuffix("⚑ no policy holds · "+note, " · ")
	}
	return note
}

// sizeNote is what is out of the ordinary about the connection and the size.
func (p Picture) sizeNote(t ui.Tile) string {
	in := t.Inner()
	switch {
	case t.Session.State.Ended():
		return ""
	case t.State.Trouble != "" && t.Session.Away.IsZero():
		return "reconnecting"
	case t.State.Cols > in.W || t.State.Rows > in.H:
		return fmt.Sprintf("%dx%d clipped", t.State.Cols, t.State.Rows)
	case t.State.Cols > 0 && (t.State.Cols < in.W || t.State.Rows < in.H):
		return fmt.Sprintf("%dx%d", t.State.Cols, t.State.Rows)
	}
	return ""
}

// drawBlankPane says why there is nothing to see.
func (p Picture) drawBlankPane(s *paint.Surface, t ui.Tile) {
	in := t.Inner()
	text := "connecting…"
	switch {
	case t.Session.Error != "":
		text = textsafe.Line(t.Session.Error)
	case t.Session.State == api.StateLost:
		text = "its host has died: see the events for what became of the process"
	case t.Session.State.Ended():
		text = "the process has ended"
	case t.State.Trouble != "":
		text = t.State.Trouble
	}
	lines := modal.Wrap(text, in.W-2)
	y := in.Y + max(0, (in.H-len(lines))/2)
	for i, l := range lines {
		if y+i >= in.Y+in.H {
			return
		}
		s.Text(in.X+max(0, (in.W-paint.Width(l))/2), y+i, in.W, l, theme.FG(p.Theme.Dim))
	}
}
