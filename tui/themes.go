package tui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/lists/chooser"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
	"ccdir/tui/widget/theme"
)

// themeOf is the theme of the settings on a background, with colours and signs that the terminal has.
func themeOf(o Options, light bool, profile colorprofile.Profile, glyphs paint.Glyphs) *theme.Theme {
	t := theme.New(theme.Palette(o.Theme, light, profile), o.Colors)
	if t.Signs = o.Signs; glyphs != paint.GlyphsAll {
		t.Signs = api.SignsASCII
	}
	return t
}

// dressed is what a theme was made for.
type dressed struct {
	name  string
	light bool
}

// firstLook is the look until the terminal has told of itself.
func firstLook(o Options) look {
	light := theme.Light(o.getenv)
	return look{theme: themeOf(o, light, o.Profile, paint.GlyphsAll), light: light, dressed: dressed{o.Theme, light}}
}

// dress gives the grid the theme that what is in front shows, else that of the settings. anew: also if
// it is the same one, whose colours are others now.
func (m *model) dress(anew bool) {
	o := m.opts
	if p, ok := m.front().(ui.Previewer); ok && p.Theme() != "" {
		o.Theme = p.Theme()
	}
	if want := (dressed{o.Theme, m.light}); anew || want != m.dressed {
		m.dressed, m.theme = want, themeOf(o, m.light, m.caps.Profile, m.caps.Glyphs)
	}
}

// openThemes offers the themes, each shown while it is chosen.
func (m *model) openThemes() {
	var picks []chooser.Pick
	for _, name := range theme.Names() {
		p := chooser.Pick{Text: name, Theme: name, Says: "Enter keeps it   Esc goes back   ↑ ↓ show others"}
		switch name {
		case "auto":
			p.Keys = "dark or light, as the terminal is"
		case m.opts.Theme:
			p.Keys = "now"
		}
		p.Effects = []ui.Effect{then{do: func(m *model) { m.keepTheme(name) }}}
		picks = append(picks, p)
	}
	m.openOver(nil, chooser.New("themes", m.opts.Theme, picks))
}

// keepTheme shows a theme from now on, and writes it into the configuration.
func (m *model) keepTheme(name string) {
	m.opts.Theme = name
	keep := m.opts.Keep
	if keep == nil {
		return
	}
	m.out.Put(func() tea.Msg {
		if err := keep("theme", name); err != nil {
			return underway.Over{Err: err, What: "keeping the theme (it holds until this grid is left)"}
		}
		return nil
	})
}
