package known

import (
	"fmt"
	"testing"

	"ccdir/api"
)

func TestNewsAreBounded(t *testing.T) {
	var n News
	for i := range 5000 {
		v := api.Session{ID: "aaaa1111", Name: "x"}
		n.Watch(api.WatchMessage{Session: &v, Event: &api.Event{Seq: int64(i + 1)}})
	}
	if len(n.Sessions) != 1 || len(n.Events) > 2*Most || n.Events[len(n.Events)-1].Seq != 5000 {
		t.Errorf("%d sessions, %d events", len(n.Sessions), len(n.Events))
	}
	k := New()
	k.TakeEvents(n.Events)
	if len(k.Events) != Most || k.Events[Most-1].Seq != 5000 {
		t.Errorf("%d events", len(k.Events))
	}
	// A snapshot makes what was before it void.
	n.Watch(api.WatchMessage{Removed: "aaaa1111"})
	n.Watch(api.WatchMessage{Snapshot: &api.Snapshot{}})
	if n.Snapshot == nil || len(n.Removed) != 0 {
		t.Errorf("news %+v", n)
	}
}

// TestNamesOfRemovedAreBounded: they are kept as long as there are events of them.
func TestNamesOfRemovedAreBounded(t *testing.T) {
	k := New()
	remove := func(id, name string) {
		k.Upsert(api.Session{ID: id, Name: name})
		before := k.Sessions
		k.Remove(id)
		k.NoteRemoved(before, nil)
	}
	k.TakeEvents([]api.Event{{Seq: 1, Session: "bbbb2222"}})
	remove("bbbb2222", "web")
	for i := range 3 * formerNames {
		remove(fmt.Sprint("s", i), "other")
	}
	if n := len(k.AllNames()); n > formerNames+1 || k.AllNames()["bbbb2222"] != "web" {
		t.Errorf("%d names, %q", n, k.AllNames()["bbbb2222"])
	}
}

// TestLimits: the windows are those that were told last, by a message or a snapshot.
func TestLimits(t *testing.T) {
	one, two := &api.Limits{}, &api.Limits{Windows: []api.UsageWindow{{Name: "5h"}}}
	var n News
	n.Watch(api.WatchMessage{Limits: two})
	n.Watch(api.WatchMessage{Snapshot: &api.Snapshot{Limits: one}})
	k := New()
	k.Snapshot(n.Snapshot)
	if k.TakeLimits(n.Limits); k.Limits != one {
		t.Error("what was told before the snapshot is newer than it")
	}
	n = News{}
	n.Watch(api.WatchMessage{Limits: two})
	if k.TakeLimits(n.Limits); k.Limits != two {
		t.Error("a message changed nothing")
	}
	if k.TakeLimits(nil); k.Limits != two {
		t.Error("no news took them away")
	}
}
