package orchestrator

import (
	"strings"
	"testing"
	"time"

	"ccdir/api"
)

var t0 = time.Unix(1e9, 0).UTC()

// queue is an auto core with tasks.
func queue(t *testing.T, tasks ...api.NewTask) *Core {
	t.Helper()
	c := Restore(DefaultTimes(), Settings{Mode: api.QueueAuto, Limit: 4}, nil)
	for _, n := range tasks {
		do(t, c, 0, Add{Tasks: []api.NewTask{n}})
	}
	return c
}

// do applies events at t0+at.
func do(t *testing.T, c *Core, at time.Duration, events ...Event) {
	t.Helper()
	for _, e := range events {
		if _, err := c.Apply(t0.Add(at), e); err != nil {
			t.Fatalf("%#v: %v", e, err)
		}
	}
}

func want(t *testing.T, c *Core, id string, state api.TaskState, reason string) {
	t.Helper()
	r := c.tasks[id]
	if r.State != state || !strings.Contains(r.Reason, reason) {
		t.Errorf("%s is %s (%s), want %s (%s)", id, r.State, r.Reason, state, reason)
	}
}

func code(n int) *int { return &n }

func up(task string, attempt int) []Event {
	ref := Ref{task, attempt}
	return []Event{Started{Ref: ref, Session: "s", Conversation: "conv"}, Delivered{Ref: ref}}
}

// TestLastNamed: who waits for a task by its name may come when it has ended.
func TestLastNamed(t *testing.T) {
	c := queue(t, api.NewTask{Name: "a"}, api.NewTask{Name: "a"}) // nothing to do: done at once
	find := func(want string) {
		t.Helper()
		if r, err := c.Find("a"); err != nil || r.ID != want {
			t.Errorf("%+v %v, want %s", r, err, want)
		}
	}
	find("t2")
	do(t, c, 0, Add{Tasks: []api.NewTask{{Name: "a", Prompt: "p"}}}, Add{Tasks: []api.NewTask{{Name: "b", Prompt: "p", After: []api.TaskAfter{{Task: "a"}}}}})
	find("t3")
	do(t, c, 0, Cancel{"a"})
	find("t3")
	want(t, c, "t4", api.TaskBlocked, "t3")
	if _, err := c.Find(""); err == nil {
		t.Error("tasks without a name were found by none")
	}
}

