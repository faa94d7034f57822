package outbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ccdir/api"
	"ccdir/tui/prompt/target"
	"ccdir/tui/ui"
	"ccdir/tui/widget/edit"
)

// gates holds calls until they are let go, by session.
type gates map[string]chan error

func (g gates) wait(ctx context.Context, to string) error {
	gate, held := g[to]
	if !held {
		return nil
	}
	select {
	case err := <-gate:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestInOrder: a session gets its texts in the order in which they were handed over,
// whichever call runs first; another session waits for none of them.
func TestInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		g := gates{"a": make(chan error)}
		r.c.answer = g.wait
		var calls []ui.Effect
		for _, text := range []string{"one", "two", "three"} {
			calls = append(calls, r.Send(entry(text), to("a"), "")...)
		}
		slices.Reverse(calls)
		r.start(calls)
		r.start(r.Send(entry("other"), to("b"), ""))
		r.called("send b other")
		if got := r.Progress(); got != "sending 3 texts: 0 of 3 sent…" {
			t.Errorf("progress %q", got)
		}
		for _, err := range []error{nil, errDialog, nil} {
			g["a"] <- err
			r.settle()
		}
		r.called("send b other", "send a one", "send a two", "send a three")
		if len(r.Jobs()) != 0 || len(r.ended) != 4 || r.ended[2].Draft.String() != "two" || r.ended[2].Problem == "" {
			t.Errorf("%d on their way, ended %+v", len(r.Jobs()), r.ended)
		}
	})
}

// TestAnswerFirst: an answer does not wait for the texts before it, which may wait for it;
// those after it do.
func TestAnswerFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		g := gates{"a": make(chan error), "": make(chan error)}
		r.c.answer = g.wait
		r.start(r.Send(entry("before"), to("a"), ""))
		r.start(r.Answer(entry("red"), api.Request{ID: "r1", Session: "a", Tool: "ask_person", Kind: api.RequestQuestion, Origin: api.OriginMCP}, "A"))
		r.start(r.Send(entry("after"), to("a"), ""))
		if !r.Answers("r1") || r.Answers("r2") {
			t.Error("the request is not answered by a text on its way")
		}
		g[""] <- nil
		r.settle()
		r.called("answer r1 allow red")
		if r.Answers("r1") {
			t.Error("the answer is still on its way")
		}
		for range 2 {
			g["a"] <- nil
			r.settle()
		}
		r.called("answer r1 allow red", "send a before", "send a after")
	})
}

// TestGroup: of a text to many sessions so many deliveries run at once; it comes back for
// those that did not get it, and says who was left out.
func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		var ids []string
		for i := range 3 * sendsAtOnce {
			ids = append(ids, fmt.Sprint("s", i))
		}
		gate := make(chan struct{})
		var under atomic.Int32
		r.c.answer = func(_ context.Context, to string) error {
			under.Add(1)
			defer under.Add(-1)
			<-gate
			if strings.HasSuffix(to, "1") { // s1, s11
				return errDialog
			}
			return nil
		}
		r.start(r.Send(entry("go"), to(ids...), "X is not idle any more"))
		if r.Group() == nil {
			t.Error("it is not on its way")
		}
		for i := range ids {
			if n := int(under.Load()); n != min(sendsAtOnce, len(ids)-i) {
				t.Errorf("%d deliveries at once after %d", n, i)
			}
			gate <- struct{}{}
			r.settle()
			if i < len(ids)-1 && len(r.ended) > 0 {
				t.Fatalf("it has ended after %d", i)
			}
		}
		if !r.last().Several || r.Group() != nil {
			t.Errorf("%+v", r.last())
		}
		failed := r.last().Target.IDs
		slices.Sort(failed)
		if r.back("go", "not sent to 2 of 12 (S", failed...); !slices.Equal(failed, []string{"s1", "s11"}) || !strings.HasSuffix(r.last().Problem, "a dialog is open; X is not idle any more") {
			t.Errorf("for %v: %s", failed, r.last().Problem)
		}
	})
}

