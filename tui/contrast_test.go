package tui

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// The sixteen colours as terminals have them unless somebody changed them.
var sixteen = map[string][16]uint32{
	"xterm": {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff},
	"console": {0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa,
		0x555555, 0xff5555, 0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff},
	"windows": {0x0c0c0c, 0xc50f1f, 0x13a10e, 0xc19c00, 0x0037da, 0x881798, 0x3a96dd, 0xcccccc,
		0x767676, 0xe74856, 0x16c60c, 0xf9f1a5, 0x3b78ff, 0xb4009e, 0x61d6d6, 0xf2f2f2},
}

// luminance is that of WCAG 2, of a colour as 0xrrggbb.
func luminance(rgb uint32) float64 {
	part := func(shift int) float64 {
		c := float64(rgb>>shift&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(16) + 0.7152*part(8) + 0.0722*part(0)
}

func ratio(a, b uint32) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// rgbOf is a colour in a palette, on a terminal with those default colours.
func rgbOf(c cells.Color, palette [16]uint32, own uint32) uint32 {
	if r, g, b, ok := c.RGB(); ok {
		return uint32(r)<<16 | uint32(g)<<8 | uint32(b)
	}
	i, ok := c.Index()
	switch {
	case !ok:
		return own
	case i < 16:
		return palette[i]
	}
	v := color.RGBAModel.Convert(ansi.IndexedColor(i)).(color.RGBA)
	return uint32(v.R)<<16 | uint32(v.G)<<8 | uint32(v.B)
}

// frameGlyph reports whether a cell is part of a frame, for which less contrast is
// enough.
func frameGlyph(g cells.Glyph) bool { return g >= '─' && g <= '▟' }

// contrastCase is a palette on a background, and the least contrast of text.
type contrastCase struct {
	theme   string
	light   bool
	profile colorprofile.Profile
	back    uint32
	text    float64
}

func contrastCases() []contrastCase {
	const true24, many, few = colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI
	return []contrastCase{
		{"dark", false, true24, 0x000000, 4.5}, {"dark", false, many, 0x1e1e1e, 4.5}, {"dark", false, few, 0x000000, 4.5},
		{"light", true, true24, 0xffffff, 4.5}, {"light", true, many, 0xfdf6e3, 4.3}, {"light", true, few, 0xffffff, 4.5},
		{"contrast", false, many, 0x000000, 7}, {"contrast", false, few, 0x000000, 4.5},
		{"contrast", true, many, 0xffffff, 7}, {"contrast", true, few, 0xffffff, 4.5},
	}
}

// foreign reports whether what a view shows has a program's own colours.
func foreign(view goldenView) bool { return strings.HasPrefix(view.name, "transcript") }

// TestContrast: every cell of every view can be read, in all themes and depths of
// colour, by the values that terminals give the sixteen colours.
func TestContrast(t *testing.T) {
	views := append(goldenViews(), goldenLists(t)...)
	views = append(views, goldenView{"details", detailed}, goldenView{"daemon-page", daemonShown}, goldenView{"event-detail", eventDetailed})
	var models []*model
	for _, view := range views {
		if !foreign(view) {
			models = append(models, view.make(80, 24))
		}
	}
	for _, c := range contrastCases() {
		name := theme.Palette(c.theme, c.light, c.profile)
		worst := map[string]float64{}
		for _, m := range models {
			s := m.pictureIn(name, c.profile)
			for by, palette := range sixteen {
				lowest(s, palette, c, func(style cells.Style, frame bool, r float64) {
					if need := map[bool]float64{true: 3, false: c.text}[frame]; r < need {
						worst[fmt.Sprintf("%s's colours, %q, frame %v", by, style.AppendSGR(nil), frame)] = r
					}
				})
			}
		}
		for what, r := range worst {
			t.Errorf("%s (of %v) on %06x: %s: only %.2f", name, c.profile, c.back, what, r)
		}
	}
}

// lowest calls f for the contrast of each coloured cell of s that shows something.
func lowest(s *paint.Surface, palette [16]uint32, c contrastCase, f func(st cells.Style, frame bool, r float64)) {
	ink := uint32(0xe5e5e5)
	if c.light {
		ink = 0
	}
	_, rows := s.Size()
	for y := range rows {
		for _, cell := range s.Row(y) {
			st := s.Table().Style(cell.Style)
			if cell.Glyph == 0 || st.FG.IsDefault() && st.BG.IsDefault() {
				continue
			}
			fg, bg := rgbOf(st.FG, palette, ink), rgbOf(st.BG, palette, c.back)
			f(st, frameGlyph(cell.Glyph), ratio(fg, bg))
		}
	}
}

// TestRatio: the known ends of the scale.
func TestRatio(t *testing.T) {
	if a, b := ratio(0, 0xffffff), ratio(0x777777, 0xffffff); math.Abs(a-21) > 0.01 || math.Abs(b-4.48) > 0.01 {
		t.Errorf("black on white %.2f, grey on white %.2f", a, b)
	}
}
