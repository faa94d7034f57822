package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// disk is a store in memory that can be full.
type disk struct {
	mu       sync.Mutex
	full     bool
	rows     map[string]Row
	settings []byte
}

func (d *disk) CommitTasks(rows []Row, settings []byte, _ []Transition) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return errors.New("disk full")
	}
	for _, r := range rows {
		d.rows[r.ID] = r
	}
	if settings != nil {
		d.settings = settings
	}
	return nil
}

func (d *disk) setFull(full bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = full
}

// restore makes a core from what is on the disk.
func (d *disk) restore(t *testing.T) *Core {
	d.mu.Lock()
	defer d.mu.Unlock()
	var set Settings
	var records []Record
	if d.settings != nil {
		if err := json.Unmarshal(d.settings, &set); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range d.rows {
		var r Record
		if err := json.Unmarshal(row.Record, &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return Restore(DefaultTimes(), set, records)
}

// agents plays sessions whose turns take a minute. What it holds outlives the
// queue, as hosts do.
type agents struct {
	t        *testing.T
	d        *disk
	mu       sync.Mutex
	sessions map[Ref]*session
	most     int
}

type session struct {
	ended     chan struct{}
	prompts   map[int]string
	finish    time.Time
	endedOnce sync.Once
}

func (a *agents) Do(ctx context.Context, e Effect, task Record, report func(Event)) {
	a.d.mu.Lock()
	saved := string(a.d.rows[e.Task].Record)
	a.d.mu.Unlock()
	if !strings.Contains(saved, fmt.Sprintf(`"attempt":%d`, e.Attempt)) {
		a.t.Errorf("%s before it was saved", e.Kind)
	}
	a.mu.Lock()
	s := a.sessions[e.Ref]
	if e.Kind == DoStart && s == nil {
		s = &session{ended: make(chan struct{}), prompts: map[int]string{}}
		a.sessions[e.Ref] = s
		n := 0
		for _, s := range a.sessions {
			select {
			case <-s.ended:
			default:
				n++
			}
		}
		a.most = max(a.most, n)
	}
	first := e.Kind == DoDeliver && s.prompts[e.Step] == ""
	if first {
		s.prompts[e.Step] = e.Text
		s.finish = time.Now().Add(time.Minute)
	}
	a.mu.Unlock()
	switch e.Kind {
	case DoStart:
		report(Started{Ref: e.Ref, Session: "s-" + e.Task})
		<-either(ctx, s.ended)
		if ctx.Err() == nil {
			zero := 0
			report(Exited{Ref: e.Ref, Code: &zero})
		}
	case DoDeliver:
		report(Delivered{Ref: e.Ref, Step: e.Step})
		a.turn(ctx, e.Ref, s, report)
	case DoEnd:
		s.endedOnce.Do(func() { close(s.ended) })
	}
}

func either(ctx context.Context, ch chan struct{}) <-chan struct{} {
	out := make(chan struct{})
	go func() {
		defer close(out)
		select {
		case <-ctx.Done():
		case <-ch:
		}
	}()
	return out
}

func (a *agents) turn(ctx context.Context, ref Ref, s *session, report func(Event)) {
	a.mu.Lock()
	finish, step := s.finish, len(s.prompts)-1
	a.mu.Unlock()
	select {
	case <-time.After(time.Until(finish)):
		report(TurnEnded{Ref: ref, Step: step, Message: "ok"})
	case <-s.ended:
	case <-ctx.Done():
	}
}

func (a *agents) Adopt(ctx context.Context, f Found, report func(Event)) {
	a.mu.Lock()
	s := a.sessions[f.Ref]
	a.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { a.turn(ctx, f.Ref, s, report) })
	<-either(ctx, s.ended)
	if ctx.Err() == nil {
		zero := 0
		report(Exited{Ref: f.Ref, Code: &zero})
	}
	wg.Wait()
}

func (a *agents) found() (list []Found) {
	a.mu.Lock()
	defer a.mu.Unlock()
	zero := 0
	for ref, s := range a.sessions {
		f := Found{Ref: ref, Session: "s-" + ref.Task}
		select {
		case <-s.ended:
			f.Ended, f.Code = true, &zero
		default:
		}
		list = append(list, f)
	}
	return list
}

func start(t *testing.T, d *disk, a *agents) (*Queue, func()) {
	q := NewQueue(d.restore(t), Options{Store: d, Sessions: a})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); q.Run(ctx, a.found()) }()
	return q, func() { cancel(); <-ended }
}

