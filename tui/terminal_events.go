package tui

import (
	"image/color"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/paint"
	"ccdir/tui/terminal/input"
	"ccdir/tui/terminal/tty"
	"ccdir/tui/widget/theme"
	"ccdir/wire"
)

// look is how the grid looks, and what the terminal has told of its own colours.
type look struct {
	theme *theme.Theme
	// dressed is what theme was made for: the theme of the settings, or of a Previewer.
	dressed dressed
	light   bool         // the terminal's background is, as far as it is known
	text    color.Color  // of the terminal; nil: it has not told
	outer   wire.Colours // the terminal's, for programs in panes; zero: it has not told
}

// askBackground asks for the background's colour again: a terminal without mode 2031
// may have become dark or light while another window was in front. Only one that has
// answered before is asked, one question at a time.
func (g *given) askBackground() {
	if b := g.backs; b != nil && b.Due(g.now()) {
		g.putBackgroundAsk()
	}
}

func (g *given) putBackgroundAsk() {
	if g.emit != nil && theme.Follows(g.opts.Theme) {
		g.backs.Ask(g.now())
		g.emit([]byte(tty.AskBackground))
	}
}

// background takes the terminal's answer about its background, whenever it
// comes: until then the palette is that of COLORFGBG.
//
// A report of mode 2031 means that colours have changed, and tells which the system
// prefers: what the background is now tells the terminal if asked. Inside of tmux,
// which may not have heard of it yet, and where nothing was answered before, the report
// is taken for it.
func (l *look) background(g *given, ev uv.BackgroundColorEvent) {
	told := input.Unasked(ev)
	if b := g.backs; b != nil && !told {
		b.Answer()
	}
	if !theme.Follows(g.opts.Theme) || ev.Color == nil {
		return
	}
	if b := g.backs; told && b != nil {
		b.Tells()
		if b.Answers() && g.caps.Clipboard != paint.ClipboardTmux {
			g.putBackgroundAsk()
			return
		}
	}
	l.light = !ev.IsDark()
	l.outer = wire.Colours{Known: true, Foreground: l.textColour(told), Background: rgb(ev.Color)}
}

// textColour is the colour of the terminal's text, for programs in panes that ask: as it was
// answered just before the background's, or as it suits a background that was told unasked.
func (l *look) textColour(told bool) wire.RGB {
	switch {
	case l.text != nil && !told:
		return rgb(l.text)
	case l.light:
		return rgb(color.Black)
	}
	return rgb(color.White)
}

func rgb(c color.Color) wire.RGB {
	r, g, b, _ := c.RGBA()
	return wire.RGB{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8)}
}

// event handles what the terminal sends beside keys and pastes.
func (m *model) event(ev uv.Event) {
	switch ev := ev.(type) {
	case uv.MouseClickEvent:
		m.mouse(tea.MouseClickMsg(ev))
	case uv.MouseReleaseEvent:
		m.mouse(tea.MouseReleaseMsg(ev))
	case uv.MouseWheelEvent:
		m.mouse(tea.MouseWheelMsg(ev))
	case uv.MouseMotionEvent:
		m.mouse(tea.MouseMotionMsg(ev))
	case uv.FocusEvent:
		m.attention.InFront(true)
		m.askBackground()
	case uv.BlurEvent:
		m.attention.InFront(false)
	}
}
