package fleet_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ccdir/api"
	"ccdir/fleet"
	"ccdir/fleet/engine"
)

// TestLogs: what a task wrote is read from its machine, in parts that cut no character; a machine that is away is named.
func TestLogs(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	n1 := b.member(engine.Member{Name: "n1", Runs: true})
	stop := join(t, n1, "n1", nil, 1, newDaemon(false))
	list := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "first"}, {Prompt: "second"}}}).Tasks
	until(t, "it to run", func() bool { return states(t, me)[api.TaskRunning] == 1 })
	text := ""
	for more := true; more; {
		r := ask(t, me, "me", api.FleetRequest{Op: api.FleetLogs, Ref: list[0].ID, From: len(text)})
		if !utf8.ValidString(r.Text) {
			t.Fatal("a character was cut")
		}
		text, more = text+r.Text, r.More
	}
	if want := strings.Repeat("é", 300_000) + "first"; text != want {
		t.Errorf("%d bytes, wanted %d", len(text), len(want))
	}
	if r := ask(t, me, "me", api.FleetRequest{Op: api.FleetErrors, Ref: list[0].ID}); r.Text != "oh" {
		t.Errorf("%+v", r)
	}
	for name, refuse := range map[string]struct {
		ref  string
		code api.Code
	}{"not begun": {list[1].ID, api.CodeConflict}, "none": {"t99", api.CodeNotFound}} {
		if _, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: api.FleetLogs, Ref: refuse.ref}); api.CodeOf(err) != refuse.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, op := range []string{api.FleetTask, api.FleetLogs, api.FleetCancel} {
		if _, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: op, Ref: "t99"}); err == nil || !strings.Contains(err.Error(), "`ccdir task ls --fleet`") {
			t.Errorf("%s of a task that is none: %v", op, err)
		}
	}
	stop()
	if _, err := fleet.Ask(t.Context(), me, "me", api.FleetRequest{Op: api.FleetLogs, Ref: list[0].ID}); api.CodeOf(err) != api.CodeUnavailable || !strings.Contains(err.Error(), "n1") {
		t.Errorf("of a machine that is away: %v", err)
	}
}

// TestPatch: what a task's session changed is read from its machine byte for byte, and each part tells of which whole it is.
func TestPatch(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	d := newDaemon(false)
	join(t, b.member(engine.Member{Name: "n1", Runs: true}), "n1", nil, 1, d)
	list := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "first"}}}).Tasks
	until(t, "it to run", func() bool { return states(t, me)[api.TaskRunning] == 1 })
	var patch []byte
	parts := 0
	for more := true; more; parts++ {
		r := ask(t, me, "me", api.FleetRequest{Op: api.FleetPatch, Ref: list[0].ID, From: len(patch)})
		patch, more = append(patch, r.Part...), r.More
		if r.Text != `"huge.bin" is not in the patch (large)` {
			t.Errorf("what it lacks: %q", r.Text)
		}
		if want, _ := d.Diff(t.Context(), "s", api.DiffQuestion{Scope: api.DiffSession, Patch: true}); r.Whole != fmt.Sprintf("%x", sha256.Sum256(want.Patch)) {
			t.Errorf("part %d is of %q", parts, r.Whole)
		}
	}
	if want, _ := d.Diff(t.Context(), "s", api.DiffQuestion{Scope: api.DiffSession, Patch: true}); !bytes.Equal(patch, want.Patch) || parts != 2 {
		t.Errorf("%d bytes in %d parts, wanted %d in 2", len(patch), parts, len(want.Patch))
	}
}

// waiter is a machine's daemon whose tasks wait for a review.
type waiter struct{ *daemon }

func (w waiter) AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	added, err := w.daemon.AddTasks(ctx, list)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	t := &w.tasks[len(w.tasks)-1]
	t.State, t.Stage, t.Reason = api.TaskWaiting, api.StageReview, "waits for your review (`ccdir review s`): `ccdir task start "+t.ID+"` says that it is done"
	w.change <- *t
	return added, nil
}

func (w waiter) StartTask(ctx context.Context, ref string) (api.Task, error) {
	t, err := w.Task(ctx, ref)
	if err != nil || t.State != api.TaskWaiting || w.asked.Add(1) == 1 { // once the member starts what it has given it
		return t, err
	}
	return w.end(ref, api.TaskDone)
}

// TestReview: a task that waits for a review says where and how, and a person's word for the fleet's task ends it there.
func TestReview(t *testing.T) {
	b := newBox(t)
	b.lead("one")
	me := b.member(engine.Member{Name: "me", Asks: true})
	join(t, b.member(engine.Member{Name: "n1", Runs: true}), "n1", nil, 1, waiter{newDaemon(false)})
	ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "first", Manual: true}}})
	id := ask(t, me, "me", api.FleetRequest{Op: api.FleetAdd, Tasks: []api.NewTask{{Prompt: "a", Review: true}}}).Tasks[0].ID
	ask(t, me, "me", api.FleetRequest{Op: api.FleetCancel, Ref: "t1"})
	var got api.Task
	show := func(state api.TaskState) func() bool {
		return func() bool {
			got = ask(t, me, "me", api.FleetRequest{Op: api.FleetTask, Ref: id}).Tasks[0]
			return got.State == state
		}
	}
	until(t, "the review", show(api.TaskWaiting))
	if want := "waits for your review (on n1 `ccdir review s`, here `ccdir task patch --fleet " + id + "`): `ccdir task start --fleet " + id + "` says that it is done"; got.Reason != want {
		t.Errorf("it says %q, wanted %q", got.Reason, want)
	}
	ask(t, me, "me", api.FleetRequest{Op: api.FleetStart, Ref: id})
	until(t, "its end", show(api.TaskDone))
}
