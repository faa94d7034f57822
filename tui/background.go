package tui

import (
	"strings"

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
	m.theme = newTheme(name, m.opts.Colors)
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
