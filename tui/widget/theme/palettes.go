package theme

import (
	"strings"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
)

// The palettes. Text has a contrast of at least 4.5 to the background, that of the
// two for high contrast 7, and frames 3 (WCAG 2), on black or on white; those of
// sixteen colours by the values that xterm, the Linux console and Windows Terminal
// give them. TestContrast of tui computes it. What only says that nothing is urgent has
// the default colour where the sixteen have none that can be read.

// Follows reports whether the palette follows the terminal's background:
// dark or light, and high contrast on dark or light.
// of a pair "DARK,LIGHT" the one of them.
func Follows(name string) bool {
	return name == "" || name == "auto" || name == "contrast" || strings.Contains(name, ",")
}

// Palette is the name of the palette for a theme on a background with so many
// colours: of sixteen those that are near to another would become the same (amber
// and red).
func Palette(name string, light bool, profile colorprofile.Profile) string {
	if dark, other, pair := strings.Cut(name, ","); pair {
		if name = strings.TrimSpace(dark); light {
			name = strings.TrimSpace(other)
		}
	}
	known, isNamed := namedOf(name)
	switch {
	case isNamed:
		light = known.light
	case name == "light":
		light = true
	case !Follows(name):
		light = false
	}
	few := profile == colorprofile.ANSI
	switch {
	case few && light:
		return "light16"
	case few:
		return "dark16"
	case isNamed:
		return name
	case name == "contrast" && light:
		return "contrast-light"
	case name == "contrast":
		return "contrast"
	case light:
		return "light"
	}
	return "dark"
}

// Light reports whether the background is light by COLORFGBG, which some terminals
// set; without it, it is dark.
func Light(getenv func(string) string) bool {
	v := getenv("COLORFGBG")
	switch v[strings.LastIndexByte(v, ';')+1:] {
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return true
	}
	return false
}

// themeOf is the palette of that name; dark if there is none.
func themeOf(name string) *Theme {
	if known, ok := namedOf(name); ok {
		return known.theme()
	}
	switch name {
	case "light":
		return lightTheme()
	case "light16":
		return light16Theme()
	case "dark16":
		return dark16Theme()
	case "contrast":
		return contrastTheme()
	case "contrast-light":
		return contrastLightTheme()
	}
	return darkTheme()
}

func darkTheme() *Theme {
	i := cells.Indexed
	return &Theme{
		Starting: i(250), Idle: i(35), Working: i(33), Input: i(214), Permission: i(203), Exited: i(245),
		Dim: i(245), Accent: i(75), Alert: i(203), Hook: i(146),
		Code: cells.Style{FG: i(252), BG: i(236)},
	}
}

func lightTheme() *Theme {
	i := cells.Indexed
	return &Theme{light: true,
		Starting: i(240), Idle: i(28), Working: i(26), Input: i(130), Permission: i(160), Exited: i(242),
		Dim: i(242), Accent: i(25), Alert: i(160), Hook: i(60),
		Code: cells.Style{FG: i(238), BG: i(254)},
	}
}

func dark16Theme() *Theme {
	i := cells.Indexed
	return &Theme{
		Starting: i(7), Idle: i(10), Working: i(14), Input: i(11), Permission: i(9), Exited: i(7),
		Dim: i(7), Accent: i(15), Alert: i(9), Hook: i(7),
	}
}

func light16Theme() *Theme {
	i := cells.Indexed
	return &Theme{
		Working: i(4), Input: i(5), Permission: i(1),
		Accent: i(4), Alert: i(1), Hook: i(5),
	}
}

func contrastTheme() *Theme {
	i := cells.Indexed
	return &Theme{
		strict:   true,
		Starting: i(255), Idle: i(46), Working: i(51), Input: i(226), Permission: i(203), Exited: i(250),
		Dim: i(252), Accent: i(159), Alert: i(203), Hook: i(255),
		Code: cells.Style{FG: i(255), BG: i(236)},
	}
}

func contrastLightTheme() *Theme {
	i := cells.Indexed
	return &Theme{
		light: true, strict: true,
		Starting: i(235), Idle: i(22), Working: i(18), Input: i(90), Permission: i(88), Exited: i(240),
		Dim: i(238), Accent: i(19), Alert: i(88), Hook: i(54),
		Code: cells.Style{FG: i(232), BG: i(254)},
	}
}
