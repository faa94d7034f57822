package events

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ccdir/api"
	"ccdir/tui/paint"
	"ccdir/tui/sidebar/happenings"
	"ccdir/tui/ui"
	"ccdir/tui/ui/uitest"
	"ccdir/tui/widget/theme"
)

// TestPauseOutlastsManyEvents: a paused list stands still however many events come,
// and goes on with the newest.
func TestPauseOutlastsManyEvents(t *testing.T) {
	env, seq := uitest.Env(120, 30), 0
	env.EventsAt = paint.Rect{W: 60, H: 20}
	more := func(n int) {
		for range n {
			seq++
			env.Events = append(env.Events[:len(env.Events):len(env.Events)], api.Event{Seq: int64(seq), Session: "b", Type: "Stop", Message: fmt.Sprint(seq)})
		}
		env.Events = env.Events[max(0, len(env.Events)-Most):]
	}
	title := func(l List) string {
		l = l.Fresh(env)
		before, after := l.title(env)
		return before + after + l.newerText(l.newer(env))
	}
	more(3)
	l := press(env, List{}, "p")
	more(2)
	if l = l.Fresh(env); listed(l) != "1;2;3" || !strings.Contains(title(l), "paused  2 newer ") {
		t.Errorf("%q: %s", listed(l), title(l))
	}
	more(3 * Most)
	if l = l.Fresh(env); listed(l) != "1;2;3" || !strings.Contains(title(l), "paused  500+ newer") {
		t.Errorf("%q: %s", listed(l), title(l))
	}
	if l = press(env, l, "p").Fresh(env); len(l.rows.all) != Most {
		t.Errorf("%d rows after the pause", len(l.rows.all))
	}
	// Clearing a paused list leaves what it holds back.
	l = press(env, l, "p")
	more(2)
	if l = press(env, l, "c").Fresh(env); listed(l) != "" || !strings.Contains(title(l), "paused  2 newer ") {
		t.Errorf("cleared: %q, %s", listed(l), title(l))
	}
	if l = press(env, l, "p").Fresh(env); len(l.rows.all) != 2 {
		t.Errorf("%d events after a pause with a clear", len(l.rows.all))
	}
	// A log that began anew ends what the list stood at.
	l = press(env, l, "p")
	env.Events = []api.Event{{Seq: 1, Type: "Stop", Message: "new"}}
	if l = l.Fresh(env); listed(l) != "new" || l.paused {
		t.Errorf("another log: %q, paused %v", listed(l), l.paused)
	}
}

// TestComputedOnce: drawing and keys compute no rows anew; a change does.
func TestComputedOnce(t *testing.T) {
	env := uitest.Env(120, 30)
	env.Events = []api.Event{{Seq: 1, Session: "a", Type: "Stop", Message: "one"}}
	l := List{}.Fresh(env)
	if again := l.Fresh(env); first(again.rows.all) != first(l.rows.all) {
		t.Error("the rows are computed again though nothing has changed")
	}
	env.Events = append(env.Events[:1:1], api.Event{Seq: 2, Session: "a", Type: "Stop", Message: "two"})
	if l = l.Fresh(env); listed(l) != "one;two" {
		t.Errorf("listed %q", listed(l))
	}
	if l = press(env, l, "s").Fresh(env); listed(l) != "one;two" || !l.narrow() {
		t.Errorf("of one session: %q", listed(l))
	}
}

// TestEventRows: at every width of the sidebar a row has room for some of the message,
// and the state that came of the event has its sign.
func TestEventRows(t *testing.T) {
	e := api.Event{Seq: 1, At: uitest.Epoch, Session: "aaaa1111", Type: "UserPromptSubmit", Message: "repair the build", StateFrom: api.StateIdle, StateTo: api.StatePermission}
	for _, c := range []struct {
		width int
		ago   time.Duration
		want  string
	}{
		{70, 3 * time.Minute, "   3m api UserPromptSubmit repair the build                         ✋"},
		{56, 3 * time.Minute, "   3m api UserPromptSubmit repair the build           ✋"},
		{38, 3 * time.Minute, " 3m ✋ api UserPromptSubmit repair th…"},
		{38, 123 * time.Minute, " 2h ✋ api UserPromptSubmit repair th…"},
		{38, 2 * time.Second, "now ✋ api UserPromptSubmit repair th…"},
		{30, 3 * time.Minute, " 3m ✋ api UserPro… repair th…"},
		{18, 3 * time.Minute, " 3m ✋ api Us… re…"},
		{8, 3 * time.Minute, " 3m ✋ …"},
	} {
		env := ui.Env{Theme: theme.New("dark", nil), Now: uitest.Epoch.Add(c.ago), World: &ui.World{Names: map[string]string{"aaaa1111": "api"}}}
		s := paint.NewSurface(c.width, 1, paint.Caps{})
		drawEvent(env, s, paint.Rect{W: c.width, H: 1}, e, namesWidth(env, []happenings.Row{{Event: e}}))
		if got := strings.TrimRight(s.Dump(), "\n"); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.width, got, c.want)
		}
	}
}

