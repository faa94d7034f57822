package orchestrator

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"ccdir/api"
)

const (
	// rankStep is the distance between the ranks of neighbours: room for moves.
	rankStep = 1 << 20
	// boost is how many places one step of priority is worth.
	boost = 1000
	// MaxLimit bounds the slots.
	MaxLimit = 1000
	// MaxTasks bounds the tasks that have not ended.
	MaxTasks = 100_000
	// MaxText bounds their prompts and steps together, in bytes: the queue is in memory.
	MaxText = 64 << 20
)

// Times are the core's durations. None may be zero.
type Times struct {
	// Settle is the delay after the end of a turn until it counts: the turn may go on.
	Settle time.Duration
	// ReportWait replaces Settle, if longer, where background work has ended and the turn
	// of its report has not begun.
	ReportWait time.Duration
	// PairWait is how long to wait for the second of {hook of the turn's end, process exit}.
	PairWait time.Duration
	// Backoff is the delay before the first retry; it doubles with each further one.
	Backoff time.Duration
	// Stagger is the delay between those that go on after a usage limit.
	Stagger time.Duration
	// Probe is how long the first one after a usage limit works without meeting it again until
	// the others follow, if its agent tells nothing earlier. Own is how long after a limit an agent
	// has to go on by itself where it is to.
	Probe, Own time.Duration
	// Stall is the time without progress after which a task is flagged.
	Stall time.Duration
}

// DefaultTimes are the times unless configured otherwise.
func DefaultTimes() Times {
	return Times{Settle: 2 * time.Second, ReportWait: 10 * time.Second, PairWait: 10 * time.Second, Backoff: 10 * time.Second,
		Stagger: 15 * time.Second, Probe: time.Minute, Own: 3 * time.Minute, Stall: 15 * time.Minute}
}

// maxBackoff bounds the delay before a retry.
const maxBackoff = 30 * time.Minute

// Core is the scheduling core. It is not safe for concurrent use.
type Core struct {
	// ResumeLost: an interactive task whose session was lost resumes its conversation by
	// itself; otherwise it fails, and its reason names the command that resumes it.
	ResumeLost bool

	times    Times
	set      Settings
	tasks    map[string]*Record
	active   map[string]*Record         // by id, those with HasSlot or Ending
	ready    map[readyKey]*readyHeap    // may start now
	timed    readyHeap                  // may start later, by NotBefore
	children map[string]map[string]bool // task → tasks with it in Unmet
	names    map[string]string          // name → task that has not ended
	requests map[string][]string        // request → its tasks
	slots    int                        // in use
	places   map[string]*place          // by name; nil: tasks run on this machine
	placed   map[string]int             // slots in use by place
	open     int                        // tasks that have not ended
	text     int                        // bytes of their prompts and steps
	counts   map[api.TaskState]int
	sets     map[string]taskSet // those with a bound, by api.Task.Set
	// holds are what the queue may not use now, heldLabels the labels that they may name.
	holds      []api.QueueHold
	heldLabels map[string]bool

	now     time.Time       // of the newest event
	undo    []undoItem      // since the last Settle, oldest first
	undoSet []Settings      // earlier settings since the last Settle, oldest first
	effects []Effect        // since the last Settle
	trail   []Transition    // since the last Settle
	news    bool            // the queue's holds changed since they were published
	dirty   map[string]bool // ids that changed since the last Settle
}

type undoItem struct {
	id  string
	old *Record // nil: the task was added
}

// Restore makes a core from saved settings and tasks. Call Recover next.
func Restore(times Times, set Settings, records []Record) *Core {
	if set.Mode == "" {
		set.Mode, set.Limit = api.QueueManual, 4
	}
	set.Next = max(set.Next, 1)
	for class, until := range set.LimitedUntil {
		if set.Limits == nil {
			set.Limits = map[string]Limit{}
		}
		set.Limits[class] = Limit{Until: until}
	}
	set.LimitedUntil = nil
	c := &Core{times: times, set: set, tasks: map[string]*Record{}, active: map[string]*Record{},
		ready: map[readyKey]*readyHeap{}, children: map[string]map[string]bool{}, names: map[string]string{}, requests: map[string][]string{}, placed: map[string]int{},
		counts: map[api.TaskState]int{}, sets: map[string]taskSet{}, dirty: map[string]bool{}}
	c.timed.byTime = true
	for i := range records {
		r := records[i]
		c.set.Next = max(c.set.Next, r.Seq+1)
		c.index(nil, &r)
		if r.Request != "" {
			c.requests[r.Request] = append(c.requests[r.Request], r.ID)
		}
	}
	c.now = time.Time{}
	return c
}

