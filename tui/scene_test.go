package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
)

// What has the terminal's cursor, and what lies over the panes: only a pane that nothing
// lies over, and which shows its picture, may be lent to its host.
func TestShown(t *testing.T) {
	for name, tt := range map[string]struct {
		act                   func(m *model)
		over, cursor, content bool
	}{
		"typing":             {act: func(*model) {}},
		"the prefix key":     {act: func(m *model) { press(m, "C-b") }},
		"the prompt bar":     {act: func(m *model) { press(m, "C-b", ":") }, over: true},
		"a dialog":           {act: func(m *model) { press(m, "C-b", "?") }, over: true},
		"a dialog, closed":   {act: func(m *model) { press(m, "C-b", "?"); press(m, "Escape") }},
		"copy mode":          {act: func(m *model) { press(m, "C-b", "[") }, content: true},
		"the events":         {act: func(m *model) { m.focusEvents() }, cursor: true},
		"a dialog, on these": {act: func(m *model) { m.focusEvents(); press(m, "C-b", "?") }, over: true},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := clientModel(t, two()...)
			m.withStill(m.grid.Focus, "one", 80, 24)
			tt.act(m)
			var sc *scene
			m.publish = func(s *scene) { sc = s }
			m.settle()
			got := sc.shown()
			if got.Over != tt.over || (got.Cursor != nil) != tt.cursor {
				t.Errorf("over %v, cursor %v", got.Over, got.Cursor)
			}
			for i, p := range got.Panes {
				if p.Focused != sc.Tiles[i].Focused || p.In != sc.Tiles[i].Inner() || (p.Content != nil) != (tt.content && p.Focused) {
					t.Errorf("pane %d is %+v", i, p)
				}
			}
		})
	}
}

// A dialog is drawn over the panes, and what a pane has printed since does not show
// through.
func TestDialogCoversPanes(t *testing.T) {
	m, _ := clientModel(t, fourSessions...)
	press(m, "C-b", "x")
	var sc *scene
	m.publish = func(s *scene) { sc = s }
	m.settle()
	c := newComposer(paint.Caps{})
	c.compose(sc)
	for _, p := range m.hosts.Panes {
		p.Show(pane.ParseStill(strings.Repeat(strings.Repeat("日", 60)+"\r\n", 40), 120, 40))
	}
	c.compose(sc)
	if got := c.s.Dump(); !strings.Contains(got, "Kill") || !strings.Contains(got, "日日日") {
		t.Errorf("the dialog or the panes are gone:\n%s", got)
	}
}

// BenchmarkScene is a whole new scene, as after every event: model to scene, scene to
// cells, difference and bytes. (BenchmarkEcho in tui/terminal is a pane's frame alone.)
func BenchmarkScene(b *testing.B) {
	for _, size := range []struct{ cols, rows, panes int }{{80, 24, 4}, {200, 60, 4}, {500, 150, 16}} {
		b.Run(fmt.Sprintf("%dx%d/%d", size.cols, size.rows, size.panes), func(b *testing.B) {
			m := testModel(size.cols, size.rows, many(size.panes)...)
			for _, v := range m.Sessions {
				m.withStill(v.ID, strings.Repeat(strings.Repeat("\x1b[32mabc\x1b[m 日本 ", 12)+"\r\n", 40), 120, 40)
			}
			var sc *scene
			m.publish = func(s *scene) { sc = s }
			caps := paint.Caps{Profile: colorprofile.TrueColor}
			c, w, bytes := newComposer(caps), paint.NewWriter(caps), 0
			now := m.now()
			m.now = func() time.Time { return now }
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Minute) // the ages in titles step
				m.settle()
				bytes += len(w.Frame(c.s, c.compose(sc)))
			}
			b.ReportMetric(float64(bytes)/float64(b.N), "bytes/scene")
		})
	}
}