func TestRefusedAdds(t *testing.T) {
	for name, c := range map[string]struct {
		tasks []api.NewTask
		want  string
	}{
		"none":     {nil, "no task"},
		"cycle":    {[]api.NewTask{{Name: "a", After: []api.TaskAfter{{Task: "b"}}}, {Name: "b", After: []api.TaskAfter{{Task: "c"}}}, {Name: "c", After: []api.TaskAfter{{Task: "a"}}}}, "a → b → c → a"},
		"itself":   {[]api.NewTask{{Name: "a", Continue: "a"}}, "a → a"},
		"unknown":  {[]api.NewTask{{Prompt: "fine"}, {After: []api.TaskAfter{{Task: "t99"}}}}, `task 2: no task "t99"`},
		"twice":    {[]api.NewTask{{Name: "a"}, {Name: "a"}}, "in use"},
		"id":       {[]api.NewTask{{Name: "t7"}}, "not allowed"},
		"priority": {[]api.NewTask{{Priority: 101}}, "101"},
		"retries":  {[]api.NewTask{{Retries: -1}}, "-1"},
		"timeout":  {[]api.NewTask{{Timeout: -1}}, "negative"},
		"cost":     {[]api.NewTask{{MaxCost: -1}}, "negative"},
		"kind":     {[]api.NewTask{{Kind: "x"}}, "x"},
		"utf8":     {[]api.NewTask{{Prompt: "\xff"}}, "UTF-8"},
		"option":   {[]api.NewTask{{Conversation: "--version"}}, "no id of a conversation"},
		"label":    {[]api.NewTask{{Labels: []string{"fine", "a\nb"}}}, "label"},
		"labels":   {[]api.NewTask{{Labels: make([]string, maxLabels+1)}}, "too many"},
		"both":     {[]api.NewTask{{Continue: "t1", Conversation: "c"}}, "exclude"},
	} {
		core := Restore(DefaultTimes(), Settings{}, nil)
		if _, err := core.Apply(t0, Add{Tasks: c.tasks}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if ch := core.Take(); len(core.tasks) != 0 || len(ch.Trail) != 0 || core.set.Next != 1 {
			t.Errorf("%s: left something behind", name)
		}
	}
}

func TestInteractive(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p"}, api.NewTask{Prompt: "p", After: []api.TaskAfter{{Task: "t1"}}})
	want(t, c, "t1", api.TaskStarting, "")
	do(t, c, 1, Started{Ref: Ref{"t1", 1}, Session: "s"})
	want(t, c, "t1", api.TaskStarting, "") // not before it took its prompt
	do(t, c, 2, Delivered{Ref: Ref{"t1", 1}})
	want(t, c, "t1", api.TaskRunning, "")
	do(t, c, 3*time.Second, TurnEnded{Ref: Ref{"t1", 1}, Message: "hi"})
	do(t, c, 4*time.Second, Observed{Ref: Ref{"t1", 1}, State: api.StateWorking}) // the turn went on
	do(t, c, 9*time.Second, Tick{})
	want(t, c, "t1", api.TaskRunning, "")
	do(t, c, 10*time.Second, TurnEnded{Ref: Ref{"t1", 1}, Background: true})
	do(t, c, 20*time.Second, Tick{})
	want(t, c, "t1", api.TaskRunning, "") // work goes on behind
	do(t, c, 21*time.Second, TurnEnded{Ref: Ref{"t1", 1}})
	if at := c.NextWake(); !at.Equal(t0.Add(23 * time.Second)) {
		t.Error("wakes at", at.Sub(t0))
	}
	do(t, c, 23*time.Second, Tick{})
	want(t, c, "t1", api.TaskDone, "")
	want(t, c, "t2", api.TaskStarting, "")
	if r := c.tasks["t1"]; !r.HasSlot || r.Result.Message != "hi" {
		t.Errorf("%+v", r)
	}
	do(t, c, 24*time.Second, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
	if c.slots != 1 {
		t.Error(c.slots, "slots")
	}
}

func TestPrintNeedsBoth(t *testing.T) {
	ref := Ref{"t1", 1}
	exit, hook := Exited{Ref: ref, Code: code(0)}, TurnEnded{Ref: ref}
	for name, c := range map[string]struct {
		events  []Event
		later   time.Duration
		state   api.TaskState
		missing string
	}{
		"both":      {[]Event{hook, exit}, 0, api.TaskDone, ""},
		"other":     {[]Event{exit, hook}, 0, api.TaskDone, ""},
		"hook":      {[]Event{hook}, 9 * time.Second, api.TaskRunning, ""},
		"no exit":   {[]Event{hook}, 11 * time.Second, api.TaskDone, "exit"},
		"no hook":   {[]Event{exit}, 11 * time.Second, api.TaskDone, "hook"},
		"exit code": {[]Event{hook, Exited{Ref: ref, Code: code(1)}}, 0, api.TaskFailed, ""},
		"lost":      {[]Event{Exited{Ref: ref}}, 0, api.TaskFailed, ""},
	} {
		core := queue(t, api.NewTask{Prompt: "p", Kind: api.TaskPrint})
		do(t, core, 0, up("t1", 1)...)
		do(t, core, 0, c.events...)
		do(t, core, c.later, Tick{})
		if r := core.tasks["t1"]; r.State != c.state || r.Result.Missing != c.missing {
			t.Errorf("%s: %s, missing %q", name, r.State, r.Result.Missing)
		}
	}
}

func TestFailures(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", Retries: 5}, api.NewTask{Prompt: "p", After: []api.TaskAfter{{Task: "t1"}}},
		api.NewTask{Prompt: "p", After: []api.TaskAfter{{Task: "t1", Always: true}}})
	do(t, c, 0, Failed{Ref: Ref{"t1", 1}, Reason: "boom"})
	want(t, c, "t1", api.TaskQueued, "boom")
	do(t, c, 9*time.Second, Tick{})
	want(t, c, "t1", api.TaskQueued, "boom")
	do(t, c, 10*time.Second, Tick{})
	want(t, c, "t1", api.TaskStarting, "")
	do(t, c, 10*time.Second, Failed{Ref: Ref{"t1", 2}, Reason: "boom"})
	want(t, c, "t1", api.TaskWaiting, "twice in a row")
	do(t, c, 10*time.Hour, Tick{})
	want(t, c, "t1", api.TaskWaiting, "twice in a row")
	do(t, c, 10*time.Hour, StartNow{"t1"})
	want(t, c, "t1", api.TaskStarting, "")
	do(t, c, 10*time.Hour, Failed{Ref: Ref{"t1", 3}, Kind: FailInvalid, Reason: "no such directory"})
	want(t, c, "t1", api.TaskFailed, "no such directory")
	want(t, c, "t2", api.TaskBlocked, "t1, which it needs, is failed")
	want(t, c, "t3", api.TaskStarting, "")
}

func TestParked(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "1"}, api.NewTask{Prompt: "2"}, api.NewTask{Prompt: "3", Agent: "other"})
	for _, id := range []string{"t1", "t2"} {
		do(t, c, 0, up(id, 1)...)
		do(t, c, 0, Failed{Ref: Ref{id, 1}, Kind: FailUsage, Reason: "usage limit", Reset: t0.Add(time.Hour)}, Exited{Ref: Ref{id, 1}, Code: code(0)})
		want(t, c, id, api.TaskQueued, "usage limit")
	}
	want(t, c, "t3", api.TaskStarting, "")
	if at := c.NextWake(); !at.Equal(t0.Add(15 * time.Minute)) { // t3 stalls first
		t.Error("wakes at", at.Sub(t0))
	}
	do(t, c, time.Hour, Tick{})
	want(t, c, "t1", api.TaskStarting, "")
	want(t, c, "t2", api.TaskQueued, "")
	if r := c.tasks["t1"]; r.Resume != "conv" || r.Failures != 0 {
		t.Errorf("%+v", r)
	}
	do(t, c, time.Hour+15*time.Second, up("t1", 2)...)
	want(t, c, "t2", api.TaskQueued, "") // the first one has met no limit yet, and not said so
	do(t, c, time.Hour+20*time.Second, Answered{Session: c.tasks["t1"].Session})
	want(t, c, "t2", api.TaskStarting, "")
}

