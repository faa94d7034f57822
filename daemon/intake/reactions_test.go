package intake

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/config"
)

// journal is a log in memory.
type journal struct {
	*world
	change *sync.Cond
	events []api.Event
}

func newJournal(w *world) *journal {
	j := &journal{world: w, change: sync.NewCond(&sync.Mutex{})}
	j.happens(api.Event{Type: api.EventDaemonStarted, Source: "daemon"})
	return j
}

// happens appends an event.
func (j *journal) happens(e api.Event) {
	j.change.L.Lock()
	defer j.change.L.Unlock()
	e.Seq = int64(len(j.events) + 1)
	if e.At.IsZero() {
		e.At = time.Now()
	}
	j.events = append(j.events, e)
	j.change.Broadcast()
}

// enters appends the event of a task that enters a state.
func (j *journal) enters(task string, to api.TaskState) {
	data, _ := json.Marshal(api.TaskStep{Task: task, From: api.TaskRunning, To: to})
	j.happens(api.Event{Type: api.EventTaskState, Source: "daemon", Message: "task " + task + " is " + string(to), Data: data})
}

func (j *journal) Append(m api.WatchMessage, record []byte, key string) <-chan error {
	j.happens(*m.Event)
	return j.world.Append(m, record, key)
}

func (j *journal) Events(context.Context, api.EventFilter) ([]api.Event, error) {
	j.change.L.Lock()
	defer j.change.L.Unlock()
	return slices.Clone(j.events[len(j.events)-1:]), nil
}

func (j *journal) Tail(ctx context.Context, f api.EventFilter, each func(api.Event) error) error {
	defer context.AfterFunc(ctx, func() { j.change.L.Lock(); j.change.Broadcast(); j.change.L.Unlock() })()
	for next := int(f.Since); ; next++ {
		j.change.L.Lock()
		for next >= len(j.events) && ctx.Err() == nil {
			j.change.Wait()
		}
		if ctx.Err() != nil {
			j.change.L.Unlock()
			return ctx.Err()
		}
		e := j.events[next]
		j.change.L.Unlock()
		if err := each(e); err != nil {
			return err
		}
	}
}

func (j *journal) Session(id string) (api.Session, bool) {
	return api.Session{ID: id, Name: "api", CWD: "/"}, id == "s-1"
}

// load has w a configuration.
func (w *world) load(t *testing.T, text string) {
	t.Helper()
	l := config.Parse([]byte(text), "f", "/home/me")
	if len(l.Problems) > 0 {
		t.Fatal(l.Problems)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.config = &l
}

// reacts begins reactions; stop ends them.
func (j *journal) reacts(t *testing.T, dir string, pause func(string)) (r *Reactions, stop func()) {
	t.Helper()
	r, err := OpenReactions(t.Context(), ReactionOptions{Store: j.world, Log: j, Task: j.Lookup, Config: j.loaded, Env: os.Environ(), Dir: dir, Now: time.Now, Pause: pause, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	return r, func() { cancel(); <-ended }
}

// until waits until ok holds.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not come", what)
		}
	}
}