// TestSameCall: a text that may have arrived is sent again under its id; one that has
// arrived is another one, as is the same text while the first is on its way.
func TestSameCall(t *testing.T) {
	late := api.Errorf(api.CodeTimeout, "not acknowledged")
	for _, tt := range []struct {
		name string
		errs []error // of the deliveries before the last
		same bool    // the last one has the id of the one before
	}{
		{"it has arrived", []error{nil}, false},
		{"its fate is unknown", []error{errUnsure}, true},
		{"unknown again and again", []error{errUnsure, errUnsure, errUnsure}, true},
		{"refused", []error{errDialog}, true},
		{"not acknowledged", []error{late}, true},
		{"not acknowledged twice", []error{late, late}, false},
		{"cancelled in between", []error{late, errUnsure, late}, false},
	} {
		r := newRig(t)
		for _, err := range tt.errs {
			r.c.fails(err)
			r.do(r.Send(entry("go"), to("a"), ""))
		}
		r.c.fails(nil)
		r.do(r.Send(entry("go"), to("a"), ""))
		n := len(r.c.ids)
		if same := r.c.ids[n-1] == r.c.ids[n-2]; same != tt.same {
			t.Errorf("%s: ids %v", tt.name, r.c.ids)
		}
		if len(r.tries.left) > 0 || r.last().Problem != "" {
			t.Errorf("%s: left %+v, %+v", tt.name, r.tries.left, r.last())
		}
		r.do(r.Send(entry("go"), to("b"), ""))
		r.do(r.Send(entry("go on"), to("a"), ""))
		if ids := r.c.ids[n-1:]; ids[0] == ids[1] || ids[0] == ids[2] {
			t.Errorf("%s: another text has its id: %v", tt.name, ids)
		}
	}
	r := newRig(t)
	first, second := r.Send(entry("go"), to("a"), ""), r.Send(entry("go"), to("a"), "")
	r.c.fails(errUnsure)
	r.do(slices.Concat(first, second))
	if r.c.ids[0] == r.c.ids[1] {
		t.Error("the same text twice has one id")
	}
}

// TestMadeOnce: a session or task whose making is unknown is asked for again as the same
// call; anything else is another call.
func TestMadeOnce(t *testing.T) {
	for name, ask := range map[string]func(r *rig, text string) []ui.Effect{
		"session": func(r *rig, text string) []ui.Effect {
			return r.Create(entry(text), api.NewSession{Prompt: text, CWD: "/w"}, 0)
		},
		"task": func(r *rig, text string) []ui.Effect {
			return r.Queue(entry(text), api.NewTask{Prompt: text, CWD: "/w"})
		},
	} {
		r := newRig(t)
		r.c.fails(errUnsure)
		r.do(ask(r, "fix"))
		if e := r.last(); e.Draft.String() != "fix" || !strings.Contains(e.Problem, "is not known") || e.Target.Kind != target.Focused {
			t.Errorf("%s: %+v", name, e)
		}
		r.c.fails(nil)
		r.do(ask(r, "fix"))
		r.do(ask(r, "fix"))
		r.c.fails(errUnsure)
		r.do(ask(r, "other"))
		r.do(ask(r, "fix"))
		if ids := r.c.ids; ids[0] != ids[1] || ids[1] == ids[2] || ids[3] == ids[4] || ids[2] == ids[4] {
			t.Errorf("%s: ids %v", name, ids)
		}
	}
}

// TestStop: what was not delivered of a stopped text comes back; the text behind it goes on.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		g := gates{"a": make(chan error)}
		r.c.answer = g.wait
		r.start(r.Send(entry("go"), to("a", "b"), ""))
		r.start(r.Send(entry("next"), to("a"), ""))
		if r.Group().Sent != 1 {
			t.Errorf("progress %+v", r.Group())
		}
		r.Stop(r.Jobs()[0].ID)
		if got := r.Jobs()[0].Progress(); got != "sending to 2 sessions: 1 sent, cancelling…" || r.Group() != nil {
			t.Errorf("progress %q", got)
		}
		r.settle()
		r.back("go", "not sent to A: cancelled", "a")
		g["a"] <- nil
		r.settle()
		r.called("send b go", "send a go", "send a next")
		r.Stop(7) // of a text that has ended: nothing
		if r.last().Problem != "" || len(r.Jobs()) > 0 {
			t.Errorf("%+v", r.last())
		}
	})
}