// TestOfNode: an event of a node that is no session's says whose it is, and is found by that.
func TestOfNode(t *testing.T) {
	e := api.Event{Seq: 1, At: uitest.Epoch, Node: "gpu1", Type: api.EventQueue, Message: "mode manual"}
	env := ui.Env{Theme: theme.New("dark", nil), Now: uitest.Epoch.Add(3 * time.Minute), World: &ui.World{}}
	rows := happenings.Of([]api.Event{e}, nil)
	names := namesWidth(env, rows)
	s := paint.NewSurface(40, 4, paint.Caps{})
	drawHappening(env, s, paint.Rect{W: 40, H: 1}, rows[0], names)
	drawEvent(env, s, paint.Rect{Y: 1, W: 40, H: 1}, e, names)
	drawEvent(env, s, paint.Rect{Y: 2, W: 40, H: 1}, api.Event{At: uitest.Epoch, Type: api.EventQueue, Message: "mode auto"}, names)
	lines := strings.Split(s.Dump(), "\n")
	if !strings.HasSuffix(strings.TrimRight(lines[0], " "), " gpu1 mode manual") || !strings.Contains(lines[1], " gpu1 "+api.EventQueue) || strings.Contains(lines[2], "gpu1") {
		t.Errorf("%q", lines)
	}
	if of := (query{text: "gpu1"}); !of.matches(e, nil) || of.matches(api.Event{Type: api.EventQueue}, nil) {
		t.Error("it is not found by its machine")
	}
	if wide := line(env, &e, 80, names); !strings.Contains(wide, "gpu1") {
		t.Errorf("%q", wide)
	}
}

// TestFollows: the list goes on with the newest events when the keyboard leaves it. Where
// the wheel has moved it, it stays, says how much is newer, and a click on that goes on.
func TestFollows(t *testing.T) {
	env := uitest.Env(120, 30)
	env.EventsAt = paint.Rect{W: 60, H: 11}
	more := func(n int) {
		for range n {
			seq := int64(len(env.Events) + 1)
			env.Events = append(env.Events[:len(env.Events):len(env.Events)], api.Event{Seq: seq, Session: "b", Type: "Stop", Message: fmt.Sprint(seq)})
		}
	}
	dump := func(l List) string {
		s := paint.NewSurface(env.Cols, env.Rows, paint.Caps{})
		l.Draw(env, s)
		return s.Dump()
	}
	last := func(l List) string {
		shown := l.shown(env)
		return shown[len(shown)-1].Event.Message
	}
	more(30)
	for _, keys := range [][]string{{"k"}, {"k", "k", "k", "Escape"}, {"g", "Enter"}, {"g", "i"}} {
		env.InEvents = true
		l := press(env, List{}, keys...)
		env.InEvents = false
		more(5)
		if l = l.Fresh(env); last(l) != fmt.Sprint(len(env.Events)) || strings.Contains(dump(l), "newer") {
			t.Errorf("%q: it stays at %s:\n%s", keys, last(l), dump(l))
		}
	}
	l := List{}.Fresh(env)
	for range 3 {
		l, _ = l.Mouse(env, tea.MouseWheelMsg{X: 3, Y: 3, Button: tea.MouseWheelUp})
	}
	more(5)
	l = l.Fresh(env)
	n := len(env.Events) - int(l.shown(env)[9].Event.Seq)
	if want := fmt.Sprintf(" %d newer ↓", n); n < 5 || !strings.Contains(dump(l), want) {
		t.Errorf("no %q:\n%s", want, dump(l))
	}
	if l, _ = l.Mouse(env, tea.MouseClickMsg{X: 50, Y: 10, Button: tea.MouseLeft}); last(l) != fmt.Sprint(len(env.Events)) {
		t.Errorf("after the click it is at %s", last(l))
	}
	// The same for a paused one.
	env.InEvents = true
	l = press(env, l, "p")
	env.InEvents = false
	more(2)
	if l = l.Fresh(env); !strings.Contains(dump(l), " 2 newer ↓") {
		t.Errorf("paused:\n%s", dump(l))
	}
}

// TestDialogFollows: so does the list over the panes while its newest row is chosen; else
// it says how many are newer.
func TestDialogFollows(t *testing.T) {
	env := uitest.Env(80, 24)
	event := func(seq int64) api.Event {
		return api.Event{Seq: seq, At: env.Now, Session: "b", Type: "Stop", Kind: api.KindTurnEnds, Message: fmt.Sprint("answer ", seq)}
	}
	env.Events = []api.Event{event(1), event(2)}
	d := List{}.Over(env)
	env.Events = []api.Event{event(1), event(2), event(3)}
	d, _ = uitest.Refresh(env, d, nil)
	if s := uitest.Picture(env, d).Dump(); !strings.Contains(s, "❯ "+env.Now.Local().Format("15:04")+" b done: answer 3") {
		t.Errorf("it does not follow:\n%s", s)
	}
	d, _ = uitest.Press(env, d, "k")
	for seq := range int64(40) {
		env.Events = append(env.Events[:len(env.Events):len(env.Events)], event(4+seq))
	}
	d, _ = uitest.Refresh(env, d, nil)
	if s := uitest.Picture(env, d).Dump(); !strings.Contains(s, " 27 newer ↓ ") || !strings.Contains(s, "❯ "+env.Now.Local().Format("15:04")+" b done: answer 2") {
		t.Errorf("it does not say that it does not follow:\n%s", s)
	}
}
