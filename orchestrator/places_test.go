package orchestrator

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

// fleet plays machines beside a core with places: orders are repeated, come late or not at all, machines
// go away and come back with what they have, the core is restored from what was saved.
type fleet struct {
	t       *testing.T
	r       *rand.Rand
	c       *Core
	now     time.Time
	saved   map[string][]byte
	set     Settings
	nodes   map[string]*machine
	names   []string
	started map[Ref]int // by attempt, over all machines
	ends    map[string]int
	late    int
	again   int
}

type machine struct {
	Place
	away   bool
	orders []Effect // not carried out yet; they may be carried out twice
	runs   map[Ref]bool
	claims map[Ref]bool
	ended  []Event // not reported yet
}

func newFleet(t *testing.T, seed uint64) *fleet {
	f := &fleet{t: t, r: rand.New(rand.NewPCG(seed, 5)), now: t0, saved: map[string][]byte{}, set: Settings{Mode: api.QueueAuto, Limit: 1},
		nodes: map[string]*machine{}, started: map[Ref]int{}, ends: map[string]int{}}
	for i, labels := range [][]string{{"claude"}, {"claude", "gpu"}, {"codex", "gpu"}, {"claude", "codex"}} {
		name := fmt.Sprintf("n%d", i)
		f.nodes[name] = &machine{Place: Place{Name: name, Labels: labels, Slots: 1 + i%3}, runs: map[Ref]bool{}, claims: map[Ref]bool{}}
		f.names = append(f.names, name)
	}
	f.restore()
	return f
}

func (f *fleet) restore() {
	var records []Record
	for id, data := range f.saved {
		var r Record
		if err := json.Unmarshal(data, &r); err != nil {
			f.t.Fatal(id, err)
		}
		records = append(records, r)
	}
	f.c = Restore(DefaultTimes(), f.set, records)
	f.c.WithPlaces()
	f.c.Recover(f.now, nil)
	f.save()
	for _, n := range f.nodes {
		if !n.away {
			f.apply(PlaceSeen{n.Place})
		}
	}
}

func (f *fleet) apply(e Event) error {
	_, err := f.c.Apply(f.now, e)
	f.save()
	return err
}

// save notes the changes and hands out the effects.
func (f *fleet) save() {
	ch := f.c.Take()
	for _, r := range ch.Tasks {
		data, err := json.Marshal(r)
		if err != nil {
			f.t.Fatal(err)
		}
		f.saved[r.ID] = data
	}
	for _, id := range ch.Gone {
		delete(f.saved, id)
	}
	if ch.Settings != nil {
		f.set = *ch.Settings
	}
	for _, step := range ch.Trail {
		if step.To.Ended() && step.Note == api.EventTaskState {
			f.ends[step.Task]++
		}
	}
	for _, e := range ch.Effects {
		n := f.nodes[e.Place]
		if n == nil {
			f.t.Fatalf("an effect for no machine: %+v", e)
		}
		if r := f.c.tasks[e.Task]; e.Kind == DoStart {
			if w := r.Fleet; w != nil && (w.Node != "" && w.Node != n.Name || slices.ContainsFunc(w.Needs, func(s string) bool { return !slices.Contains(n.Labels, s) })) {
				f.t.Fatalf("%s needs %+v, and was given to %+v", r.ID, w, n.Place)
			}
			if used := f.c.placed[n.Name]; used > n.Slots {
				f.t.Fatalf("%s has %d of %d slots in use", n.Name, used, n.Slots)
			}
		}
		n.orders = append(n.orders, e)
	}
	f.c.Settle()
}

// order carries out an order of a machine as its program does.
func (f *fleet) order(n *machine, e Effect) {
	switch e.Kind {
	case DoStart:
		if err := f.apply(Claim{Of: e.Ref, Place: n.Name}); err != nil {
			return
		}
		if !n.claims[e.Ref] { // its own daemon takes an attempt once
			n.claims[e.Ref], n.runs[e.Ref] = true, true
			f.started[e.Ref]++
		}
	case DoEnd:
		delete(n.runs, e.Ref)
		n.claims[e.Ref] = true // a late order of it starts nothing
		n.ended = append(n.ended, Ended{Ref: e.Ref, Place: n.Name, State: api.TaskCancelled})
	}
}

