package daemon

import (
	"slices"
	"testing"
	"time"
)

// TestAgenda: the end of a turn comes first, and does not wait for the rests after other looks;
// what happened before a look needs none.
func TestAgenda(t *testing.T) {
	now := time.Unix(1000, 0)
	a := newAgenda()
	at := func(what, dir string, in time.Duration) {
		t.Helper()
		switch got, due := a.next(); {
		case got != dir:
			t.Errorf("%s: next is %q", what, got)
		case dir != "" && max(0, due.Sub(now)) != in:
			t.Errorf("%s: due in %s", what, due.Sub(now))
		}
	}
	at("empty", "", 0)
	a.changed("/a", now)
	a.changed("/b", now)
	a.changed("/a", now)
	at("first", "/a", 0)
	a.begin("/a", now)
	a.rest(time.Second, now)
	at("a look of 1 s", "/b", radarRest*time.Second)
	a.ended("/c")
	at("the end of a turn", "/c", 0)
	a.ended("/b")
	a.begin("/c", now)
	a.rest(2*time.Second, now)
	at("the end of another", "/b", 0)
	a.begin("/b", now)
	at("it was planned twice", "", 0)
	a.rest(5*time.Second, now)
	a.changed("/c", now.Add(-time.Second))
	at("an event before the look", "", 0)
	a.ended("/c")
	at("many turns that end at once", "/c", radarRest*8*time.Second-turnPatience)
	if now = now.Add(time.Hour); !slices.Equal(a.turns, []string{"/c"}) {
		t.Errorf("planned: %q", a.turns)
	}
	a.begin("/c", now)
	a.rest(time.Second, now)
	a.changed("/c", now.Add(time.Second))
	at("rest is not saved up", "/c", radarRest*time.Second)
}