// TestAfterLimit: a task that is not to go on by itself waits for a person, or has failed.
func TestAfterLimit(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "1", ResumeAfterLimit: api.ResumeAsk}, api.NewTask{Prompt: "2", ResumeAfterLimit: api.ResumeOff}, api.NewTask{Prompt: "3", After: []api.TaskAfter{{Task: "t2"}}})
	for _, id := range []string{"t1", "t2"} {
		do(t, c, 0, up(id, 1)...)
		do(t, c, 0, Failed{Ref: Ref{id, 1}, Kind: FailUsage, Reason: "usage limit", Reset: t0.Add(time.Hour)}, Exited{Ref: Ref{id, 1}, Code: code(0)})
	}
	want(t, c, "t1", api.TaskWaiting, "`ccdir task start` has it go on")
	want(t, c, "t2", api.TaskFailed, "usage limit")
	want(t, c, "t3", api.TaskBlocked, "t2")
	do(t, c, 5*time.Hour, Tick{})
	want(t, c, "t1", api.TaskWaiting, "")
	do(t, c, 6*time.Hour, StartNow{"t1"})
	want(t, c, "t1", api.TaskStarting, "")
	if r := c.tasks["t1"]; r.Resume != "conv" {
		t.Errorf("it does not go on in its conversation: %+v", r)
	}
	if err := Check(api.NewTask{Prompt: "x", ResumeAfterLimit: api.ResumeOwn}); err == nil {
		t.Error("its own continuation, which a task has not, was taken")
	}
}

