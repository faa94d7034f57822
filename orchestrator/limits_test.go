package orchestrator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

// night plays sessions and tasks of two accounts that meet their limits, on a clock of its own, with
// daemons that are killed.
type night struct {
	t     *testing.T
	r     *rand.Rand
	c     *Core
	times Times
	now   time.Time
	// life counts the daemons: what one of them had under way is lost with it.
	life int
	todo []planned
	// room is when a class really has room.
	room map[string]time.Time
	// failed is when a pane's turn failed, zero once it works; typed are its effects that were
	// carried out, which a host does once.
	failed map[string]time.Time
	class  map[string]string
	typed  map[int64]bool
	// went are those that were chosen to go on, by class, each once.
	went map[string][]step
	done map[string]int // turns that ended well, by session or task
}

type planned struct {
	at   time.Time
	life int // 0: whatever daemon runs
	do   func()
}

type step struct {
	at   time.Time
	what string
}

func (n *night) plan(after time.Duration, life int, do func()) {
	n.todo = append(n.todo, planned{n.now.Add(after), life, do})
	slices.SortStableFunc(n.todo, func(a, b planned) int { return a.at.Compare(b.at) })
}

// soon is a time that something takes.
func (n *night) soon() time.Duration { return time.Duration(1+n.r.IntN(4000)) * time.Millisecond }

func (n *night) apply(e Event) {
	if _, err := n.c.Apply(n.now, e); err != nil {
		n.t.Fatalf("%#v: %v", e, err)
	}
	n.carryOut()
}

func (n *night) carryOut() {
	effects := n.c.Take().Effects
	n.c.Settle()
	for _, e := range effects {
		switch e.Kind {
		case DoGoOn:
			n.decided(n.class[e.Session], fmt.Sprint(e.Session, " ", e.Going))
			n.plan(n.soon(), n.life, func() { n.typeInto(e) })
		case DoStart:
			n.decided(n.c.tasks[e.Task].LimitClass(), fmt.Sprint(e.Task, " ", e.Attempt))
			n.plan(n.soon(), n.life, func() { n.start(e) })
		case DoEnd:
			n.plan(n.soon(), n.life, func() { n.apply(Exited{Ref: e.Ref, Code: new(int)}) })
		}
	}
}

// decided notes that one goes on, unless a daemon before had decided that.
func (n *night) decided(class, what string) {
	if !slices.ContainsFunc(n.went[class], func(s step) bool { return s.what == what }) {
		n.went[class] = append(n.went[class], step{n.now, what})
	}
}

// typeInto has a session go on, once for an effect.
func (n *night) typeInto(e Effect) {
	report := func() { n.apply(GoneOn{Session: e.Session, Going: e.Going}) }
	if n.typed[e.Going] {
		report()
		return
	}
	n.typed[e.Going] = true
	if n.failed[e.Session].IsZero() {
		n.t.Fatalf("%s was given a prompt and works already", e.Session)
	}
	n.failed[e.Session] = time.Time{}
	class := n.class[e.Session]
	refused := n.now.Before(n.room[class])
	n.plan(n.soon(), n.life, report)
	n.plan(n.soon(), 0, func() {
		if refused {
			n.failed[e.Session] = n.now
			n.limited(e.Session)
			return
		}
		n.done[e.Session]++
		n.apply(Answered{Session: e.Session})
	})
}

// limited tells of a pane that rests because of a limit, as the daemon does for each that it finds.
func (n *night) limited(session string) {
	class := n.class[session]
	n.apply(PaneLimited{Pane{Session: session, Class: class, Failed: n.failed[session], Until: n.said(class), Resume: api.ResumeOn, Priority: n.prio(session)}})
}

// said is what the agent says of a limit's end: true, nothing, or half an hour too early.
func (n *night) said(class string) time.Time {
	return [...]time.Time{n.room[class], n.room[class], {}, n.room[class].Add(-30 * time.Minute)}[n.r.IntN(4)]
}

func (n *night) prio(session string) int { return int(session[len(session)-1]) % 3 }