// work lets one machine do something.
func (f *fleet) work() {
	n := f.nodes[f.names[f.r.IntN(len(f.names))]]
	switch {
	case f.r.IntN(40) == 0:
		n.away = !n.away
		if n.away {
			f.apply(PlaceAway{Name: n.Name, Since: f.now})
		} else {
			f.apply(PlaceSeen{n.Place})
		}
	case len(n.orders) > 0 && f.r.IntN(2) == 0 && !n.away:
		e := n.orders[0]
		f.order(n, e)
		if f.r.IntN(5) > 0 { // else it died before it had acknowledged the order
			n.orders = n.orders[1:]
		}
	case len(n.ended) > 0 && !n.away:
		e := n.ended[0]
		if x := e.(Ended); f.c.tasks[x.Task].Attempt != x.Attempt {
			f.late++
		}
		f.apply(e)
		if f.r.IntN(5) > 0 {
			n.ended = n.ended[1:]
		}
	default:
		for ref := range n.runs {
			delete(n.runs, ref)
			state := api.TaskDone
			if f.r.IntN(5) == 0 {
				state = api.TaskFailed
			}
			n.ended = append(n.ended, Ended{Ref: ref, Place: n.Name, State: state, Reason: "so it was"})
			break
		}
	}
}

func (f *fleet) task() api.NewTask {
	n := api.NewTask{Prompt: "p", Agent: []string{"claude", "codex"}[f.r.IntN(2)], Priority: f.r.IntN(5), Retries: 3}
	switch f.r.IntN(4) {
	case 0:
		n.Fleet = &api.Placement{Needs: []string{"gpu"}}
	case 1:
		n.Fleet = &api.Placement{OnNodeLoss: api.NodeLossAgain}
		n.Idempotent = true
	case 2:
		n.Agent, n.Fleet = "claude", &api.Placement{Node: "n1"}
	}
	return n
}

// TestFleet: whatever machines, orders and reports do, and however often the core is restored, no
// attempt is started twice, each task ends once, no machine has more than its slots or what it cannot do.
func TestFleet(t *testing.T) {
	for seed := range uint64(8) {
		f := newFleet(t, seed)
		added := 0
		for i := range 3000 {
			f.now = f.now.Add(time.Duration(f.r.IntN(3000)) * time.Millisecond)
			switch k := f.r.IntN(100); {
			case k < 8 && i < 2000:
				if f.apply(Add{Tasks: []api.NewTask{f.task()}}) == nil {
					added++
				}
			case k < 10 && added > 0:
				id := fmt.Sprintf("t%d", 1+f.r.IntN(added))
				if f.r.IntN(2) == 0 {
					_ = f.apply(Cancel{id})
				} else if f.apply(Release{id}) == nil {
					f.again++
				}
			case k == 10:
				f.restore()
			case k < 20:
				_ = f.apply(Tick{})
			default:
				f.work()
			}
			if i%100 == 0 {
				f.placed()
			}
		}
		f.drain()
		for ref, times := range f.started {
			if times != 1 {
				t.Errorf("seed %d: attempt %v was started %d times", seed, ref, times)
			}
		}
		for i := range added {
			if id := fmt.Sprintf("t%d", i+1); f.ends[id] != 1 {
				t.Errorf("seed %d: %s ended %d times: %+v", seed, id, f.ends[id], f.c.tasks[id])
			}
		}
		if f.late+f.again == 0 || added < 50 {
			t.Errorf("seed %d: %d late ends, %d releases, %d tasks: the run says little", seed, f.late, f.again, added)
		}
	}
}

// placed holds the count of slots against the tasks.
func (f *fleet) placed() {
	used := map[string]int{}
	for _, r := range f.c.tasks {
		if r.HasSlot {
			used[r.Place]++
		}
	}
	for name, n := range f.c.placed {
		if used[name] != n {
			f.t.Fatalf("%s: %d slots, counted %d", name, n, used[name])
		}
	}
}