// index replaces a task's old value by r in every index; nil: none.
func (c *Core) index(old, r *Record) {
	if old != nil {
		c.counts[old.State]--
		if old.HasSlot {
			c.slots--
			c.placed[old.Place]--
		}
		if !old.State.Ended() {
			c.open--
			c.text -= textOf(&old.NewTask)
		}
		c.countSet(old, -1)
		delete(c.active, old.ID)
		if h := c.heapOf(old); h != nil {
			h.remove(old)
		}
		for _, p := range old.Unmet {
			delete(c.children[p.Task], old.ID)
			if len(c.children[p.Task]) == 0 {
				delete(c.children, p.Task)
			}
		}
		if c.names[old.Name] == old.ID {
			delete(c.names, old.Name)
		}
		delete(c.tasks, old.ID)
	}
	if r == nil {
		return
	}
	c.tasks[r.ID] = r
	c.countSet(r, 1)
	c.counts[r.State]++
	if r.HasSlot {
		c.slots++
		c.placed[r.Place]++
	}
	if !r.State.Ended() {
		c.open++
		c.text += textOf(&r.NewTask)
		if r.Name != "" {
			c.names[r.Name] = r.ID
		}
	}
	if r.HasSlot || r.Ending {
		c.active[r.ID] = r
	}
	if h := c.heapOf(r); h != nil {
		h.add(r)
	}
	for _, p := range r.Unmet {
		if c.children[p.Task] == nil {
			c.children[p.Task] = map[string]bool{}
		}
		c.children[p.Task][r.ID] = true
	}
}

// put replaces a task's value and records the undo. Values are never changed in place,
// so readers may keep them.
func (c *Core) put(r Record) {
	old := c.tasks[r.ID]
	c.undo = append(c.undo, undoItem{r.ID, old})
	c.dirty[r.ID] = true
	c.index(old, &r)
}

// Mark is a point to which Undo returns.
type Mark struct{ tasks, settings int }

// Mark returns the current point.
func (c *Core) Mark() Mark { return Mark{len(c.undo), len(c.undoSet)} }

// Undo reverts tasks and settings to the mark.
func (c *Core) Undo(m Mark) {
	for i := len(c.undo) - 1; i >= m.tasks; i-- {
		c.index(c.tasks[c.undo[i].id], c.undo[i].old)
	}
	c.undo = c.undo[:m.tasks]
	if len(c.undoSet) > m.settings {
		c.set = c.undoSet[m.settings]
		c.undoSet = c.undoSet[:m.settings]
	}
}

// Changes are the changes and effects of Apply calls since the last Settle.
type Changes struct {
	Tasks []*Record
	// Gone are the ids of forgotten tasks.
	Gone     []string
	Settings *Settings // nil: unchanged
	Effects  []Effect
	Trail    []Transition
	// Held: the queue's holds have changed, which is published and not saved.
	Held bool
}

// Take returns the changes since the last Settle. They can still be undone.
func (c *Core) Take() Changes {
	out := Changes{Effects: c.effects, Trail: c.trail, Held: c.news}
	for _, id := range slices.Sorted(maps.Keys(c.dirty)) {
		if r := c.tasks[id]; r != nil {
			out.Tasks = append(out.Tasks, r)
		} else {
			out.Gone = append(out.Gone, id)
		}
	}
	if len(c.undoSet) > 0 {
		s := c.settings()
		out.Settings = &s
	}
	return out
}

// Settle drops changes and undo records, after the changes were saved or undone.
func (c *Core) Settle() {
	clear(c.undo)
	c.undo, c.undoSet, c.effects, c.trail = c.undo[:0], nil, nil, nil
	clear(c.dirty)
}

func (c *Core) settings() Settings {
	s := c.set
	s.Limits, s.Panes, s.Told = maps.Clone(s.Limits), maps.Clone(s.Panes), maps.Clone(s.Told)
	return s
}