func (n *night) start(e Effect) {
	r := n.c.tasks[e.Task]
	if r.Attempt != e.Attempt || !r.HasSlot {
		return
	}
	class := r.LimitClass()
	refused := n.now.Before(n.room[class])
	n.apply(Started{Ref: e.Ref, Session: fmt.Sprint("s-", e.Task, "-", e.Attempt), Conversation: "conv-" + e.Task})
	n.plan(n.soon(), n.life, func() {
		n.apply(Delivered{Ref: e.Ref})
		n.plan(n.soon(), 0, func() {
			if refused {
				n.apply(Failed{Ref: e.Ref, Kind: FailUsage, Reason: "limit", Reset: n.said(class)})
				return
			}
			n.done[e.Task]++
			n.apply(TurnEnded{Ref: e.Ref})
		})
	})
}

// die kills the daemon: the next one has what was saved, and finds the sessions.
func (n *night) die() {
	data, err := json.Marshal(n.c.settings())
	if err != nil {
		n.t.Fatal(err)
	}
	var set Settings
	if err := json.Unmarshal(data, &set); err != nil {
		n.t.Fatal(err)
	}
	var records []Record
	var found []Found
	for _, r := range n.c.List() {
		records = append(records, *r)
		if r.HasSlot && r.Session != "" {
			found = append(found, Found{Ref: Ref{r.ID, r.Attempt}, Session: r.Session, Conversation: "conv-" + r.ID})
		}
	}
	n.life++
	n.todo = slices.DeleteFunc(n.todo, func(p planned) bool { return p.life != 0 })
	n.c = Restore(n.times, set, records)
	n.c.ResumeLost = true
	n.c.Recover(n.now, found)
	for _, f := range found { // what was under way of a task is told again
		if r := n.c.tasks[f.Task]; r.State == api.TaskStarting {
			n.plan(n.soon(), n.life, func() { n.apply(Delivered{Ref: f.Ref}) })
			n.plan(n.soon()+4*time.Second, 0, func() { n.done[f.Task]++; n.apply(TurnEnded{Ref: f.Ref}) })
		}
	}
	n.carryOut()
	for _, session := range sorted(n.failed) {
		if !n.failed[session].IsZero() {
			n.limited(session)
		}
	}
}