// lines are those of a file.
func lines(file string) []string {
	data, err := os.ReadFile(file)
	if err != nil || len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestReacts: an event starts its commands once, with itself on standard input, in the order of the
// log, also one that came while no daemon ran; conditions select; what is new in the file begins then.
func TestReacts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.tasks = []api.Task{{ID: "t1", NewTask: api.NewTask{Name: "tests", CWD: "/tmp", Env: []string{"SECRET=1"}}}}
	j := newJournal(w)
	dir := t.TempDir()
	const on = "[[on]]\nevent = 'task.done'\nrun = 'printf \"%s\\\\n\" \"$(cat)\" >> all'\n" +
		"[[on]]\nevent = ['task.failed', 'task.done']\nif = 'event.data.task == \"t2\"'\nrun = 'echo $CCDIR_EVENT $CCDIR_TASK $CCDIR_DIR >> some'\n"
	w.load(t, on)
	j.enters("t0", api.TaskDone) // before anybody reacts
	r, stop := j.reacts(t, dir, func(string) {})
	j.enters("t1", api.TaskRunning)
	j.enters("t1", api.TaskDone)
	j.enters("t2", api.TaskFailed)
	until(t, "both", func() bool { return len(lines(dir+"/all")) == 1 && len(lines(dir+"/some")) == 1 })
	var in api.ReactionInput
	if err := json.Unmarshal([]byte(lines(dir + "/all")[0]), &in); err != nil || in.Name != "task.done" || in.Task == nil || in.Task.Name != "tests" || in.Event.Type != api.EventTaskState || strings.Contains(lines(dir + "/all")[0], "SECRET") {
		t.Errorf("%v %+v", err, in)
	}
	if got := lines(dir + "/some")[0]; got != "task.failed" {
		t.Errorf("%q", got)
	}
	until(t, "its record", func() bool {
		list := r.List()
		return list[0].Runs == 1 && list[1].Runs == 1 && list[0].Last.Error == ""
	})
	stop()
	j.enters("t3", api.TaskDone)
	w.load(t, on+"[[on]]\nevent = '*'\nrun = 'echo $CCDIR_EVENT >> any'\n")
	_, stop = j.reacts(t, dir, func(string) {})
	defer stop()
	j.enters("t4", api.TaskDone)
	until(t, "those of before and after", func() bool { return len(lines(dir+"/all")) == 3 && len(lines(dir+"/any")) == 1 })
}

// TestReactsOnce: a daemon that dies before the command began does not run it again; one that could
// not record it runs it all the same.
func TestReactsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	j := newJournal(w)
	dir := t.TempDir()
	w.load(t, "[[on]]\nevent = 'task.done'\nrun = 'echo x >> out'\n")
	claimed := make(chan struct{})
	_, stop := j.reacts(t, dir, func(string) {
		close(claimed)
		select {} // the end of the daemon
	})
	_ = stop // it never returns
	j.enters("t1", api.TaskDone)
	<-claimed
	_, stop = j.reacts(t, dir, func(string) {})
	defer stop()
	j.enters("t2", api.TaskDone)
	until(t, "the second", func() bool { return len(lines(dir+"/out")) == 1 })
	w.mu.Lock()
	w.broken = fmt.Errorf("disk full")
	w.mu.Unlock()
	j.enters("t3", api.TaskDone)
	until(t, "the third", func() bool { return len(lines(dir+"/out")) == 2 })
}

// TestReactionBounds: a command that hangs, with all that it started, is ended; endless output is cut;
// at most four run at once; a failure is told once, until it has worked.
func TestReactionBounds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	j := newJournal(w)
	dir := t.TempDir()
	w.load(t, "[[on]]\nevent = 'task.failed'\nrun = 'sleep 1000 & echo $! > pid; sleep 1000'\ntimeout = '1s'\n"+
		"[[on]]\nevent = 'task.cancelled'\nrun = 'yes | head -c 10000000; test -e ok || { echo no >&2; exit 3; }'\n"+
		"[[on]]\nevent = 'task.done'\nrun = 'echo begun >> at; while ! test -e go; do sleep 0.02; done'\n")
	r, stop := j.reacts(t, dir, func(string) {})
	defer stop()
	j.enters("t1", api.TaskFailed)
	until(t, "its end", func() bool { return r.List()[0].Last != nil })
	if last := r.List()[0].Last; !strings.Contains(last.Error, "after 1s") {
		t.Errorf("%+v", last)
	}
	pid := lines(dir + "/pid")[0]
	until(t, "the end of what it started", func() bool {
		state, err := os.ReadFile("/proc/" + pid + "/stat") // without /proc it has ended
		return err != nil || strings.Contains(string(state), ") Z ")
	})

	for range 3 {
		j.enters("t2", api.TaskCancelled)
	}
	until(t, "three failures", func() bool { return r.List()[1].Failures == 3 })
	if v := r.List()[1]; len(v.Last.Output) > maxOutput || !strings.HasPrefix(v.Last.Error, "exit status 3") {
		t.Errorf("%d bytes, %q", len(v.Last.Output), v.Last.Error)
	}
	told := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Count(strings.Join(w.told, "\n"), "[[on]] 2 for task.cancelled failed")
	}
	until(t, "the telling", func() bool { return told() == 1 })
	if err := os.WriteFile(filepath.Join(dir, "ok"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j.enters("t2", api.TaskCancelled)
	until(t, "a success", func() bool { return r.List()[1].Last.Error == "" })
	_ = os.Remove(filepath.Join(dir, "ok"))
	j.enters("t2", api.TaskCancelled)
	until(t, "another failure", func() bool { return told() == 2 })

	for range 6 {
		j.enters("t3", api.TaskDone)
	}
	until(t, "four at once", func() bool { return len(lines(dir+"/at")) == 4 })
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "all", func() bool { return r.List()[2].Runs == 6 })
}

