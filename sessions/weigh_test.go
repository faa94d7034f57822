package sessions

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/sessions/delivery"
	"ccdir/sessions/launch"
	"ccdir/sessions/state"
)

// TestWeighOrder: every step is after those that it names.
func TestWeighOrder(t *testing.T) {
	steps := weighSteps()
	for i, step := range steps {
		if step.why == "" || stepAt(steps, step.name) != i {
			t.Errorf("step %q has no reason, or the name of another step", step.name)
		}
		for _, earlier := range step.after {
			if at := stepAt(steps, earlier); at < 0 || at >= i {
				t.Errorf("step %q has to be after %q: %s", step.name, earlier, step.why)
			}
		}
	}
}

// TestWeighIsTold: ARCHITECTURE.md names the steps, in their order.
func TestWeighIsTold(t *testing.T) {
	data, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, way, _ := strings.Cut(string(data), "\n## The way of a hook\n")
	way, _, _ = strings.Cut(way, "\n## ")
	for _, step := range weighSteps() {
		_, after, found := strings.Cut(way, "`"+step.name+"`")
		if !found {
			t.Errorf("the way of a hook has no `%s`, or not in its place", step.name)
			continue
		}
		way = after
	}
}

// TestWeighOrderIsNeeded: what the steps say of their places is true. If one is moved before a
// step that it names, some session publishes something else.
func TestWeighOrderIsNeeded(t *testing.T) {
	told := playAll(t, weighSteps())
	for _, step := range weighSteps() {
		for _, earlier := range step.after {
			moved := slices.DeleteFunc(weighSteps(), func(o weighStep) bool { return o.name == step.name })
			moved = slices.Insert(moved, stepAt(moved, earlier), step)
			if slices.Equal(playAll(t, moved), told) {
				t.Errorf("step %q can be before %q; its reason is wrong: %s", step.name, earlier, step.why)
			}
		}
	}
}

// TestWeighOrderIsComplete: in every other order that the steps permit, all sessions publish the
// same.
func TestWeighOrderIsComplete(t *testing.T) {
	const orders = 24
	told := playAll(t, weighSteps())
	for seed := range uint64(orders) {
		steps := shuffled(seed)
		for i, got := range playAll(t, steps) {
			if got != told[i] {
				t.Fatalf("seed %d, %s: the order %s changes what is published:\n%s\nwant\n%s", seed, weighScenes[i].name, names(steps), got, told[i])
			}
		}
	}
}

// stepAt is the place of a step; -1 if there is none of that name.
func stepAt(steps []weighStep, name string) int {
	return slices.IndexFunc(steps, func(s weighStep) bool { return s.name == name })
}

func names(steps []weighStep) string {
	list := make([]string, 0, len(steps))
	for _, step := range steps {
		list = append(list, step.name)
	}
	return strings.Join(list, " ")
}

// shuffled is a random order that the steps permit.
func shuffled(seed uint64) (order []weighStep) {
	random := rand.New(rand.NewPCG(seed, 0))
	for left := weighSteps(); len(left) > 0; {
		var free []int
		for i, step := range left {
			if !slices.ContainsFunc(step.after, func(name string) bool { return stepAt(left, name) >= 0 }) {
				free = append(free, i)
			}
		}
		i := free[random.IntN(len(free))]
		order, left = append(order, left[i]), slices.Delete(left, i, i+1)
	}
	return order
}

// playAll plays every scene with the steps, and returns what its session published.
func playAll(t *testing.T, steps []weighStep) (told []string) {
	t.Helper()
	for _, sc := range weighScenes {
		synctest.Test(t, func(t *testing.T) {
			a := newDesk(t, &ledger{})
			defer a.Close()
			a.steps = steps
			s, err := a.find("aaaaaaaa")
			if err != nil {
				t.Fatal(err)
			}
			st := &stage{desk: a, s: s}
			st.in(func() { s.spec.Run, s.turn = &launch.TaskRun{Task: "t1"}, &state.TurnFacts{} })
			st.hook(agents.Hook{}, api.KindConversationBegins, api.StateIdle, "source=startup")
			sc.play(st)
			synctest.Wait()
			told = append(told, st.published())
		})
	}
	return told
}

// stage is a session of a task to which a scene happens.
type stage struct {
	*desk
	s    *session
	seen []string // why its screen was watched, after each evidence
}

// in runs fn in the actor.
func (st *stage) in(fn func()) {
	err := st.s.do(st.t.Context(), func() {
		fn()
		st.seen = append(st.seen, fmt.Sprint("screen ", st.s.looking))
	})
	if err != nil {
		st.seen = append(st.seen, err.Error())
	}
	synctest.Wait()
}

// hear has the session weigh evidence of this moment.
func (st *stage) hear(source api.EvidenceSource, says api.State, fields string, c change) {
	e := step{source: source, says: says, fields: fields}.evidence(0)
	e.At = time.Now()
	st.in(func() { st.s.weigh(e, c) })
}

// hook has the session take a hook of this moment.
func (st *stage) hook(h agents.Hook, kind api.EventKind, says api.State, fields string) {
	h.Evidence = step{source: api.SourceHook, name: string(kind), kind: kind, says: says, fields: fields}.evidence(0)
	h.Evidence.At = time.Now()
	st.in(func() { st.s.hook(h, "") })
}

