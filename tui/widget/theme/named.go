package theme

import (
	"slices"

	"ccdir/internal/cells"
)

// named is a palette that people know by its name, from another program.
type named struct {
	name  string
	light bool
	// back is the background that it is made for. Nothing draws it: it is the terminal's.
	back uint32
	// colours are those of what starts, rests, works, asks, asks for a permission; dim, accent, hook.
	colours [8]uint32
}

// The named palettes. The colours are those of the projects of that name (all under the MIT
// licence), brought nearer to black or white where their contrast to the background is below 4.5.
var palettes = []named{
	{"catppuccin-latte", true, 0xeff1f5, [8]uint32{0x5c5f77, 0x317b21, 0x1d62eb, 0x955f13, 0xd20f39, 0x686b80, 0x5665be, 0x8839ef}},
	{"catppuccin-mocha", false, 0x1e1e2e, [8]uint32{0xbac2de, 0xa6e3a1, 0x89b4fa, 0xf9e2af, 0xf38ba8, 0x9399b2, 0xb4befe, 0xcba6f7}},
	{"dracula", false, 0x282a36, [8]uint32{0xf8f8f2, 0x50fa7b, 0x8be9fd, 0xffb86c, 0xff5858, 0x8692b9, 0xbd93f9, 0xff79c6}},
	{"gruvbox-dark", false, 0x282828, [8]uint32{0xd5c4a1, 0xb8bb26, 0x83a598, 0xfabd2f, 0xfb5844, 0xa89984, 0x8ec07c, 0xd3869b}},
	{"gruvbox-light", true, 0xfbf1c7, [8]uint32{0x504945, 0x746f0d, 0x076678, 0x946110, 0x9d0006, 0x76695f, 0x407755, 0x8f3f71}},
	{"nord", false, 0x2e3440, [8]uint32{0xd8dee9, 0xa3be8c, 0x81a1c1, 0xebcb8b, 0xd08c92, 0x999faa, 0x88c0d0, 0xb793b0}},
	{"rose-pine", false, 0x191724, [8]uint32{0xe0def4, 0x9ccfd8, 0x528aa1, 0xf6c177, 0xeb6f92, 0x908caa, 0xc4a7e7, 0xebbcba}},
	{"rose-pine-dawn", true, 0xfaf4ed, [8]uint32{0x575279, 0x45767f, 0x286983, 0x966421, 0xa0586d, 0x6f6c87, 0x79668e, 0x9b5e5b}},
	{"solarized-dark", false, 0x002b36, [8]uint32{0x93a1a1, 0x859900, 0x3a95d6, 0xb58900, 0xe56765, 0x839496, 0x2aa198, 0x8589ce}},
	{"solarized-light", true, 0xfdf6e3, [8]uint32{0x586e75, 0x687700, 0x2073ae, 0x8b6900, 0xd3302d, 0x5e727a, 0x207c75, 0x6368b4}},
	{"tokyo-night", false, 0x1a1b26, [8]uint32{0xc0caf5, 0x9ece6a, 0x7aa2f7, 0xe0af68, 0xf7768e, 0x7d84a4, 0x7dcfff, 0xbb9af7}},
	{"tokyo-night-day", true, 0xe1e2e7, [8]uint32{0x365fbd, 0x506a34, 0x2462b6, 0x7a5e36, 0xbd204e, 0x526196, 0x006b8f, 0x7b44c3}},
}

// Names are the themes that can be chosen, those that follow the terminal first.
func Names() []string {
	names := []string{"auto", "dark", "light", "contrast"}
	for _, n := range palettes {
		names = append(names, n.name)
	}
	return names
}

// namedOf returns the palette of that name; false if there is none.
func namedOf(name string) (named, bool) {
	i := slices.IndexFunc(palettes, func(n named) bool { return n.name == name })
	if i < 0 {
		return named{}, false
	}
	return palettes[i], true
}

// theme is the palette as a theme.
func (n named) theme() *Theme {
	c := func(i int) cells.Color {
		v := n.colours[i]
		return cells.RGB(uint8(v>>16), uint8(v>>8), uint8(v)) //nolint:gosec // its bytes
	}
	return &Theme{back: &n.back, Starting: c(0), Idle: c(1), Working: c(2), Input: c(3), Permission: c(4), Alert: c(4), Exited: c(5), Dim: c(5), Accent: c(6), Hook: c(7)}
}
