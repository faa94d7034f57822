package tui

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
)

// autoTheme reports whether the palette follows the terminal's background.
func autoTheme(name string) bool { return name == "" || name == "auto" }

// background takes the terminal's answer about its background, whenever it
// comes: until then the palette is that of baseTheme.
func (m *model) background(ev uv.BackgroundColorEvent) {
	if !autoTheme(m.opts.Theme) || ev.Color == nil {
		return
	}
	name := "light"
	if ev.IsDark() {
		name = "dark"
	}
	m.theme = newTheme(paletteFor(name, m.caps.Profile), m.opts.Colors)
}

// paletteFor is the palette of a name for so many colours: with sixteen, those
// that are near to another would become the same (amber and red).
func paletteFor(name string, profile colorprofile.Profile) string {
	switch {
	case profile != colorprofile.ANSI:
	case name == "light":
		return "light16"
	case name == "dark":
		return "contrast"
	}
	return name
}

// baseTheme is the palette to begin with: as configured, else by COLORFGBG, which
// some terminals set, else dark.
func baseTheme(name string, getenv func(string) string) string {
	if !autoTheme(name) {
		return name
	}
	v := getenv("COLORFGBG")
	switch v[strings.LastIndexByte(v, ';')+1:] {
	case "7", "9", "10", "11", "13", "14", "15":
		return "light"
	}
	return "dark"
}
