package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ccdir/api"
)

// legal are the states that may follow one another.
var legal = map[api.TaskState][]api.TaskState{
	api.TaskQueued:   {api.TaskStarting, api.TaskDone, api.TaskCancelled, api.TaskBlocked},
	api.TaskStarting: {api.TaskRunning, api.TaskQueued, api.TaskWaiting, api.TaskFailed, api.TaskCancelled, api.TaskTimedOut},
	api.TaskRunning:  {api.TaskWaiting, api.TaskQueued, api.TaskDone, api.TaskFailed, api.TaskCancelled, api.TaskTimedOut},
	api.TaskWaiting:  {api.TaskRunning, api.TaskStarting, api.TaskQueued, api.TaskDone, api.TaskFailed, api.TaskCancelled, api.TaskTimedOut},
}

// world plays the sessions, and keeps the plain model that the core is held
// against: states by the trail alone, sessions alive by the effects alone.
type world struct {
	t        *testing.T
	r        *rand.Rand
	c        *Core
	now      time.Time
	state    map[string]api.TaskState
	after    map[string][]api.TaskAfter
	limit    int
	mode     api.QueueMode
	alive    map[Ref]*sim
	refs     []Ref
	ends     map[string]int
	attempts map[Ref]bool
	seen     map[api.TaskState]int
	// holds are in force; byHand are tasks that may start all the same, costs what the conversations of tasks cost.
	holds  []api.QueueHold
	byHand map[string]bool
	costs  map[string]map[string]float64
	kept   int // times at which a hold kept a task
}

type sim struct {
	session  string
	starting bool
	ending   bool
	step     int
	print    bool
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), now: time.Unix(1e9, 0), state: map[string]api.TaskState{},
		after: map[string][]api.TaskAfter{}, limit: 4, mode: api.QueueManual, alive: map[Ref]*sim{},
		ends: map[string]int{}, attempts: map[Ref]bool{}, seen: map[api.TaskState]int{}, byHand: map[string]bool{}, costs: map[string]map[string]float64{}}
	w.c = Restore(DefaultTimes(), Settings{}, nil)
	return w
}

func (w *world) apply(e Event) error {
	before, counts := w.occupied(), len(w.c.undo)
	if e, start := e.(StartNow); start {
		w.byHand[e.Task] = true // until it starts
		defer func() {
			if r := w.c.tasks[e.Task]; r == nil || !r.First {
				delete(w.byHand, e.Task)
			}
		}()
	}
	if e, used := e.(Used); used && w.c.tasks[e.Task] != nil && w.c.tasks[e.Task].Attempt == e.Attempt {
		if w.costs[e.Task] == nil {
			w.costs[e.Task] = map[string]float64{}
		}
		if r := w.c.tasks[e.Task]; e.Cost > 0 && r.HasSlot {
			w.costs[e.Task][r.Result.Conversation] = e.Cost
		}
	}
	ids, err := w.c.Apply(w.now, e)
	if err != nil {
		var known *api.Error
		if !errors.As(err, &known) {
			w.t.Fatalf("%#v: %v", e, err)
		}
		if len(w.c.undo) != counts {
			w.t.Fatalf("%#v was refused and changed something", e)
		}
		return err
	}
	switch e := e.(type) {
	case Add:
		for i, id := range ids {
			w.after[id] = e.Tasks[i].After
		}
	case Edit:
		if e.Change.After != nil {
			w.after[e.Task] = *e.Change.After
		}
	case SetLimit:
		w.limit = e.Limit
	case SetMode:
		w.mode = e.Mode
	case Quotas:
		w.holds = e.Holds
	}
	w.settle(before)
	return nil
}

