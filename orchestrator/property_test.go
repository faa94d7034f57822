package orchestrator

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

var steps = flag.Int("steps", 1_000_000, "random events given to the core in TestModel")

// consistent holds the core's indices against the plain truth.
func (w *world) consistent() {
	c := w.c
	slots, open, counts := 0, 0, map[api.TaskState]int{}
	for id, r := range c.tasks {
		counts[r.State]++
		if r.State != w.state[id] {
			w.t.Fatalf("%s is %s, and by its events %s", id, r.State, w.state[id])
		}
		if r.HasSlot {
			slots++
			if w.alive[Ref{id, r.Attempt}] == nil && r.Exit.IsZero() {
				w.t.Fatalf("%s holds a slot without a session: %+v", id, r)
			}
		}
		if !r.State.Ended() {
			open++
		}
		if h := c.heapOf(r); h != nil {
			if i, ok := h.at[id]; !ok || h.list[i] != r {
				w.t.Fatalf("%s is not in its heap", id)
			}
		}
	}
	if slots != c.slots || open != c.open {
		w.t.Fatalf("%d slots %d open, counted %d and %d", c.slots, c.open, slots, open)
	}
	for s, n := range c.counts {
		if counts[s] != n {
			w.t.Fatalf("%s: %d, counted %d", s, n, counts[s])
		}
	}
	if best := w.plainNext(); c.slots < c.set.Limit && c.set.Mode != api.QueuePaused && best != nil {
		w.t.Fatalf("a slot is free and %s was left to wait", best.ID)
	}
}

// plainNext looks through all tasks for one that may begin.
func (w *world) plainNext() *Record {
	for _, r := range w.c.tasks {
		room := false
		for _, account := range options(r) {
			room = room || w.c.may(api.LimitClass(r.Agent, account)) && (r.First || w.unheld(r, account))
		}
		if r.State == api.TaskQueued && !r.HasSlot && !r.Ending && r.NotBefore.IsZero() && len(r.Unmet) == 0 &&
			room && (w.mode == api.QueueAuto || r.Approved) {
			return r
		}
	}
	return nil
}

// TestModel: whatever happens, in whatever order, the limit holds,
// dependencies hold, every step is a legal one, ends are final, no attempt
// begins twice, no slot stays empty while a task may begin, and a restart loses
// nothing.
func TestModel(t *testing.T) {
	n := *steps
	if testing.Short() {
		n = 50_000
	}
	w := newWorld(t, 7)
	for i := range n {
		switch w.r.IntN(4) {
		case 0:
			w.command()
		case 1:
			w.now = w.now.Add(time.Duration(w.r.IntN(30)) * time.Second)
			_ = w.apply(Tick{})
			w.wayOut(false)
		default:
			w.play(false)
		}
		if i%16 == 0 {
			w.consistent()
		}
		if i%1000 == 999 {
			w.forget()
		}
		if i%5000 == 4999 {
			w.restart()
		}
	}
	for _, s := range api.TaskStates() {
		if w.seen[s] < n/10_000 {
			t.Errorf("only %d of %d events led to %s: the run says little", w.seen[s], n, s)
		}
	}
	t.Logf("%v, kept %d times", w.seen, w.kept)
	if w.kept < n/10_000 {
		t.Errorf("holds kept tasks at %d of %d events alone: the run says little", w.kept, n)
	}
	w.drain()
}

// TestNoStarvation: a task of the lowest priority begins although tasks of the
// highest arrive for ever.
func TestNoStarvation(t *testing.T) {
	w := newWorld(t, 1)
	_ = w.apply(SetMode{api.QueueAuto})
	_ = w.apply(SetLimit{1})
	_ = w.apply(Add{Tasks: []api.NewTask{{Prompt: "busy"}, {Name: "low", Prompt: "p", Priority: -1}}})
	for i := 0; w.state["t2"] == api.TaskQueued; i++ {
		if i > 10*boost {
			t.Fatal("starved")
		}
		_ = w.apply(Add{Tasks: []api.NewTask{{Prompt: "p", Priority: 1}}})
		for len(w.alive) > 0 && w.state["t2"] == api.TaskQueued {
			ref := w.refs[0]
			w.play(true)
			w.now = w.now.Add(3 * time.Second)
			_ = w.apply(Tick{})
			if w.alive[ref] == nil {
				break
			}
		}
	}
}

func TestUndo(t *testing.T) {
	w := newWorld(t, 3)
	_ = w.apply(SetMode{api.QueueAuto})
	for range 200 {
		w.command()
		w.play(false)
	}
	shown := func() string {
		data, err := json.Marshal(struct {
			L []*Record
			S Settings
		}{w.c.List(), w.c.settings()})
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), `"gates":{},`, "")
	}
	before, mark := shown(), w.c.Mark()
	for i := range 20 {
		_, _ = w.c.Apply(w.now, Add{Tasks: []api.NewTask{w.task()}})
		_, _ = w.c.Apply(w.now, Cancel{fmt.Sprintf("t%d", i*3)})
		_, _ = w.c.Apply(w.now, SetLimit{i + 1})
	}
	if shown() == before {
		t.Fatal("nothing happened")
	}
	w.c.Undo(mark)
	w.c.Settle()
	if after := shown(); after != before {
		t.Errorf("not as before:\n%s\n%s", before, after)
	}
	w.consistent()
}
