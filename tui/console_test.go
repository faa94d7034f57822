package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/widget/theme"
)

// onConsole are the colours that the Linux console draws a style in. It is sent
// nothing that it draws otherwise than by these rules.
func onConsole(t *testing.T, st cells.Style) (fg, bg uint32) {
	t.Helper()
	colours := sixteen["console"]
	f, okF := st.FG.Index()
	b, okB := st.BG.Index()
	if !okF {
		f = 7
	}
	switch {
	case f > 7 || b > 7 || st.Attrs&(cells.Inverse|cells.Italic) != 0:
		t.Errorf("the console is sent %q", st.AppendSGR(nil))
	case okB && st.Attrs&cells.Dim != 0 || okB && st.Underline != cells.UnderlineNone:
		t.Errorf("the console is sent %q, whose colour is not that of the text", st.AppendSGR(nil))
	case st.Underline != cells.UnderlineNone:
		f = 6
	case st.Attrs&cells.Dim != 0:
		f = 8
	}
	if st.Attrs&cells.Bold != 0 {
		f |= 8
	}
	return colours[f], colours[b]
}

// TestContrastOnTheConsole: every cell of every view can be read in the colours
// that the Linux console really makes of the styles.
func TestContrastOnTheConsole(t *testing.T) {
	caps := paint.CapsOf(colorprofile.ANSI, func(name string) string { return map[string]string{"TERM": "linux"}[name] })
	views := append(goldenViews(), goldenLists(t)...)
	views = append(views, goldenView{"details", detailed}, goldenView{"daemon-page", daemonShown}, goldenView{"event-detail", eventDetailed})
	worst := map[string]float64{}
	for _, view := range views {
		if foreign(view) {
			continue
		}
		m := view.make(80, 24)
		m.caps, m.theme = caps, theme.New("dark16", nil)
		var sc *scene
		m.publish = func(s *scene) { sc = s }
		m.settle()
		c := newComposer(caps)
		c.compose(sc)
		for y := range 24 {
			for _, cell := range c.s.Row(y) {
				st := c.s.Table().Style(cell.Style)
				if cell.Glyph == 0 {
					continue
				}
				fg, bg := onConsole(t, st)
				need := 4.5
				if frameGlyph(cell.Glyph) {
					need = 3
				}
				if r := ratio(fg, bg); r < need {
					worst[fmt.Sprintf("%s: %q", view.name, st.AppendSGR(nil))] = r
				}
			}
		}
	}
	for what, r := range worst {
		t.Errorf("%s: only %.2f", what, r)
	}
}