// TestParkedForEver: an agent whose limit ends in centuries, or when JSON can tell no year
// any more, is tried again like one that tells nothing.
func TestParkedForEver(t *testing.T) {
	for _, reset := range []time.Time{t0.AddDate(300, 0, 0), time.Unix(1<<62, 0), time.Unix(-1<<62, 0), t0.Add(maxPark + time.Second)} {
		c := queue(t, api.NewTask{Prompt: "1"})
		do(t, c, 0, up("t1", 1)...)
		do(t, c, 0, Failed{Ref: Ref{"t1", 1}, Kind: FailUsage, Reason: "usage limit", Reset: reset}, Exited{Ref: Ref{"t1", 1}, Code: code(0)})
		if at := c.NextWake(); at.After(t0.Add(maxBackoff)) {
			t.Errorf("by %s: wakes after %s", reset, at.Sub(t0))
		}
		do(t, c, time.Hour, Tick{})
		want(t, c, "t1", api.TaskStarting, "")
	}
}

func TestBounds(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "p", Timeout: api.Duration(time.Minute)}, api.NewTask{Prompt: "p", MaxCost: 1},
		api.NewTask{Prompt: "p", OnStall: api.StallInterrupt, StallPrompt: "go on"}, api.NewTask{Prompt: "p", OnStall: api.StallStop})
	for _, id := range []string{"t1", "t2", "t3", "t4"} {
		do(t, c, 0, up(id, 1)...)
	}
	do(t, c, time.Second, Used{Ref: Ref{"t2", 1}, Cost: 1.5})
	want(t, c, "t2", api.TaskFailed, "$1")
	do(t, c, time.Minute, Tick{})
	want(t, c, "t1", api.TaskTimedOut, "1m0s")
	c.Settle()
	do(t, c, 15*time.Minute, Tick{})
	want(t, c, "t3", api.TaskRunning, "no progress")
	want(t, c, "t4", api.TaskFailed, "no progress")
	if ch := c.Take(); len(ch.Effects) != 2 || ch.Effects[0].Text != "go on" || !c.tasks["t3"].Stalled {
		t.Errorf("%+v", ch.Effects)
	}
}

func TestStepsAndEmpty(t *testing.T) {
	c := queue(t, api.NewTask{Prompt: "a", Steps: []string{"b", " ", "c"}, Manual: true}, api.NewTask{Prompt: " \n"})
	want(t, c, "t2", api.TaskDone, "empty")
	do(t, c, 0, up("t1", 1)...)
	do(t, c, 0, TurnEnded{Ref: Ref{"t1", 1}})
	do(t, c, time.Minute, Tick{})
	want(t, c, "t1", api.TaskWaiting, "step 2 of 3")
	c.Settle()
	do(t, c, time.Hour, StartNow{"t1"})
	if ch := c.Take(); len(ch.Effects) != 1 || ch.Effects[0].Text != "b" || ch.Effects[0].Kind != DoDeliver {
		t.Errorf("%+v", ch.Effects)
	}
	want(t, c, "t1", api.TaskRunning, "")
}

// TestRecover: what ran is adopted, ended or lost, each as it is.
func TestRecover(t *testing.T) {
	var records []Record
	for i, n := range []api.NewTask{{Prompt: "adopted"}, {Prompt: "lost"}, {Prompt: "p", Kind: api.TaskPrint}, {Prompt: "p", Kind: api.TaskPrint, Idempotent: true, Retries: 1}, {Prompt: "not begun"}} {
		if n.Kind == "" {
			n.Kind = api.TaskInteractive
		}
		r := Record{Task: api.Task{ID: "t" + string(rune('1'+i)), NewTask: n, State: api.TaskRunning, Attempt: 1, Session: "s"}, Seq: int64(i + 1), Occupancy: Occupancy{HasSlot: true}}
		r.Result.Conversation = "conv"
		if i == 4 {
			r.State, r.Session = api.TaskStarting, ""
		}
		records = append(records, r)
	}
	c := Restore(DefaultTimes(), Settings{Mode: api.QueueAuto, Limit: 9}, records)
	c.Recover(t0, []Found{{Ref: Ref{"t1", 1}, Session: "s"}})
	want(t, c, "t1", api.TaskRunning, "")
	want(t, c, "t2", api.TaskFailed, "--resume conv")
	want(t, c, "t3", api.TaskFailed, "idempotent")
	want(t, c, "t4", api.TaskQueued, "lost")
	want(t, c, "t5", api.TaskStarting, "")
	if ch := c.Take(); len(ch.Effects) != 1 || ch.Effects[0].Kind != DoStart || ch.Effects[0].Task != "t5" {
		t.Errorf("%+v", ch.Effects)
	}
	// Without retries: being lost is no failure.
	c = Restore(DefaultTimes(), Settings{Mode: api.QueueAuto, Limit: 9}, records[1:2])
	c.ResumeLost = true
	c.Recover(t0, nil)
	if r := c.tasks["t2"]; r.State != api.TaskQueued || r.Resume != "conv" || r.ResumePrompt == "" {
		t.Errorf("%+v", r)
	}
}

