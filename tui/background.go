package tui

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// followsBackground reports whether the palette follows the terminal's background:
// dark or light, and high contrast on dark or light.
func followsBackground(name string) bool { return name == "" || name == "auto" || name == "contrast" }

// background takes the terminal's answer about its background, whenever it
// comes: until then the palette is that of COLORFGBG.
func (m *model) background(ev uv.BackgroundColorEvent) {
	if !followsBackground(m.opts.Theme) || ev.Color == nil {
		return
	}
	m.theme = newTheme(paletteFor(m.opts.Theme, !ev.IsDark(), m.caps.Profile), m.opts.Colors)
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
