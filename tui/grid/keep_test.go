package grid

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
	"ccdir/tui/grid/tiling"
)

// TestArrangementIsKept: what is changed is sent once it has come to rest, the latest
// last; what others change is taken over, unless there is something newer here.
func TestArrangementIsKept(t *testing.T) {
	r := newRig(t, 200, 50, many(3)...)
	r.Connected(true)
	kept := func() []api.Grid { return *r.daemon.kept }
	r.key("M-7", "}")
	if r.keep() != 1 || r.keep() != 0 || kept()[0].Layout != "main" || !slices.Equal(kept()[0].Order, []string{"id000002", "id000001", "id000003"}) {
		t.Fatalf("kept: %+v", kept())
	}
	r.key("C-Left")
	if r.keep() != 0 {
		t.Error("kept while the border moves")
	}
	r.env.Now = r.env.Now.Add(time.Second)
	if r.keep() != 1 || len(kept()[1].Sizes) != 1 {
		t.Fatalf("kept: %+v", kept())
	}
	// Another terminal.
	other := api.Grid{Layout: "rows", Order: []string{"gone", "id000003"}, Hidden: []string{"id000002"}, Zoom: "id000001", HideEnded: true}
	r.Take(&other, false)
	r.settle()
	if got := r.names(); got != "s3 s1" || r.kind != tiling.Rows || r.Zoomed || !r.HideEnded {
		t.Errorf("taken over: %s %s", got, r.kind)
	}
	r.key("M-3")
	if r.Take(&other, false) || r.kind != tiling.TwoByTwo {
		t.Error("an older arrangement replaces a newer one")
	}
	// It fails: said once, tried again with the next snapshot.
	*r.daemon.err = errors.New("the disk is full")
	if r.keep() != 1 || !r.said("the layout is not kept: the disk is full") || r.keep() != 0 {
		t.Errorf("a failure: %q", r.lines)
	}
	*r.daemon.err = nil
	r.Connected(true)
	r.Take(&other, false)
	if r.keep() != 1 || kept()[len(kept())-1].Layout != "2x2" {
		t.Errorf("not kept after a new snapshot: %+v", kept())
	}
	// The next attach shows the same.
	last := kept()[len(kept())-1]
	last.Zoom, last.Focus = "id000003", "id000003"
	k := attached(t, &last, r.env.Sessions...)
	if k.kind != tiling.TwoByTwo || !k.Zoomed || k.names() != "s3" || !reflect.DeepEqual(k.Arrangement(k.env.World), last) {
		t.Errorf("attached again: %+v\nwant %+v", k.Arrangement(k.env.World), last)
	}
	if got := k.last(); got != nil {
		t.Errorf("there is something to keep at once: %+v", got)
	}
	k.key("z")
	if g := k.last(); g == nil || g.Zoom != "" {
		t.Errorf("left with something unsaved: %+v", g)
	}
}

// attached is a grid as it begins with an arrangement.
func attached(t *testing.T, g *api.Grid, sessions ...api.Session) *rig {
	t.Helper()
	r := newRig(t, 160, 50)
	r.env.Sessions = sessions
	r.Connected(true)
	r.Take(g, true)
	r.carryOut(r.Begin(r.env, ""))
	r.settle()
	return r
}

// last is what is kept when the person leaves, nil if that is nothing.
func (r *rig) last() *api.Grid {
	n := len(*r.daemon.kept)
	r.KeepLast(r.daemon, false, r.env.World, time.Time{})
	if all := *r.daemon.kept; len(all) > n {
		return &all[n]
	}
	return nil
}

func TestOldDaemonKeepsNoArrangement(t *testing.T) {
	r := newRig(t, 200, 50, many(3)...)
	r.key("M-7")
	if r.keep() != 0 || r.last() != nil {
		t.Error("the arrangement is sent to a daemon that keeps none")
	}
}

// slowDaemon takes its time for the first arrangement, as a busy daemon does, and keeps
// whatever came to it, cancelled or not.
type slowDaemon struct {
	first chan struct{}
	kept  []string
}

func (s *slowDaemon) SetGrid(ctx context.Context, g api.Grid) error {
	if g.Layout == "first" {
		select {
		case <-s.first:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s.kept = append(s.kept, g.Layout)
	return nil
}

// TestLastArrangementIsLast: what is sent at the end comes after what was on its way.
func TestLastArrangementIsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, daemon := newKeeping().keeper, &slowDaemon{first: make(chan struct{})}
		ctx, detach := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { done <- k.put(ctx, daemon, api.Grid{Layout: "first"}) }()
		synctest.Wait()
		detach()
		go func() { done <- k.put(context.Background(), daemon, api.Grid{Layout: "last"}) }()
		time.Sleep(keepWithin / 2)
		if len(daemon.kept) != 0 {
			t.Errorf("kept %q before the first was over", daemon.kept)
		}
		close(daemon.first)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if len(daemon.kept) != 2 || daemon.kept[1] != "last" {
			t.Errorf("kept %q", daemon.kept)
		}
	})
}