// snapshotSettings records the undo of a change of the settings. Call it before.
func (c *Core) snapshotSettings() {
	c.undoSet = append(c.undoSet, c.settings())
	if c.set.Limits == nil {
		c.set.Limits = map[string]Limit{}
	}
	if c.set.Panes == nil {
		c.set.Panes = map[string]Pane{}
	}
	if c.set.Told == nil {
		c.set.Told = map[string]Told{}
	}
}

// Apply handles one event. An earlier time than that of the last event counts as the
// latter. An error means that nothing has changed. On success Apply also handles
// deadlines and fills the free slots. It returns the ids of the tasks concerned by
// commands that take several.
func (c *Core) Apply(now time.Time, e Event) ([]string, error) {
	if now.After(c.now) {
		c.now = now
	}
	mark, effects, trail := c.Mark(), len(c.effects), len(c.trail)
	ids, err := c.handle(e)
	if err != nil {
		c.Undo(mark)
		c.effects, c.trail = c.effects[:effects], c.trail[:trail]
		return nil, err
	}
	c.deadlines()
	c.notices()
	c.fill()
	return ids, nil
}

func (c *Core) handle(e Event) ([]string, error) {
	if ok, err := c.handlePlaces(e); ok {
		return nil, err
	}
	switch e := e.(type) {
	case Add:
		return c.addApproved(e)
	case StartNow:
		return nil, c.startNow(e.Task)
	case Cancel:
		return nil, c.cancel(e.Task)
	case Clear:
		return c.clear(), nil
	case Move:
		return nil, c.move(e)
	case Edit:
		return nil, c.edit(e)
	case SetMode:
		return nil, c.setMode(e.Mode)
	case Unpause:
		if c.set.Mode != api.QueuePaused {
			return nil, nil
		}
		return nil, c.setMode(cmp.Or(c.set.Before, api.QueueAuto))
	case Forget:
		return c.forget(e.Tasks), nil
	case Seen:
		return c.seen(e.Tasks), nil
	case SetLimit:
		return nil, c.setLimit(e.Limit)
	case PaneLimited:
		c.paneLimited(e)
	case PaneMoved:
		if p := c.set.Panes[e.Session]; e.Gone || p.Going == 0 {
			c.dropPane(e.Session)
		}
	case Answered:
		c.answered(e.Session)
		for _, id := range slices.Sorted(maps.Keys(c.active)) {
			if r := c.tasks[id]; r.Session == e.Session && e.Session != "" {
				c.answered(id)
			}
		}
	case GoneOn:
		c.goneOn(e)
	case Quotas:
		c.quotas(e)
	case Staged:
		c.staged(e)
	case reported:
		c.report(e)
	}
	return nil, nil
}

// Find resolves an id or a name. A name of no open task means the last task that had it,
// so that a caller that waits for a task may come late.
func (c *Core) Find(ref string) (*Record, error) {
	if r := c.tasks[ref]; r != nil {
		return r, nil
	}
	if id, ok := c.names[ref]; ok && ref != "" {
		return c.tasks[id], nil
	}
	if r := c.lastNamed(ref); r != nil {
		return r, nil
	}
	return nil, api.Errorf(api.CodeNotFound, "no task %s: `ccdir task ls --all` lists them", strconv.Quote(cut(ref)))
}

// lastNamed returns the newest task with the name, nil if there is none.
func (c *Core) lastNamed(name string) (last *Record) {
	if name == "" {
		return nil
	}
	for _, r := range c.tasks {
		if r.Name == name && (last == nil || r.Seq > last.Seq) {
			last = r
		}
	}
	return last
}

func cut(s string) string { return string([]rune(s)[:min(len([]rune(s)), 64)]) }

// List returns the tasks in the order of the queue.
func (c *Core) List() []*Record {
	list := make([]*Record, 0, len(c.tasks))
	for _, r := range c.tasks {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Seq, b.Seq))
	})
	return list
}

// Queue describes the queue.
func (c *Core) Queue() api.Queue {
	q := api.Queue{Mode: c.set.Mode, Limit: c.set.Limit, Counts: map[api.TaskState]int{}}
	for s, n := range c.counts {
		if n > 0 {
			q.Counts[s] = n
		}
	}
	for class, l := range c.set.Limits {
		if !c.may(class) {
			if q.Parked == nil {
				q.Parked = map[string]time.Time{}
			}
			q.Parked[class] = maxTime(l.Until, l.Next)
		}
	}
	q.Held = c.heldNow()
	return q
}