// published is what the journal has of the session.
func (st *stage) published() string {
	st.journal.mu.Lock()
	defer st.journal.mu.Unlock()
	lines := st.seen
	for _, m := range st.journal.messages {
		data, err := json.Marshal(m)
		if err != nil {
			st.t.Fatal(err)
		}
		lines = append(lines, string(data))
	}
	return strings.Join(append(lines, string(st.journal.records[st.s.id])), "\n")
}

// weighScenes are what happens to sessions, so that every step has something to do.
var weighScenes = []struct {
	name string
	play func(*stage)
}{
	{"a dialog is put off, and the title shows that it was closed", func(st *stage) {
		st.hook(agents.Hook{Prompt: "go"}, api.KindPrompt, api.StateWorking, "")
		st.hear(api.SourceTitle, api.StateIdle, "text=rest", change{})
		st.hook(agents.Hook{}, api.KindDialog, api.StatePermission, "tool=Bash question=may-I")
		call := st.hold(st.t.Context(), "call", bash("aaaaaaaa", "ls"))
		if _, err := st.Snooze(st.t.Context(), "aaaaaaaa", time.Hour); err != nil {
			st.t.Error(err)
		}
		st.hear(api.SourceTitle, api.StateWorking, "text=work", change{})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		st.seen = append(st.seen, fmt.Sprint("screen ", st.s.looking, ", waits ", len(call) == 0))
	}},
	{"a prompt of a task is queued, and its turn is interrupted", func(st *stage) {
		st.hook(agents.Hook{Prompt: "a person's"}, api.KindPrompt, api.StateWorking, "prompt_id=one")
		st.in(func() {
			st.s.delivery.Restore(&delivery.InFlight{ID: "t1-1-0", Want: "thetask's", Ack: agents.Ack{Prompt: true}}, "")
		})
		st.hook(agents.Hook{Prompt: "the task's"}, api.KindPrompt, api.StateWorking, "prompt_id=two")
		st.hear(api.SourceHook, "", "", change{})
		interrupted := api.Evidence{Source: api.SourceHook, Kind: api.KindTurnInterrupted, Says: api.StateIdle, At: time.Now().Add(time.Second)}
		time.Sleep(time.Second)
		st.in(func() {
			st.s.weigh(interrupted, change{set: func(v *api.Session) { v.Answer = "half an answer" }})
		})
	}},
	{"a prompt is acknowledged by the work that it leads to", func(st *stage) {
		st.in(func() {
			st.s.delivery.Restore(&delivery.InFlight{ID: "t1-1-0", Want: "x", Ack: agents.Ack{Working: true}}, "")
		})
		st.hear(api.SourcePSP, api.StateWorking, "state=working", change{})
		st.hear(api.SourcePSP, api.StateIdle, "state=idle", change{})
	}},
	{"the end of a turn takes force late, and a call of another turn is reported before", func(st *stage) {
		st.hook(agents.Hook{Prompt: "go"}, api.KindPrompt, api.StateWorking, "")
		st.hear(api.SourceTitle, api.StateWorking, "text=work", change{})
		time.Sleep(time.Second)
		st.hook(agents.Hook{Reply: "done"}, api.KindTurnEnds, api.StateIdle, "")
		q := bash("aaaaaaaa", "ls")
		begins := step{source: api.SourceHook, name: "tool", kind: api.KindToolBegins, says: api.StateWorking, fields: "tool=Bash tool_use_id=one"}.evidence(0)
		begins.At = time.Now().Add(-time.Millisecond)
		st.in(func() {
			st.s.hook(agents.Hook{Tool: "Bash", ToolInput: q.Input, FullInput: q.Input, Evidence: begins}, "")
		})
		time.Sleep(5 * time.Second)
		st.hold(st.t.Context(), "call", q)
	}},
	{"the work begins by asking the API again", func(st *stage) {
		st.hear(api.SourcePSP, api.StateWorking, `state=working retry={"attempt":1}`, change{})
		st.hear(api.SourcePSP, api.StateWorking, "state=working", change{})
	}},
}

// TestReplyOfALateEnd: the end of a turn that takes force later, because the title shows work, keeps
// the agent's last message for the task.
func TestReplyOfALateEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newDesk(t, &ledger{})
		defer a.Close()
		s, err := a.find("aaaaaaaa")
		if err != nil {
			t.Fatal(err)
		}
		st := &stage{desk: a, s: s}
		st.in(func() {
			s.spec.Run, s.turn = &launch.TaskRun{Task: "t1"}, &state.TurnFacts{Delivery: "t1-1-0", Taken: time.Now()}
		})
		st.hook(agents.Hook{}, api.KindConversationBegins, api.StateIdle, "source=startup")
		st.hook(agents.Hook{Prompt: "go"}, api.KindPrompt, api.StateWorking, "")
		st.hear(api.SourceTitle, api.StateWorking, "text=work", change{})
		time.Sleep(time.Second)
		st.hook(agents.Hook{Reply: "it is done"}, api.KindTurnEnds, api.StateIdle, "")
		before, err := a.TaskSession(t.Context(), s.id)
		if err != nil || !before.Idle.IsZero() || before.Reply != "it is done" {
			t.Fatalf("right after the end: idle %v, reply %q, %v", before.Idle, before.Reply, err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		after, err := a.TaskSession(t.Context(), s.id)
		if err != nil || after.Idle.IsZero() || after.Reply != "it is done" {
			t.Errorf("once it rests: idle %v, reply %q, %v", after.Idle, after.Reply, err)
		}
	})
}