// settle checks the trail and carries out the effects.
func (w *world) settle(before int) {
	changes := w.c.Take()
	for _, tr := range changes.Trail {
		switch tr.Note {
		case api.EventTaskAdded:
			w.state[tr.Task] = api.TaskQueued
			w.seen[api.TaskQueued]++
		case api.EventTaskState:
			if tr.From != w.state[tr.Task] || !slices.Contains(legal[tr.From], tr.To) {
				w.t.Fatalf("%s is %s; step %s → %s (%s)", tr.Task, w.state[tr.Task], tr.From, tr.To, tr.Reason)
			}
			w.state[tr.Task] = tr.To
			w.seen[tr.To]++
			if tr.To.Ended() {
				w.ends[tr.Task]++
			}
			if tr.To == api.TaskStarting {
				w.dependencies(tr.Task)
				if w.mode == api.QueuePaused {
					w.t.Fatalf("%s begins in a paused queue", tr.Task)
				}
			}
		}
	}
	for _, e := range changes.Effects {
		switch e.Kind {
		case DoStart:
			if w.attempts[e.Ref] {
				w.t.Fatalf("attempt %v begins twice", e.Ref)
			}
			w.attempts[e.Ref] = true
			w.allowed(*w.c.tasks[e.Task])
			w.alive[e.Ref] = &sim{starting: true, print: w.c.tasks[e.Task].Kind == api.TaskPrint}
			w.refs = append(w.refs, e.Ref)
		case DoDeliver:
			s := w.alive[e.Ref]
			if s == nil || s.session != e.Session || e.Text == "" {
				w.t.Fatalf("delivery to a session that is not there: %+v", e)
			}
			s.step = e.Step
		case DoEnd:
			if s := w.alive[e.Ref]; s != nil {
				s.ending = true
			}
		}
	}
	w.c.Settle()
	if n := w.occupied(); n > w.limit && n > before {
		w.t.Fatalf("%d slots in use, limit %d", n, w.limit)
	}
}

func (w *world) occupied() int { return len(w.alive) }

func (w *world) dependencies(id string) {
	for _, a := range w.after[id] {
		s := w.state[a.Task]
		if !s.Ended() || !a.Always && s != api.TaskDone {
			w.t.Fatalf("%s begins while %s is %s", id, a.Task, s)
		}
	}
}

func (w *world) drop(ref Ref) {
	delete(w.alive, ref)
	w.refs = slices.DeleteFunc(w.refs, func(r Ref) bool { return r == ref })
}

// play lets one session do something.
func (w *world) play(cooperative bool) {
	if len(w.refs) == 0 {
		if !cooperative {
			_ = w.apply(SetMode{api.QueueAuto})
			_ = w.apply(StartNow{w.some()})
		}
		return
	}
	ref := w.refs[w.r.IntN(len(w.refs))]
	s := w.alive[ref]
	code := 0
	switch {
	case s.starting && !cooperative && w.r.IntN(8) == 0:
		kinds := []FailureKind{FailTask, FailUsage, FailCapacity, FailInvalid}
		w.drop(ref)
		_ = w.apply(Failed{Ref: ref, Kind: kinds[w.r.IntN(4)], Reason: "no start"})
	case s.starting:
		s.starting, s.session = false, "s"+ref.Task
		conversation := fmt.Sprint("c", ref.Attempt)
		if r := w.c.tasks[ref.Task]; r != nil && r.Attempt == ref.Attempt && r.Resume != "" {
			conversation = r.Resume
		}
		_ = w.apply(Started{Ref: ref, Session: s.session, Conversation: conversation})
		if w.alive[ref] != nil && !w.alive[ref].ending {
			_ = w.apply(Delivered{Ref: ref, Step: s.step})
		}
	case s.ending:
		w.drop(ref)
		_ = w.apply(Exited{Ref: ref, Code: &code})
	case cooperative || w.r.IntN(2) == 0:
		_ = w.apply(Delivered{Ref: ref, Step: s.step})
		_ = w.apply(TurnEnded{Ref: ref, Step: s.step, Message: "ok"})
		if s.print && w.alive[ref] != nil {
			w.drop(ref)
			_ = w.apply(Exited{Ref: ref, Code: &code})
		}
	default:
		w.mischief(ref)
	}
}

