package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/api"
	"ccdir/tui/attention"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/known"
	"ccdir/tui/terminal"
)

// TestSnoozeIsTheDaemons: choosing a time asks the daemon; what it keeps is shown in
// frame, list and counter, and the next attach shows it too; the same key takes it
// back.
func TestSnoozeIsTheDaemons(t *testing.T) {
	t.Parallel()
	asks := named("bbbb2222", "web", api.StateInput, 1)
	m, c := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), asks)
	do(m, "C-b", "Z", "2")
	if calls := calledFor(c, "snooze"); !slices.Equal(calls, []string{"snooze bbbb2222 15m0s"}) || !strings.Contains(m.notice.text, "web asks again in 15 minutes") {
		t.Fatalf("put off: %v, %q", calls, m.notice.text)
	}
	m.notice = notice{}
	asks.SnoozedUntil = m.now().Add(15 * time.Minute)
	until := asks.SnoozedUntil.Local().Format("15:04")
	m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{asks.ID: asks}}}})
	again, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), asks) // the next attach
	for what, m := range map[string]*model{"this grid": m, "the next one": again} {
		picture := m.picture().Dump()
		if len(m.Waiting(m.now())) != 0 || !strings.Contains(picture, "1 snoozed") || strings.Contains(picture, "need") || !strings.Contains(picture, "put off "+until) {
			t.Errorf("%s shows\n%s", what, picture)
		}
		m.setFocus("aaaa1111")
		press(m, "C-b", "a")
		if m.overlay != nil || !strings.Contains(m.notice.text, "no session waits") {
			t.Errorf("%s calls what was put off: %T %q", what, m.overlay, m.notice.text)
		}
		press(m, "C-b", "s")
		if list := m.picture().Dump(); !strings.Contains(list, "put off until "+until) || strings.Index(list, "api ") > strings.LastIndex(list, "web ") {
			t.Errorf("%s lists\n%s", what, list)
		}
		press(m, "Escape")
	}
	m.setFocus(asks.ID)
	do(m, "C-b", "Z")
	if calls := calledFor(c, "snooze"); len(calls) != 2 || !slices.Contains(calls, "snooze bbbb2222 0s") || m.overlay != nil {
		t.Errorf("taken back: %v, %T", calls, m.overlay)
	}
	do(m, "C-b", "s", "z", "Down", "z") // in the list as well; not one that does not wait
	if calls := calledFor(c, "snooze"); len(calls) != 3 {
		t.Errorf("from the list: %v", calls)
	}
	m.opts.ReadOnly = true
	do(m, "Escape", "C-b", "Z")
	if calls := calledFor(c, "snooze"); len(calls) != 3 {
		t.Errorf("read-only: %v", calls)
	}
}

// TestDialogsHideSigns: of a pane in view nothing is told to a person who is there, unless
// a dialog lies over the sign of its state.
func TestDialogsHideSigns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		what string
		keys []string
		told bool
	}{
		{"no dialog", nil, false},
		{"the keys lie over it", []string{"C-b", "?", "?"}, true},
		{"a small one leaves it in view", []string{"C-b", ","}, false},
	} {
		m, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), named("bbbb2222", "web", api.StateWorking, 1))
		now, out := m.now(), ""
		m.now = func() time.Time { return now }
		m.opts.Notify = attention.Notify{Ways: map[string][]string{"permission": {"bell"}}}
		m.emit = func(b []byte) { out += string(b) }
		m.grid.Zoomed, m.grid.Focus = true, "aaaa1111"
		m.Update(terminal.Typed{Event: uv.FocusEvent{}})
		do(m, tt.keys...)
		v := *m.Session("aaaa1111")
		v.State, v.Since = api.StatePermission, now
		_, c := m.Update(newsMsg{news{News: known.News{Sessions: map[string]api.Session{v.ID: v}}}})
		perform(m, c)
		if at := m.attention.NextWake(); at.IsZero() {
			t.Errorf("%s: nothing is due", tt.what)
		} else {
			now = at
		}
		_, c = m.Update(clockMsg{m.wakeGen})
		perform(m, c)
		if told := out != ""; told != tt.told {
			t.Errorf("%s: told %v", tt.what, told)
		}
	}
}

// TestListWidthByKeys: the column of sessions gets more and less room by keys, within
// its limits, and that is kept with the layout.
func TestListWidthByKeys(t *testing.T) {
	t.Parallel()
	m, _ := clientModel(t, two()...)
	m.sidebar = m.sidebar.Show(false, false)
	m.settle()
	press(m, "C-b", "s", ">")
	if !strings.Contains(m.notice.text, "there is no column") || m.sidebar.List().Width != 0 {
		t.Errorf("over the panes: %q, %d", m.notice.text, m.sidebar.List().Width)
	}
	press(m, "Tab")
	width := func() int { m.settle(); return m.grid.Layout.Column().W }
	before := width()
	press(m, "C-Right")
	if got := width(); got != before+borderStep || m.grid.Arrangement(&m.World).List.Width == 0 {
		t.Errorf("%d columns after %d; kept %d", got, before, m.grid.Arrangement(&m.World).List.Width)
	}
	for range 20 {
		press(m, "<")
	}
	if got := width(); got != tiling.ListLeast {
		t.Errorf("%d columns at least, want %d", got, tiling.ListLeast)
	}
	for range 20 {
		press(m, ">", "C-Right")
	}
	if got := width(); got != m.cols*2/5 {
		t.Errorf("%d columns at most, want %d", got, m.cols*2/5)
	}
	list(t, m)
}
