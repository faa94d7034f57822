package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
	"ccdir/tui/terminal"
	"ccdir/tui/terminal/input"
)

// watched brings a session's new value, as the daemon does.
func (x *teller) watched(id string, change func(*api.Session)) {
	v := *x.session(id)
	change(&v)
	_, c := x.Update(newsMsg{news{sessions: map[string]api.Session{id: v}}})
	perform(x.model, c)
}

// passes lets time go by, and returns what was told meanwhile.
func (x *teller) passes(d time.Duration) string {
	for _, step := range []time.Duration{d - settleFor, settleFor} { // what comes back is told a moment later
		x.at = x.at.Add(step)
		_, c := x.Update(clockMsg{x.wakeGen})
		perform(x.model, c)
	}
	out := x.out.String()
	x.out.Reset()
	return out
}

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
	m.Update(newsMsg{news{sessions: map[string]api.Session{asks.ID: asks}}})
	again, _ := clientModel(t, named("aaaa1111", "api", api.StateWorking, 0), asks) // the next attach
	for what, m := range map[string]*model{"this grid": m, "the next one": again} {
		picture := m.picture().Dump()
		if len(m.waiting()) != 0 || !strings.Contains(picture, "1 snoozed") || strings.Contains(picture, "need") || !strings.Contains(picture, "put off "+until) {
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

// TestSnoozeComesBack: of a wait that comes back, by its time or by another question,
// is told once; of one that was answered, or taken back here, never.
func TestSnoozeComesBack(t *testing.T) {
	t.Parallel()
	const web, wait = "bbbb2222", settleFor + time.Millisecond
	off := func(x *teller) {
		x.watched(web, func(v *api.Session) { v.SnoozedUntil = x.at.Add(5 * time.Minute) })
	}
	begin := func() *teller {
		x := newTeller(t, allWays)
		if got := x.becomes(web, api.StatePermission, 0, wait); got == "" {
			t.Fatal("nothing was told of the question")
		}
		off(x)
		if got := x.passes(4 * time.Minute); got != "" || len(x.waiting()) != 0 {
			t.Fatalf("put off: told %q, %d wait", got, len(x.waiting()))
		}
		return x
	}
	const told = "\a\x1b]9;ccdir: web asks: it asks for permission\a"

	x := begin() // no word of the daemon's is needed
	if got := x.passes(2 * time.Minute); got != told || len(x.waiting()) != 1 || !strings.Contains(x.notice.text, "web still waits for you") {
		t.Errorf("its time is over: %q, %d wait, %q", got, len(x.waiting()), x.notice.text)
	}
	x.watched(web, func(v *api.Session) { v.SnoozedUntil = time.Time{} })
	if got := x.passes(time.Hour); got != "" {
		t.Errorf("told twice: %q", got)
	}
	off(x)
	if got := x.passes(6 * time.Minute); got != told {
		t.Errorf("put off once more: %q", got)
	}

	x = begin()
	x.watched(web, func(v *api.Session) { v.SnoozedUntil, v.Question = time.Time{}, "" })
	if got := x.passes(wait); got != told {
		t.Errorf("another question: %q", got)
	}

	x = begin()
	if got := x.becomes(web, api.StateWorking, 0, wait); got != "" || x.passes(10*time.Minute) != "" {
		t.Errorf("answered: %q", got)
	}

	x = begin()
	x.focus = web
	_, c := x.Update(terminal.Typed{Key: &input.Key{Name: "C-b", Press: keyOf("C-b"), At: x.at}})
	perform(x.model, c)
	_, c = x.Update(terminal.Typed{Key: &input.Key{Name: "Z", Press: keyOf("Z"), At: x.at}})
	perform(x.model, c)
	x.focus = "aaaa1111"
	x.watched(web, func(v *api.Session) { v.SnoozedUntil = time.Time{} })
	if got := x.passes(wait); got != "" || len(x.waiting()) != 1 {
		t.Errorf("taken back here: %q, %d wait", got, len(x.waiting()))
	}
}

// TestListWidthByKeys: the column of sessions gets more and less room by keys, within
// its limits, and that is kept with the layout.
func TestListWidthByKeys(t *testing.T) {
	t.Parallel()
	m, _ := clientModel(t, two()...)
	m.arr.list.Hidden, m.noSidebar = true, true
	m.settle()
	press(m, "C-b", "s", ">")
	if !strings.Contains(m.notice.text, "there is no column") || m.arr.list.Width != 0 {
		t.Errorf("over the panes: %q, %d", m.notice.text, m.arr.list.Width)
	}
	press(m, "Tab")
	width := func() int { m.settle(); return m.layout.List.W }
	before := width()
	press(m, "C-Right")
	if got := width(); got != before+stepCols || m.grid().List.Width == 0 {
		t.Errorf("%d columns after %d; kept %d", got, before, m.grid().List.Width)
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
