package tui

import (
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/tui/paint"
)

// BenchmarkArranged is what one message to the program costs: model to scene, and
// scene to cells; with the list beside the panes, and in an order of a person's.
func BenchmarkArranged(b *testing.B) {
	for _, c := range []struct {
		name   string
		column bool
	}{{"plain", false}, {"column", true}} {
		b.Run(c.name, func(b *testing.B) {
			m := testModel(200, 60, many(32)...)
			m.sidebar = m.sidebar.Show(c.column, true)
			press(m, "C-b", "{")
			var sc *scene
			m.publish = func(s *scene) { sc = s }
			comp := newComposer(paint.Caps{Profile: colorprofile.TrueColor})
			b.ReportAllocs()
			for b.Loop() {
				m.settle()
				comp.compose(sc)
			}
		})
	}
}