func sorted[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// TestPacing: eleven sessions of two accounts and twenty tasks meet limits whose stated ends may be
// wrong, while daemons are killed. All go on in the end, each once for a limit, 15 s apart, and more
// than one goes on only after one that met no limit.
func TestPacing(t *testing.T) {
	for seed := range uint64(300) {
		n := &night{t: t, r: rand.New(rand.NewPCG(seed, 3)), times: DefaultTimes(), now: time.Unix(1_800_000_000, 0), life: 1,
			failed: map[string]time.Time{}, class: map[string]string{}, typed: map[int64]bool{}, went: map[string][]step{}, done: map[string]int{}}
		n.times.Stall = 100 * time.Hour
		n.room = map[string]time.Time{"claude": n.now.Add(3 * time.Hour), "claude/work": n.now.Add(5 * time.Hour)}
		n.c = Restore(n.times, Settings{Mode: api.QueueAuto, Limit: 1 + n.r.IntN(6)}, nil)
		var tasks []api.NewTask
		for i := range 20 {
			task := api.NewTask{Prompt: "p", Kind: api.TaskInteractive, Agent: "claude", Priority: i % 3}
			if i%2 == 0 {
				task.Accounts = []string{"work"}
			}
			if i%5 == 0 {
				task.Accounts = []string{"work", api.AccountDefault}
			}
			tasks = append(tasks, task)
		}
		n.apply(Add{Tasks: tasks})
		for i := range 11 {
			session := fmt.Sprintf("pane%02d", i)
			n.class[session] = []string{"claude", "claude/work"}[i%2]
			n.plan(time.Duration(n.r.IntN(3600))*time.Second, 0, func() {
				n.failed[session] = n.now
				n.limited(session)
			})
		}
		n.play(n.now.Add(12 * time.Hour))
		n.check()
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// play lets time pass until then.
func (n *night) play(end time.Time) {
	for n.now.Before(end) {
		next := end
		if at := n.c.NextWake(); !at.IsZero() && at.Before(next) {
			next = maxTime(at, n.now.Add(time.Millisecond))
		}
		if len(n.todo) > 0 && n.todo[0].at.Before(next) {
			next = n.todo[0].at
		}
		n.now = maxTime(next, n.now)
		if n.r.IntN(20) == 0 {
			n.die()
			continue
		}
		if len(n.todo) > 0 && !n.todo[0].at.After(n.now) {
			p := n.todo[0]
			n.todo = n.todo[1:]
			p.do()
			continue
		}
		n.apply(Tick{})
	}
}

func (n *night) check() {
	for session := range n.class {
		if n.done[session] != 1 {
			n.t.Errorf("%s went on %d times: %+v", session, n.done[session], n.c.set.Panes[session])
		}
	}
	for _, r := range n.c.List() {
		if r.State != api.TaskDone || n.done[r.ID] == 0 {
			n.t.Errorf("%s is %s (%s)", r.ID, r.State, r.Reason)
		}
	}
	if len(n.c.set.Limits)+len(n.c.set.Panes) > 0 {
		n.t.Errorf("left over: %+v, %+v", n.c.set.Limits, n.c.set.Panes)
	}
	for class, list := range n.went {
		list = slices.DeleteFunc(list, func(s step) bool { return s.at.Before(n.room[class].Add(-time.Hour)) }) // the limit was not met yet
		for i, s := range list {
			if i > 0 && s.at.Sub(list[i-1].at) < n.times.Stagger {
				n.t.Errorf("%s: %s %s after %s", class, s.what, s.at.Sub(list[i-1].at), list[i-1].what)
			}
		}
	}
}

// TestPacingOrder: after the probe the most urgent goes first, then the one that has waited longest;
// a person's session goes before a task of the same priority.
func TestPacingOrder(t *testing.T) {
	c := queue(t)
	do(t, c, 0, Add{Tasks: []api.NewTask{{Prompt: "a", Kind: api.TaskInteractive, Agent: "claude"}}})
	do(t, c, 0, up("t1", 1)...)
	do(t, c, 0, Failed{Ref: Ref{"t1", 1}, Kind: FailUsage, Reason: "limit", Reset: t0.Add(time.Hour)}, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
	do(t, c, 0, Add{Tasks: []api.NewTask{{Prompt: "b", Kind: api.TaskInteractive, Agent: "claude", Priority: 5}}})
	for i, p := range []Pane{{Session: "low", Priority: -1}, {Session: "own", Resume: api.ResumeOwn}, {Session: "asked", Resume: api.ResumeAsk}, {Session: "off", Resume: api.ResumeOff}, {Session: "same"}, {Session: "first", Priority: 9}} {
		p.Class, p.Failed, p.Until, p.Resume = "claude", t0.Add(time.Duration(i)), t0.Add(time.Hour), cmp.Or(p.Resume, api.ResumeOn)
		do(t, c, time.Second, PaneLimited{p})
	}
	c.Settle()
	var order []string
	for at := time.Hour; at < 80*time.Minute; at += time.Second {
		do(t, c, at, Tick{})
		effects := c.Take().Effects
		c.Settle()
		for _, e := range effects {
			switch e.Kind {
			case DoGoOn:
				order = append(order, fmt.Sprintf("%s %s", e.Session, at-time.Hour))
				do(t, c, at, GoneOn{Session: e.Session, Going: e.Going}, Answered{Session: e.Session})
			case DoStart:
				order = append(order, fmt.Sprintf("%s %s", e.Task, at-time.Hour))
			}
		}
	}
	if want := []string{"first 0s", "t2 15s", "same 30s", "t1 45s", "low 1m0s", "own 3m0s"}; !slices.Equal(order, want) {
		t.Errorf("went on: %q, want %q", order, want)
	}
	// An answer that comes late counts at once.
	do(t, c, 90*time.Minute, PaneLimited{Pane{Session: "asked", Class: "claude", Failed: t0.Add(2), Until: t0.Add(time.Hour), Resume: api.ResumeOn}})
	if e := c.Take().Effects; len(e) != 1 || e[0].Session != "asked" {
		t.Errorf("%+v", e)
	}
}