func (w *world) mischief(ref Ref) {
	switch w.r.IntN(9) {
	case 0:
		code := w.r.IntN(2)
		w.drop(ref)
		_ = w.apply(Exited{Ref: ref, Code: &code})
	case 1:
		w.drop(ref)
		_ = w.apply(Exited{Ref: ref})
	case 2:
		_ = w.apply(Observed{Ref: ref, State: api.StatePermission})
	case 3:
		_ = w.apply(Observed{Ref: ref, State: api.StateWorking})
	case 4:
		_ = w.apply(Used{Ref: ref, Turns: w.r.IntN(20), Tokens: 5, Cost: float64(w.r.IntN(3))})
	case 5:
		_ = w.apply(Failed{Ref: ref, Kind: FailUsage, Reason: "limit", Reset: w.now.Add(time.Hour)})
	case 6:
		_ = w.apply(TurnEnded{Ref: ref, Step: w.alive[ref].step, Background: true})
	case 7: // from another attempt: changes nothing
		_ = w.apply(Exited{Ref: Ref{ref.Task, ref.Attempt + 1 - 2*w.r.IntN(2)}})
	case 8:
		_ = w.apply(Failed{Ref: ref, Kind: FailTask, Reason: "error"})
	}
}

func (w *world) task() api.NewTask {
	n := api.NewTask{PR: w.r.IntN(4) == 0, Review: w.r.IntN(6) == 0, Prompt: "p", Priority: w.r.IntN(201) - 100, Retries: w.r.IntN(4), Agent: []string{"", "a"}[w.r.IntN(2)]}
	if w.r.IntN(3) == 0 {
		n.Labels = [][]string{{"night"}, {"day", "night"}, {"other"}}[w.r.IntN(3)]
	}
	if w.r.IntN(3) == 0 {
		n.Accounts = [][]string{{"x"}, {"x", "y"}, {"y", api.AccountDefault}}[w.r.IntN(3)]
	}
	if w.r.IntN(8) == 0 {
		n.MaxCostAll = float64(1 + w.r.IntN(4))
	}
	switch w.r.IntN(8) {
	case 0:
		n.Prompt = " "
	case 1:
		n.Kind, n.Idempotent, n.PR, n.Review = api.TaskPrint, w.r.IntN(2) == 0, false, false
	case 2:
		n.Steps, n.Manual = []string{"q", "r"}, w.r.IntN(2) == 0
	case 3:
		n.Timeout, n.MaxTurns = api.Duration(2*time.Minute), 10
	case 4:
		n.OnStall = api.StallStop
	case 5:
		n.OnStall, n.StallPrompt = api.StallInterrupt, "go on"
		if !n.PR && !n.Review {
			n.Kind = []api.TaskKind{api.TaskInteractive, api.TaskPrint}[w.r.IntN(2)]
		}
	}
	for w.c.set.Next > 1 && w.r.IntN(3) == 0 {
		n.After = append(n.After, api.TaskAfter{Task: w.some(), Always: w.r.IntN(2) == 0})
	}
	n.After = slices.DeleteFunc(n.After, func(a api.TaskAfter) bool { return w.c.tasks[a.Task] == nil })
	return n
}

// wayOut says what became of a stage that some task is in.
func (w *world) wayOut(cooperative bool) {
	for _, id := range slices.Sorted(maps.Keys(w.c.tasks)) {
		r := w.c.tasks[id]
		if !onTheWay(r) || r.State == api.TaskWaiting || !cooperative && w.r.IntN(3) == 0 {
			continue
		}
		e := Staged{Task: id, Stage: r.Stage, Stages: r.Stages - w.r.IntN(8)/7, Outcome: StagePassed, Reason: "failed", Text: "mend it", Pull: &api.PullRequest{Number: 1}}
		switch {
		case r.Stage == api.StageOpen:
			e.Outcome = []StageOutcome{StageMerged, StageMerged, StageClosed, StageSeen, StageBack}[w.r.IntN(5)]
		case !cooperative:
			e.Outcome = []StageOutcome{StagePassed, StagePassed, StageBack, StageStuck}[w.r.IntN(4)]
		}
		if e.Keys = []string{fmt.Sprint(w.r.IntN(1000))}; e.Stage == api.StageChecks {
			e.Keys = nil
		}
		_ = w.apply(e)
		return
	}
}

