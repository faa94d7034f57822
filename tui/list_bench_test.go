package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"ccdir/api"
	"ccdir/tui/known"
	"ccdir/tui/paint"
)

// BenchmarkListFrame is a frame with a list of 500 events over the panes, of which
// nothing but the list is drawn anew: what an open list costs with every new scene.
func BenchmarkListFrame(b *testing.B) {
	m := testModel(200, 60, fourSessions...)
	var all []api.Event
	for i := range 500 {
		all = append(all, callEvent(int64(i+1), "aaaa1111", "compile", "ok", ": fine", `{"path":"x"}`))
	}
	m.take(news{News: known.News{Events: all}})
	press(m, "C-b", "t")
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	surface := paint.NewSurface(200, 60, paint.Caps{Profile: colorprofile.TrueColor})
	b.ReportAllocs()
	for b.Loop() {
		sc.overlay.Draw(sc.Env, surface)
	}
	if len(surface.Dump()) == 0 {
		b.Fatal(fmt.Errorf("nothing was drawn"))
	}
}

// BenchmarkListColumn is the column of 50 sessions, which is drawn with every new
// scene.
func BenchmarkListColumn(b *testing.B) {
	m := testModel(200, 60, many(50)...)
	m.sidebar = m.sidebar.Show(true, true)
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	surface := paint.NewSurface(200, 60, paint.Caps{Profile: colorprofile.TrueColor})
	b.ReportAllocs()
	for b.Loop() {
		sc.side.Draw(sc.Env, surface)
	}
}
