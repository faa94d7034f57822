package tui

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/input"
	"ccdir/tui/outer"
	"ccdir/tui/paint"
)

// followsBackground reports whether the palette follows the terminal's background:
// dark or light, and high contrast on dark or light.
func followsBackground(name string) bool { return name == "" || name == "auto" || name == "contrast" }

// askBackground asks for the background's colour again: a terminal without mode 2031
// may have become dark or light while another window was in front. Only one that has
// answered before is asked, one question at a time.
func (m *model) askBackground() {
	if b := m.backs; b != nil && b.Due(m.now()) {
		m.putBackgroundAsk()
	}
}

func (m *model) putBackgroundAsk() {
	if m.emit != nil && followsBackground(m.opts.Theme) {
		m.backs.Ask(m.now())
		m.emit([]byte(outer.AskBackground))
	}
}

// background takes the terminal's answer about its background, whenever it
// comes: until then the palette is that of COLORFGBG.
//
// A report of mode 2031 means that colours have changed, and tells which the system
// prefers: what the background is now tells the terminal if asked. Inside of tmux,
// which may not have heard of it yet, and where nothing was answered before, the report
// is taken for it.
func (m *model) background(ev uv.BackgroundColorEvent) {
	told := input.Unasked(ev)
	if b := m.backs; b != nil && !told {
		b.Answer()
	}
	if !followsBackground(m.opts.Theme) || ev.Color == nil {
		return
	}
	if b := m.backs; told && b != nil {
		b.Tells()
		if b.Answers() && m.caps.Clipboard != paint.ClipboardTmux {
			m.putBackgroundAsk()
			return
		}
	}
	m.light = !ev.IsDark()
	m.theme = newTheme(paletteFor(m.opts.Theme, m.light, m.caps.Profile), m.opts.Colors)
}

// paletteFor is the name of the palette for a theme on a background with so many
// colours: of sixteen those that are near to another would become the same (amber
// and red).
func paletteFor(name string, light bool, profile colorprofile.Profile) string {
	switch {
	case name == "light":
		light = true
	case !followsBackground(name):
		light = false
	}
	few := profile == colorprofile.ANSI
	switch {
	case few && light:
		return "light16"
	case few:
		return "dark16"
	case name == "contrast" && light:
		return "contrast-light"
	case name == "contrast":
		return "contrast"
	case light:
		return "light"
	}
	return "dark"
}

// firstTheme is the theme to begin with.
func firstTheme(o Options, profile colorprofile.Profile) *theme {
	return newTheme(paletteFor(o.Theme, lightBackground((&model{opts: o}).getenv), profile), o.Colors)
}

// lightBackground is what COLORFGBG, which some terminals set, says of the
// background; without it, dark.
func lightBackground(getenv func(string) string) bool {
	v := getenv("COLORFGBG")
	switch v[strings.LastIndexByte(v, ';')+1:] {
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return true
	}
	return false
}