// TestQueueAcrossRestarts: five tasks with limit 2 end done, each prompt typed
// once, although the queue is stopped and begun anew every seven seconds.
func TestQueueAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{rows: map[string]Row{}}
		a := &agents{t: t, d: d, sessions: map[Ref]*session{}}
		q, stop := start(t, d, a)
		list := make([]api.NewTask, 5)
		for i := range list {
			list[i] = api.NewTask{Prompt: fmt.Sprint("p", i), Steps: []string{"second"}}
		}
		for _, e := range []Event{SetMode{api.QueueAuto}, SetLimit{2}, Add{Tasks: list}} {
			if _, err := q.Command(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		for i := 0; ; i++ {
			time.Sleep(7 * time.Second)
			info, err := q.Queue(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if info.Counts[api.TaskDone] == 5 {
				break
			}
			if i > 200 {
				tasks, _ := q.Tasks(t.Context())
				t.Fatalf("not done: %+v", tasks)
			}
			stop()
			q, stop = start(t, d, a)
		}
		stop()
		if _, err := q.Command(t.Context(), Clear{}); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if a.most != 2 || len(a.sessions) != 5 {
			t.Errorf("%d at once, %d sessions", a.most, len(a.sessions))
		}
		for ref, s := range a.sessions {
			if len(s.prompts) != 2 || s.prompts[1] != "second" {
				t.Error(ref, s.prompts)
			}
		}
	})
}

// TestQueueFullDisk: with a full disk commands fail and change nothing, and
// what the sessions report is not lost.
// TestQueueFault: a command in which ccdir panics fails and changes nothing, and the queue goes on.
func TestQueueFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core := Restore(DefaultTimes(), Settings{}, nil)
		q := NewQueue(core, Options{Store: &disk{rows: map[string]Row{}}})
		ctx, cancel := context.WithCancel(t.Context())
		go q.Run(ctx, nil)
		defer func() { cancel(); synctest.Wait() }()
		broken := func(broken bool) {
			_, err := q.ask(t.Context(), message{read: func(c *Core) {
				if delete(c.active, "t9"); broken {
					c.active["t9"] = &Record{} // of no task
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		add := Add{Tasks: []api.NewTask{{Prompt: "p"}}}
		broken(true)
		if ids, err := q.Command(t.Context(), add); err == nil || !strings.Contains(err.Error(), "a fault of ccdir") {
			t.Errorf("added %v, %v", ids, err)
		}
		if tasks, err := q.Tasks(t.Context()); err != nil || len(tasks) > 0 {
			t.Errorf("%d tasks after it, %v", len(tasks), err)
		}
		broken(false)
		if ids, err := q.Command(t.Context(), add); err != nil || len(ids) != 1 {
			t.Errorf("later: added %v, %v", ids, err)
		}
	})
}

func TestQueueFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{rows: map[string]Row{}}
		a := &agents{t: t, d: d, sessions: map[Ref]*session{}}
		q, stop := start(t, d, a)
		defer func() { stop() }()
		command := func(e Event) error {
			_, err := q.Command(t.Context(), e)
			return err
		}
		if err := errors.Join(command(SetMode{api.QueueAuto}), command(Add{Tasks: []api.NewTask{{Prompt: "p"}}})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		d.setFull(true)
		if err := command(Add{Tasks: []api.NewTask{{Prompt: "q"}}}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Error(err)
		}
		time.Sleep(5 * time.Minute) // the turn ends meanwhile
		if tasks, err := q.Tasks(t.Context()); err != nil || len(tasks) != 1 || tasks[0].State != api.TaskRunning {
			t.Errorf("%+v %v", tasks, err)
		}
		d.setFull(false)
		time.Sleep(10 * time.Second)
		if task, err := q.Task(t.Context(), "t1"); err != nil || task.State != api.TaskDone || task.Result.Message != "ok" {
			t.Errorf("%+v %v", task, err)
		}
	})
}