// some is the id of a late task, mostly one that there is.
func (w *world) some() string { return fmt.Sprintf("t%d", max(1, w.c.set.Next-w.r.Int64N(100))) }

func (w *world) command() {
	any := w.some()
	switch w.r.IntN(40) {
	case 12, 13:
		_ = w.apply(w.quotas())
	case 0:
		_ = w.apply(SetLimit{w.r.IntN(8) - 1})
	case 1:
		_ = w.apply(SetMode{[]api.QueueMode{api.QueueManual, api.QueuePaused, "?", api.QueueAuto}[min(w.r.IntN(12), 3)]})
	case 2, 3, 4:
		_ = w.apply(Cancel{any})
	case 5, 6, 7, 8:
		_ = w.apply(StartNow{any})
	case 9:
		_ = w.apply(Move{any, []string{"", w.some()}[w.r.IntN(2)]})
	case 11:
		n := w.task()
		_ = w.apply(Edit{any, []api.EditTask{{Prompt: &n.Prompt, Priority: &n.Priority}, {After: &n.After}}[w.r.IntN(2)]})
	case 10:
		if w.r.IntN(20) == 0 {
			_ = w.apply(Clear{})
		}
	default:
		if w.c.open < 40 {
			_ = w.apply(Add{Tasks: []api.NewTask{w.task()}})
		}
	}
}

// forget drops ended tasks that nothing refers to, so that a long run stays fast.
func (w *world) forget() {
	for _, r := range w.c.tasks {
		if r.State.Ended() && !r.HasSlot && w.r.IntN(2) == 0 {
			w.c.index(r, nil)
			delete(w.costs, r.ID)
		}
	}
}

// restart makes the core anew from its saved form; sessions stay as they are.
func (w *world) restart() {
	var records []Record
	for _, r := range w.c.List() {
		data, err := json.Marshal(r)
		if err != nil {
			w.t.Fatal(err)
		}
		var back Record
		if err := json.Unmarshal(data, &back); err != nil {
			w.t.Fatal(err)
		}
		records = append(records, back)
	}
	w.c = Restore(DefaultTimes(), w.c.settings(), records)
	w.c.SetHolds(Quotas{Holds: w.holds, Labels: []string{"night"}})
	var found []Found
	before := w.occupied()
	for ref, s := range w.alive {
		if s.starting { // its start was cut off by the crash, and is asked for again
			w.drop(ref)
			delete(w.attempts, ref)
			w.byHand[ref.Task] = true // it had started
			continue
		}
		found = append(found, Found{Ref: ref, Session: s.session})
	}
	w.c.Recover(w.now, found)
	w.settle(before)
}

// drain lets everything come to its end.
func (w *world) drain() {
	_ = w.apply(Quotas{})
	_ = w.apply(SetMode{api.QueueAuto})
	_ = w.apply(SetLimit{3})
	for i := 0; w.c.open > 0; i++ {
		if i > 100_000 {
			w.t.Fatalf("%d tasks never end: %+v", w.c.open, w.c.Queue())
		}
		w.play(true)
		w.wayOut(true)
		for _, r := range w.c.List() {
			if r.State == api.TaskWaiting && (r.OnHold || onTheWay(r)) || r.State == api.TaskQueued && len(r.Unmet) == 0 && !w.withinBound(r) {
				_ = w.apply(StartNow{r.ID})
			}
		}
		w.now = w.now.Add(5 * time.Second)
		_ = w.apply(Tick{})
	}
	for id, n := range w.ends {
		if n != 1 {
			w.t.Fatalf("%s ended %d times", id, n)
		}
	}
	for id, s := range w.state {
		if !s.Ended() {
			w.t.Fatalf("%s stays %s", id, s)
		}
	}
}