// TestClockSetBack: the clock is set back by a day while no daemon runs. Back-off, a parked
// agent and a time limit take as long as they would have.
func TestClockSetBack(t *testing.T) {
	for _, jump := range []time.Duration{-24 * time.Hour, 0} {
		c := queue(t, api.NewTask{Prompt: "retried", Retries: 1}, api.NewTask{Prompt: "limited", Timeout: api.Duration(time.Hour)}, api.NewTask{Prompt: "parked", Agent: "other"})
		do(t, c, 0, up("t1", 1)...)
		do(t, c, 0, up("t2", 1)...)
		do(t, c, 0, up("t3", 1)...)
		do(t, c, time.Second, Failed{Ref: Ref{"t3", 1}, Kind: FailUsage, Reason: "overloaded"}, Exited{Ref: Ref{"t3", 1}, Code: code(1)},
			Failed{Ref: Ref{"t1", 1}, Reason: "it broke"}, Exited{Ref: Ref{"t1", 1}, Code: code(1)})
		delay := c.tasks["t1"].NotBefore.Sub(c.now)
		if c.tasks["t1"].State != api.TaskQueued || delay <= 0 {
			t.Fatalf("it does not back off: %+v", c.tasks["t1"])
		}
		var saved []Record
		for _, id := range []string{"t1", "t2", "t3"} {
			saved = append(saved, *c.tasks[id])
		}
		now := c.now.Add(jump)
		c = Restore(DefaultTimes(), c.set, saved)
		c.Recover(now, []Found{{Ref: Ref{"t2", 1}, Session: "s"}})
		if _, err := c.Apply(now.Add(max(delay, time.Minute+30*time.Second)), Tick{}); err != nil {
			t.Fatal(err)
		}
		want(t, c, "t1", api.TaskStarting, "")
		want(t, c, "t2", api.TaskRunning, "")
		want(t, c, "t3", api.TaskStarting, "")
		if _, err := c.Apply(now.Add(time.Hour), Tick{}); err != nil {
			t.Fatal(err)
		}
		want(t, c, "t2", api.TaskTimedOut, "1h0m0s")
	}
}

func filled(b *testing.B, n int) *Core {
	c := Restore(DefaultTimes(), Settings{Mode: api.QueueAuto, Limit: 4}, nil)
	list := make([]api.NewTask, n)
	for i := range list {
		list[i] = api.NewTask{Prompt: "p", Priority: i % 7}
	}
	if _, err := c.Apply(t0, Add{Tasks: list}); err != nil {
		b.Fatal(err)
	}
	c.Settle()
	return c
}

func BenchmarkAdd10000(b *testing.B) {
	for b.Loop() {
		filled(b, 10_000)
	}
}

func BenchmarkList10000(b *testing.B) {
	c := filled(b, 10_000)
	for b.Loop() {
		c.List()
	}
}

// BenchmarkStep10000 is one task's end and the next one's start.
func BenchmarkStep10000(b *testing.B) {
	c := filled(b, 10_000)
	for b.Loop() {
		var ref Ref
		for _, r := range c.active {
			ref = Ref{r.ID, r.Attempt}
			break
		}
		if _, err := c.Apply(t0, Failed{Ref: ref, Kind: FailInvalid}); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Apply(t0, Add{Tasks: []api.NewTask{{Prompt: "p"}}}); err != nil {
			b.Fatal(err)
		}
		c.Settle()
	}
}