// TestReactionFaults: names and conditions that cannot be are told, conditions that fail are a
// failure of the reaction, and events that are too old are passed over.
func TestReactionFaults(t *testing.T) {
	t.Parallel()
	w := newWorld()
	j := newJournal(w)
	dir := t.TempDir()
	w.load(t, "[[on]]\nevent = 'task.dome'\nrun = 'x'\n[[on]]\nevent = '*'\nif = 'nobody > 1'\nrun = 'x'\n"+
		"[[on]]\nevent = 'task.done'\nif = 'event.data.none.none == 1'\nrun = 'x'\n[[on]]\nevent = 'task.failed'\nrun = 'x'\n[[on]]\nevent = 'session.idle'\nif = 'session.name == \"api\"'\nrun = 'echo $CCDIR_NAME > name'\n")
	r, stop := j.reacts(t, dir, func(string) {})
	defer stop()
	list := r.List()
	if !strings.Contains(list[0].Fault, `did you mean "task.done"`) || !strings.Contains(list[1].Fault, "nobody") || list[2].Fault != "" {
		t.Errorf("%+v", list)
	}
	for _, number := range []int{-1, 6} {
		if _, err := r.Test(t.Context(), api.ReactionTest{Event: "task.failed", Number: number}); api.CodeOf(err) != api.CodeNotFound || !strings.Contains(err.Error(), "which has 5") {
			t.Errorf("[[on]] %d: %v", number, err)
		}
	}
	j.enters("t1", api.TaskDone)
	until(t, "the failure", func() bool { return r.List()[2].Failures == 1 })
	j.happens(api.Event{At: time.Now().Add(-time.Hour), Type: api.EventTaskState, Data: []byte(`{"to":"failed"}`)})
	until(t, "the old one", func() bool {
		last := r.List()[3].Last
		return last != nil && strings.Contains(last.Error, "older than")
	})
	j.happens(api.Event{Session: "s-1", Type: "TheAgentsWord", Kind: api.KindTurnEnds, Source: "hook", StateFrom: api.StateWorking, StateTo: api.StateIdle})
	until(t, "a session's", func() bool { return slices.Equal(lines(dir+"/name"), []string{"api"}) })
}

// TestHostileEvents: texts of agents reach commands as text.
func TestHostileEvents(t *testing.T) {
	t.Parallel()
	w := newWorld()
	j := newJournal(w)
	dir := t.TempDir()
	w.load(t, "[[on]]\nevent = 'message'\nrun = 'printf %s \"$CCDIR_MESSAGE\" > text; cat > json'\n")
	_, stop := j.reacts(t, dir, func(string) {})
	defer stop()
	hostile := "$(touch mark) `touch mark`; touch mark\x00\x1b]0;x\a" + strings.Repeat("x", 200<<10)
	data, _ := json.Marshal(api.Message{Text: hostile})
	j.happens(api.Event{Type: api.EventMessage, Source: "mcp", Message: hostile, Data: data})
	var in api.ReactionInput
	until(t, "the event", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "json"))
		return err == nil && json.Unmarshal(text, &in) == nil
	})
	if _, err := os.Stat(filepath.Join(dir, "mark")); err == nil {
		t.Error("it ran")
	}
	var m api.Message
	if json.Unmarshal(in.Event.Data, &m) != nil || m.Text != hostile {
		t.Errorf("%d bytes of %d", len(m.Text), len(hostile))
	}
}
