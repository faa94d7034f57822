package sidebar

import (
	"testing"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/tui/ui/uitest"
)

// shown says which parts have room.
func shown(s Sidebar) string {
	list, events := s.Room(120)
	switch {
	case list > 0 && events > 0:
		return "both"
	case list > 0:
		return "sessions"
	case events > 0:
		return "events"
	}
	return "none"
}

// TestWhatIsShown: what is configured holds until a person shows or hides a part; that
// is kept, whatever the configuration says later.
func TestWhatIsShown(t *testing.T) {
	env := uitest.Env(120, 36)
	for want, c := range map[string]Config{"both": {}, "sessions": {NoEvents: true}, "events": {NoSessions: true}, "none": {NoEvents: true, NoSessions: true}} {
		if got := shown(Sidebar{}.Configured(c)); got != want {
			t.Errorf("%+v shows %s", c, got)
		}
	}
	s := Sidebar{}.Configured(Config{NoSessions: true})
	if s.Do(env, keymap.ListColumn); shown(s) != "both" {
		t.Errorf("the key for the sessions leaves %s", shown(s))
	}
	var g api.Grid
	g.List, g.Sidebar = s.Kept()
	if g.Sidebar != nil {
		t.Errorf("the events are kept as if a person had chosen: %+v", g.Sidebar)
	}
	next := Sidebar{}.Configured(Config{NoSessions: true, NoEvents: true}).Taken(&g, true)
	if shown(next) != "sessions" {
		t.Errorf("the next grid shows %s", shown(next))
	}
	next.Do(env, keymap.Sidebar)
	if next.Do(env, keymap.ListColumn); shown(next) != "events" {
		t.Errorf("after both keys: %s", shown(next))
	}
}