func BenchmarkRestore10000(b *testing.B) {
	var records []Record
	for _, r := range filled(b, 10_000).List() {
		records = append(records, *r)
	}
	for b.Loop() {
		Restore(DefaultTimes(), Settings{}, records)
	}
}

// TestEdit: a queued task gets another prompt, place and other dependencies; what would
// not be true of a new task is refused and changes nothing.
func TestEdit(t *testing.T) {
	c := Restore(DefaultTimes(), Settings{Mode: api.QueueManual, Limit: 4}, nil)
	do(t, c, 0, Add{Tasks: []api.NewTask{{Name: "a", Prompt: "p"}, {Prompt: "q", After: []api.TaskAfter{{Task: "a"}}}, {Prompt: "r"}}})
	prompt, none, ten, much := "other", "", 10, 101
	behind := func(names ...string) *[]api.TaskAfter {
		list := []api.TaskAfter{}
		for _, n := range names {
			list = append(list, api.TaskAfter{Task: n})
		}
		return &list
	}
	do(t, c, 0, Edit{"t2", api.EditTask{Prompt: &prompt, After: behind()}}, Edit{"t3", api.EditTask{Priority: &ten, After: behind("t2")}})
	if r := c.tasks["t2"]; r.Prompt != "other" || len(r.Unmet) != 0 || r.State != api.TaskQueued {
		t.Errorf("%+v", r)
	}
	if list := c.List(); list[0].ID != "t3" || len(list[0].Unmet) != 1 || list[0].Unmet[0].Task != "t2" {
		t.Errorf("%+v", list[0])
	}
	for text, e := range map[string]Edit{
		"t2 → t3 → t2":    {"t2", api.EditTask{After: behind("t3")}},
		"t1 → t1":         {"a", api.EditTask{After: behind("a")}},
		"no task":         {"t2", api.EditTask{After: behind("nothing")}},
		"priority 101":    {"t2", api.EditTask{Priority: &much, Prompt: &none}},
		"no task \"t9\"":  {"t9", api.EditTask{}},
		"is cancelled: o": {"t4", api.EditTask{Prompt: &none}},
	} {
		if c.tasks["t4"] == nil {
			do(t, c, 0, Add{Tasks: []api.NewTask{{Prompt: "s"}}}, Cancel{"t4"})
		}
		if _, err := c.Apply(t0, e); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v, want %s", e, err, text)
		}
	}
	if r := c.tasks["t2"]; r.Prompt != "other" || r.Priority != 0 {
		t.Errorf("a refused change was made: %+v", r)
	}
	// Behind one that has failed it is blocked, like a new one.
	do(t, c, 0, Edit{"t2", api.EditTask{After: behind("t4")}})
	want(t, c, "t2", api.TaskBlocked, "t4, which it needs, is cancelled")
	want(t, c, "t3", api.TaskBlocked, "t2")
}

// TestTextIsBounded: prompts that have too many bytes together are refused; what ends or is edited
// makes room.
func TestTextIsBounded(t *testing.T) {
	long := strings.Repeat("x", maxPrompt)
	c := queue(t)
	for range MaxText / maxPrompt {
		do(t, c, 0, Add{Tasks: []api.NewTask{{Prompt: long}}})
	}
	add := func(text string) error {
		_, err := c.Apply(t0, Add{Tasks: []api.NewTask{{Prompt: text}}})
		return err
	}
	if err := add("one more"); api.CodeOf(err) != api.CodeLimit {
		t.Errorf("a full queue takes more: %v", err)
	}
	short := "short"
	do(t, c, 0, Edit{Task: "t64", Change: api.EditTask{Prompt: &short}}, Add{Tasks: []api.NewTask{{Prompt: long[:maxPrompt-100]}}})
	if err := add(long[:200]); api.CodeOf(err) != api.CodeLimit {
		t.Errorf("an edited task made too much room: %v", err)
	}
	do(t, c, 0, Cancel{"t63"})
	if err := add(long[:200]); err != nil {
		t.Errorf("a cancelled task still counts: %v", err)
	}
}