// drain lets everybody come back and work until every task has ended.
func (f *fleet) drain() {
	for _, n := range f.nodes {
		n.away = false
		_ = f.apply(PlaceSeen{n.Place})
	}
	for range 20_000 {
		open := false
		for _, r := range f.c.tasks {
			open = open || !r.State.Ended() || r.HasSlot
			if r.OnHold {
				_ = f.apply(StartNow{r.ID})
			}
		}
		if !open {
			return
		}
		f.now = f.now.Add(2 * time.Second)
		_ = f.apply(Tick{})
		n := f.nodes[f.names[f.r.IntN(len(f.names))]]
		for _, e := range n.orders {
			f.order(n, e)
		}
		n.orders = nil
		for ref := range n.runs {
			n.ended = append(n.ended, Ended{Ref: ref, Place: n.Name, State: api.TaskDone})
			delete(n.runs, ref)
		}
		for _, e := range n.ended {
			_ = f.apply(e)
		}
		n.ended = nil
	}
	f.t.Fatalf("tasks do not end: %+v", f.c.Queue())
}

// TestPlacement: what a task may ask for, and what one machine's queue says of it.
func TestPlacement(t *testing.T) {
	one := Restore(DefaultTimes(), Settings{}, nil)
	if _, err := one.Apply(t0, Add{Tasks: []api.NewTask{{Prompt: "p", Fleet: &api.Placement{Needs: []string{"gpu"}}}}}); err == nil {
		t.Error("the queue of one machine took a task of a fleet")
	}
	c := Restore(DefaultTimes(), Settings{Mode: api.QueueAuto}, nil)
	c.WithPlaces()
	for name, w := range map[string]api.Placement{"node": {Node: "../x"}, "need": {Needs: []string{"a b"}}, "loss": {OnNodeLoss: "maybe"}, "again": {OnNodeLoss: api.NodeLossAgain}} {
		if _, err := c.Apply(t0, Add{Tasks: []api.NewTask{{Prompt: "p", Fleet: &w}}}); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	do(t, c, 0, PlaceSeen{Place{Name: "a", Labels: []string{"claude"}, Slots: 2, Limited: []string{"claude"}}}, Add{Tasks: []api.NewTask{{Prompt: "p", Agent: "claude"}}})
	want(t, c, "t1", api.TaskQueued, "")
	do(t, c, 0, PlaceSeen{Place{Name: "a", Labels: []string{"claude"}, Slots: 2}})
	want(t, c, "t1", api.TaskStarting, "")
	do(t, c, unclaimedAfter, Tick{})
	if r := c.tasks["t1"]; r.Attempt != 2 || r.Failures != 0 {
		t.Errorf("an order that nobody took: %+v", r)
	}
	if _, err := c.Apply(t0.Add(unclaimedAfter), Claim{Of: Ref{"t1", 1}, Place: "a"}); err == nil {
		t.Error("an attempt that was given anew was claimed")
	}
	do(t, c, unclaimedAfter, Claim{Of: Ref{"t1", 2}, Place: "a"}, Claim{Of: Ref{"t1", 2}, Place: "a"},
		Moved{Ref: Ref{"t1", 2}, Place: "a", Session: "s", State: api.TaskWaiting, Reason: "asks"})
	want(t, c, "t1", api.TaskWaiting, "asks")
	do(t, c, unclaimedAfter, PlaceAway{Name: "a", Since: t0})
	do(t, c, time.Hour, Tick{})
	want(t, c, "t1", api.TaskWaiting, "asks") // it waits for its machine
	do(t, c, time.Hour, Ended{Ref: Ref{"t1", 2}, Place: "b", State: api.TaskDone})
	want(t, c, "t1", api.TaskWaiting, "asks") // another machine's word is nothing
	do(t, c, time.Hour, Ended{Ref: Ref{"t1", 2}, Place: "a", State: api.TaskDone, Result: api.TaskResult{Message: "m"}})
	want(t, c, "t1", api.TaskDone, "")
}
