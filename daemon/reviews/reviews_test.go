package reviews

import (
	"reflect"
	"testing"

	"ccdir/api"
	"ccdir/review"
)

// TestTake: which events of a session begin and end its turns.
func TestTake(t *testing.T) {
	in := map[string]bool{}
	known := func(id string) (api.Session, bool) {
		return api.Session{ID: id, Plain: map[string]string{"shell": api.PlainShell}[id]}, id != "gone"
	}
	event := func(id string, from, to api.State, kind api.EventKind) *api.WatchMessage {
		return &api.WatchMessage{Event: &api.Event{Session: id, StateFrom: from, StateTo: to, Kind: kind}}
	}
	const idle, working, input, permission = api.StateIdle, api.StateWorking, api.StateInput, api.StatePermission
	for i, c := range []struct {
		m    *api.WatchMessage
		want line
	}{
		{&api.WatchMessage{Event: &api.Event{Session: "a", Type: api.EventSessionCreated}}, line{start: true}},
		{event("a", idle, working, api.KindPrompt), line{begin: true}},
		{event("a", working, working, api.KindToolBegins), line{}},
		{event("a", working, permission, api.KindDialog), line{}},
		{event("a", permission, working, api.KindToolEnds), line{}},
		{event("a", working, input, api.KindDialog), line{}},
		{event("a", input, working, ""), line{}},
		{event("a", working, idle, api.KindTurnEnds), line{end: true}},
		{event("a", idle, idle, api.KindReminder), line{}},
		{event("a", idle, working, api.KindReport), line{begin: true}},
		{event("a", working, input, api.KindTurnFails), line{end: true}}, // a failure waits for a person
		{event("a", input, working, api.KindPrompt), line{begin: true}},
		{event("a", working, api.StateExited, ""), line{end: true}},
		{event("shell", idle, working, ""), line{}},
		{event("gone", idle, working, ""), line{}},
		{event("", "", "", ""), line{}},
		{event("b", idle, working, ""), line{begin: true}},
		{&api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{{ID: "b", State: idle}}}}, line{start: true, end: true, missed: true}},
		{&api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{{ID: "b", State: working}}}}, line{start: true}},
		{&api.WatchMessage{Snapshot: &api.Snapshot{Sessions: []api.Session{{ID: "b", State: api.StateExited}}}}, line{}},
	} {
		var got line
		for _, l := range take(in, c.m, known) {
			got = l
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
}

// TestPlan: where snapshots fall behind, a beginning is left out, an end never.
func TestPlan(t *testing.T) {
	r := New(Options{})
	begin, end := line{begin: true}, line{end: true}
	for i, c := range []struct {
		plan []line
		want line
	}{
		{[]line{begin}, line{begin: true}},
		{[]line{begin, end}, line{end: true}},
		{[]line{end, begin}, line{end: true, begin: true}},
		{[]line{end, begin, end}, line{end: true}},
		{[]line{{start: true}, begin, end, begin}, line{start: true, end: true, begin: true}},
	} {
		for j, what := range c.plan {
			if start := r.todo("s", what); start != (j == 0) {
				t.Errorf("%d.%d: start is %v", i, j, start)
			}
		}
		got := *r.lines["s"]
		delete(r.lines, "s")
		got.busy, got.idle = false, nil
		if got != c.want {
			t.Errorf("%d: %+v, want %+v", i, got, c.want)
		}
	}
}

// TestDue: the points of a session for which a snapshot is made.
func TestDue(t *testing.T) {
	begin := func(n int) review.Point { return review.Point{Turn: n, Begin: true} }
	end := func(n int) review.Point { return review.Point{Turn: n} }
	log := func(points ...review.Point) (l review.Log) {
		for _, p := range points {
			l = append(l, review.Shot{Point: p, Commit: "x"})
		}
		return l
	}
	for i, c := range []struct {
		log  review.Log
		what line
		dear bool
		want []review.Point
	}{
		{nil, line{start: true}, false, []review.Point{end(0)}},
		{nil, line{start: true, begin: true}, false, []review.Point{end(0), begin(1)}},
		{log(end(0)), line{start: true}, false, nil},
		{log(end(0)), line{begin: true}, false, []review.Point{begin(1)}},
		{log(end(0)), line{begin: true}, true, nil},
		{log(end(0), begin(1)), line{end: true}, true, []review.Point{end(1)}},
		{log(end(0), begin(1)), line{end: true, begin: true}, true, []review.Point{end(1), begin(2)}},
		{log(end(0), begin(1)), line{start: true, missed: true}, false, []review.Point{end(1)}},
		{log(end(0), begin(1), end(1)), line{start: true, missed: true}, false, nil},
		{log(end(0)), line{end: true}, false, []review.Point{end(1)}},
	} {
		if got := due(c.log, c.what, c.dear); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d: %v, want %v", i, got, c.want)
		}
	}
}

// TestNextPlan: when an agent asks again, a comment says whether its lines are in the new plan, and where.
func TestNextPlan(t *testing.T) {
	on := func(line int, quote ...string) api.ReviewComment {
		return api.ReviewComment{Line: line, End: line + max(0, len(quote)-1), Quote: quote, State: api.CommentSent, Head: "r1"}
	}
	for i, c := range []struct {
		c     api.ReviewComment
		lines []string
		state api.CommentState
		line  int
	}{
		{on(1, "a"), []string{"x", "a"}, api.CommentUntouched, 2},
		{on(1, "a", "b"), []string{"a", "x", "a", "b"}, api.CommentUntouched, 3},
		{on(1, "a", "b"), []string{"a", "x", "b"}, api.CommentChanged, 1},
		{on(5, "a", "b"), []string{"a"}, api.CommentChanged, 5},
		{on(1, "a"), nil, api.CommentChanged, 1},
		{on(0), []string{"a"}, api.CommentChanged, 0},
	} {
		got := nextPlan(c.c, "r2", c.lines)
		if got.State != c.state || got.Line != c.line || (got.Head == "r2") != (c.state == api.CommentUntouched) || got.End-got.Line != c.c.End-c.c.Line {
			t.Errorf("%d: %+v", i, got)
		}
	}
}