// TestBackToWhom: a text for one session comes back for it by name, unless that is still
// the one in focus.
func TestBackToWhom(t *testing.T) {
	r := newRig(t)
	r.c.fails(errDialog)
	r.env.Focus = "a"
	r.do(r.Send(entry("go"), to("a"), ""))
	if got := r.last().Target.Kind; got != target.Focused {
		t.Errorf("back for %v", r.last().Target)
	}
	r.env.Focus = "b"
	r.do(r.Send(entry("go"), to("a"), ""))
	r.back("go", "not sent to A: a dialog is open", "a")
}

// TestBounds: of too many texts on their way the outbox says that it is full; of too many
// that may have arrived it forgets the oldest.
func TestBounds(t *testing.T) {
	r := newRig(t)
	for range mostJobs {
		if r.Full() {
			t.Fatalf("full with %d", len(r.Jobs()))
		}
		r.Send(entry("go"), to("a"), "")
	}
	if !r.Full() {
		t.Error("not full")
	}
	r = newRig(t)
	r.c.fails(errUnsure)
	for i := range mostTries + 1 {
		r.do(r.Send(entry(fmt.Sprint(i)), to("a"), ""))
	}
	r.do(r.Send(entry("0"), to("a"), ""))
	r.do(r.Send(entry(fmt.Sprint(mostTries)), to("a"), ""))
	if n := len(r.c.ids); r.c.ids[0] == r.c.ids[n-2] || r.c.ids[n-1] != r.c.ids[n-3] || len(r.tries.left) != mostTries {
		t.Errorf("%d remembered", len(r.tries.left))
	}
}

// TestDrafts: each purpose has its draft; an empty one is none.
func TestDrafts(t *testing.T) {
	var d Drafts
	inBar := edit.New("a task")
	none, one, two, r1, r2 := Purpose{}, Purpose{Session: "a"}, Purpose{Session: "b"}, Purpose{"r1", "a"}, Purpose{"r2", "c"}
	for _, step := range []struct {
		purpose                Purpose
		finds, writes, lasting string
	}{
		{r1, "", "red", "a task"},
		{r2, "", "", "a task"},
		{r1, "red", "red!", "a task"},
		{none, "a task", "", ""},
		{r2, "", "blue", "blue"},
		{one, "", "for a", "for a"},
		{two, "", "for b", "for b"},
		{r1, "red!", "red!", "for a"},
		{one, "for a", "for a", "for a"},
		{two, "for b", "", ""},
		{one, "for a", "", ""},
		{none, "", "", ""},
	} {
		if inBar = d.Swap(step.purpose, inBar); inBar.String() != step.finds || d.Purpose != step.purpose {
			t.Errorf("%+v: found %q", step, inBar.String())
		}
		inBar = edit.New(step.writes)
		if got, _ := d.lasting(inBar); got.String() != step.lasting {
			t.Errorf("%+v: %q outlives the grid", step, got.String())
		}
	}
}

// TestDraftsBecome: a text that becomes one for another purpose takes the place of what was
// written for that, which is not lost.
func TestDraftsBecome(t *testing.T) {
	var d Drafts
	a, b := Purpose{Session: "a"}, Purpose{Session: "b"}
	d.Purpose = a
	inBar := d.Swap(b, edit.New("for a"))
	if got := d.Become(a); got.String() != "for a" || d.Purpose != a || !inBar.Empty() {
		t.Errorf("%q had its place", got.String())
	}
	if got := d.Become(a); !got.Empty() {
		t.Errorf("%q comes twice", got.String())
	}
	if !d.Put(b, edit.New("late")) || d.Put(b, edit.New("later")) || d.Put(a, edit.New("in the bar")) {
		t.Error("a text was put where there is one")
	}
}