// TestRestingFocusIsKept: a focus that rests is kept while the grid is open, once: who kills it
// comes back there.
func TestRestingFocusIsKept(t *testing.T) {
	r := attached(t, &api.Grid{}, many(4)...)
	r.keep()
	r.key("3")
	if r.keep() != 0 {
		t.Error("it is sent at once")
	}
	r.env.Now = r.env.Now.Add(restFor)
	if n := r.keep(); n != 1 || (*r.daemon.kept)[len(*r.daemon.kept)-1].Focus != "id000003" {
		t.Errorf("sent %d times: %+v", n, *r.daemon.kept)
	}
	r.env.Now = r.env.Now.Add(restFor)
	if r.keep() != 0 {
		t.Error("it is sent again")
	}
}

// TestFocusIsKept: who comes back stands where they left, on that page, whoever waits
// meanwhile; where that pane is not shown any more, the one that needs a person has the
// focus, as at the first attach.
func TestFocusIsKept(t *testing.T) {
	r := attached(t, &api.Grid{Layout: string(tiling.TwoByTwo)}, many(9)...)
	r.key(">", "l")
	if r.Focus != "id000006" || r.keep() != 0 {
		t.Fatalf("focus %s; a move of the focus alone is not sent at once", r.Focus)
	}
	left := r.last()
	if left == nil || left.Focus != "id000006" {
		t.Fatalf("left with %+v", left)
	}
	for name, c := range map[string]struct {
		change func(all []api.Session, g *api.Grid)
		want   string
	}{
		"as it was":  {want: "id000006"},
		"one waits":  {func(all []api.Session, _ *api.Grid) { all[1].State = api.StatePermission }, "id000006"},
		"it ended":   {func(all []api.Session, _ *api.Grid) { all[5].State = api.StateExited }, "id000006"},
		"it is gone": {func(all []api.Session, _ *api.Grid) { all[1].State, all[5].ID = api.StatePermission, "other" }, "id000002"},
		"ended ones are hidden": {func(all []api.Session, g *api.Grid) {
			all[5].State, g.HideEnded = api.StateExited, true
		}, "id000001"},
		"outside now": {func(all []api.Session, _ *api.Grid) { all[5].External = true }, "id000001"},
	} {
		t.Run(name, func(t *testing.T) {
			all, g := many(9), *left
			if c.change != nil {
				c.change(all, &g)
			}
			k := attached(t, &g, all...)
			if k.Focus != c.want {
				t.Errorf("focus %s", k.Focus)
			}
			if same := c.want == left.Focus; same != (k.Layout.Page == 1) || same != (k.last() == nil) {
				t.Errorf("page %d", k.Layout.Page)
			}
		})
	}
}

// TestFocusOfOthers: where another terminal's focus is moves nothing here, and the one
// that is left last is kept.
func TestFocusOfOthers(t *testing.T) {
	r := attached(t, &api.Grid{Focus: "id000003"}, many(3)...)
	r.Take(&api.Grid{Focus: "id000002", Layout: "rows"}, false)
	r.settle()
	if r.Focus != "id000003" || r.kind != tiling.Rows {
		t.Errorf("focus %s, layout %s", r.Focus, r.kind)
	}
	if g := r.last(); g == nil || g.Focus != "id000003" {
		t.Errorf("left with %+v", g)
	}
}

// TestBegin: the session that was asked for is shown alone, by its id, a unique prefix or
// its name.
func TestBegin(t *testing.T) {
	for asked, want := range map[string]string{"s2": "id000002", "id000003": "id000003", "other": "other1", "id0000": "id000001", "nobody": "id000001"} {
		r := newRig(t, 160, 50)
		r.env.Sessions = append(many(3), api.Session{ID: "other1", Name: "x", State: api.StateIdle})
		r.carryOut(r.Begin(r.env, asked))
		r.settle()
		found := asked != "nobody" && asked != "id0000"
		if r.Focus != want || r.Zoomed != found || r.said("there is no session "+asked) == found {
			t.Errorf("%s: focus %s, zoomed %v, %q", asked, r.Focus, r.Zoomed, r.lines)
		}
	}
}

// TestGrace: the neighbour of a session that is removed gets no keys until a pause.
func TestGrace(t *testing.T) {
	r := newRig(t, 160, 50, many(3)...)
	before := r.Shown(r.env.World)
	r.env.Names = map[string]string{"id000001": "s1"}
	r.env.Sessions = r.env.Sessions[1:]
	r.Removed(r.env.World, before)
	r.Lost(r.env, "id000001")
	r.settle()
	if r.Focus != "id000002" || !r.Takes(r.env.Now) {
		t.Fatalf("focus %s", r.Focus)
	}
	swallows := func() bool {
		effects, yes := r.Swallows(r.env.World, r.env.Now)
		r.carryOut(effects)
		return yes
	}
	if !swallows() || !r.said("s1 was removed while you typed: the key was not sent to s2") {
		t.Errorf("%q", r.lines)
	}
	r.env.Now = r.env.Now.Add(graceFor - time.Millisecond)
	if !swallows() { // still typing
		t.Error("it ends while keys come")
	}
	r.env.Now = r.env.Now.Add(gracePause)
	if swallows() {
		t.Error("it does not end by a pause")
	}
}