// TestDraftsTakeOver: the drafts of requests that are over and of sessions that are gone are had
// once; a task for nobody in particular is over never.
func TestDraftsTakeOver(t *testing.T) {
	var d Drafts
	r1, r2, r3, gone := Purpose{Request: "r1"}, Purpose{Request: "r2"}, Purpose{Request: "r3"}, Purpose{Session: "gone"}
	d.Swap(r1, edit.New("a task"))
	d.Swap(r2, edit.New("red"))
	d.Swap(gone, edit.New("blue"))
	d.Swap(r3, edit.New("green"))
	scene := d
	open := func(p Purpose) bool { return p == r2 }
	if got := d.TakeOver(open); len(got) != 2 || got[0].String() != "green" || got[1].String() != "red" || len(d.TakeOver(open)) != 0 {
		t.Errorf("over is %v", got)
	}
	if a, b := d.Swap(r2, edit.Buffer{}), d.Swap(Purpose{}, edit.Buffer{}); a.String() != "blue" || b.String() != "a task" {
		t.Errorf("left are %q and %q", a.String(), b.String())
	}
	if got := scene.Swap(r1, edit.Buffer{}); got.String() != "red" {
		t.Errorf("what a scene shows has changed: %q", got.String())
	}
}

// TestNothingLost: whatever happens to deliveries, each text ends once, comes back for
// exactly those that did not get it, and no receiver sees one id with two texts or does
// one text twice.
func TestNothingLost(t *testing.T) {
	for seed := range uint64(50) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		r := newRig(t)
		seen := map[string]string{} // receiver and text, by id
		typed := map[string]int{}   // how often a receiver did it, by text
		r.cl = sender{send: func(to string, p api.SendPrompt) error {
			what := to + " " + p.Text
			if was, again := seen[p.ID]; again && was != what {
				t.Errorf("seed %d: %s was for %s, and is for %s", seed, p.ID, was, what)
			}
			if rnd.IntN(3) == 0 {
				return errDialog // before anything was typed
			}
			if seen[p.ID] == "" {
				typed[what]++
			}
			seen[p.ID] = what
			return []error{nil, errUnsure}[rnd.IntN(2)]
		}}
		sent := 0
		for text := range 20 {
			bar, receivers := entry(fmt.Sprint("text ", text)), to([]string{"a", "b", "c", "d"}[:1+rnd.IntN(4)]...)
			for len(receivers) > 0 {
				effects := r.Send(bar, receivers, "")
				sent++
				if id := r.Jobs()[0].ID; rnd.IntN(5) == 0 {
					r.Stop(id)
				}
				rnd.Shuffle(len(effects), func(i, j int) { effects[i], effects[j] = effects[j], effects[i] })
				r.do(effects)
				e := r.last()
				if len(r.ended) != sent || len(r.Jobs()) != 0 || (e.Problem == "") != (len(e.Target.IDs) == 0) {
					t.Fatalf("seed %d: %d sent, %d ended, %+v", seed, sent, len(r.ended), e)
				}
				receivers = to(e.Target.IDs...)
				if bar.Draft = e.Draft; len(receivers) > 0 && bar.Draft.String() != bar.Text {
					t.Fatalf("seed %d: back is %q", seed, bar.Draft.String())
				}
			}
			for _, id := range []string{"a", "b", "c", "d"} {
				if n := typed[id+" "+bar.Text]; n > 1 {
					t.Errorf("seed %d: %s typed %q %d times", seed, id, bar.Text, n)
				}
			}
		}
	}
}

// sender is a client that sends texts by a function.
type sender struct {
	ui.Client
	send func(to string, p api.SendPrompt) error
}

func (s sender) SendPrompt(ctx context.Context, to string, p api.SendPrompt) (api.SendResult, error) {
	if err := ctx.Err(); err != nil {
		return api.SendResult{}, err
	}
	return api.SendResult{}, s.send(to, p)
}
