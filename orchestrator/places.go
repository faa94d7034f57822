package orchestrator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// A core with places schedules for several machines: a task starts where its placement allows and a
// slot is free, and the machine's own queue does all of its steps. Places are told, not saved: after a
// start nothing is given out until they were.

// Place is a machine on which tasks can run.
type Place struct {
	Name string
	// Labels are what it offers, sorted; its agents are among them.
	Labels []string
	// Slots is how many attempts it runs at once.
	Slots int
	// Limited are the agents of which it takes no task now.
	Limited []string
}

const (
	// unclaimedAfter is how long an attempt waits for a machine to claim it before another gets it.
	unclaimedAfter = 30 * time.Second
	// AgainAfter is how long a machine is away until its tasks with api.NodeLossAgain are given anew.
	// The machine has ended them before that, see AloneAfter.
	AgainAfter = 120 * time.Second
	// AloneAfter is how long a machine that hears nothing of the fleet keeps such tasks.
	AloneAfter = 90 * time.Second
	// maxNeeds bounds the labels that a task needs.
	maxNeeds = 20
)

// place is what the core knows of a machine.
type place struct {
	Place
	away time.Time // zero: it is here
}

type (
	// PlaceSeen: a machine told of itself. PlaceAway: nothing was heard of it since.
	PlaceSeen struct{ Place Place }
	PlaceAway struct {
		Name  string
		Since time.Time
	}
	// Claim asks for an attempt that was given to the place. It is refused for any but the current
	// attempt, so that one that was given anew is not started late; repeated it succeeds again.
	Claim struct {
		Of    Ref
		Place string
	}
	// Release gives a task of a machine that is away to another one, by a person's word.
	Release struct{ Task string }
)

func (PlaceSeen) event() {}
func (PlaceAway) event() {}
func (Claim) event()     {}
func (Release) event()   {}

// Placed are reports of a machine about an attempt. They are those of the current place alone.
type (
	// Moved: the task of the machine is in that state.
	Moved struct {
		Ref
		Place, Session string
		State          api.TaskState
		Reason         string
	}
	// Ended: the machine's task has ended, and so has its session, unless it is kept.
	Ended struct {
		Ref
		Place  string
		State  api.TaskState
		Reason string
		Result api.TaskResult
	}
)

func (Moved) event() {}
func (Ended) event() {}

// WithPlaces makes a core schedule for places, none at first. Call it before Recover.
func (c *Core) WithPlaces() { c.places = map[string]*place{} }

// handlePlaces handles the events of places; ok is false for others.
func (c *Core) handlePlaces(e Event) (ok bool, err error) {
	switch e := e.(type) {
	case PlaceSeen:
		c.placeSeen(e.Place)
	case PlaceAway:
		c.placeAway(e)
	case Claim:
		return true, c.claim(e)
	case Release:
		return true, c.releasePlace(e.Task)
	default:
		return false, nil
	}
	return true, nil
}

func (c *Core) placeSeen(p Place) {
	if c.places == nil {
		return
	}
	slices.Sort(p.Labels)
	c.places[p.Name] = &place{Place: p}
}

// placeAway notes that nothing is heard of a machine; one that never told of itself may have tasks, too.
func (c *Core) placeAway(e PlaceAway) {
	if c.places == nil {
		return
	}
	if c.places[e.Name] == nil {
		c.places[e.Name] = &place{Place: Place{Name: e.Name}}
	}
	if p := c.places[e.Name]; p.away.IsZero() {
		p.away = e.Since
	}
}

// fits reports whether a task may start at a place that has a free slot.
func (c *Core) fits(r *Record, p *place) bool {
	if !p.away.IsZero() || c.placed[p.Name] >= p.Slots || slices.Contains(p.Limited, r.Agent) {
		return false
	}
	if w := r.Fleet; w != nil {
		if w.Node != "" && w.Node != p.Name {
			return false
		}
		for _, need := range w.Needs {
			if _, has := slices.BinarySearch(p.Labels, need); !has {
				return false
			}
		}
	}
	if r.Agent == "" {
		return true
	}
	_, has := slices.BinarySearch(p.Labels, r.Agent)
	return has
}

// placeFor is the place with the most free slots for a task, by name among equals; "" if there is none.
func (c *Core) placeFor(r *Record) string {
	var best *place
	free := func(p *place) int { return p.Slots - c.placed[p.Name] }
	for _, p := range c.places {
		if !c.fits(r, p) {
			continue
		}
		if best == nil || free(p) > free(best) || free(p) == free(best) && p.Name < best.Name {
			best = p
		}
	}
	if best == nil {
		return ""
	}
	return best.Name
}

// noPlace: no place has a free slot, whatever the task.
func (c *Core) noPlace() bool {
	for _, p := range c.places {
		if p.away.IsZero() && c.placed[p.Name] < p.Slots {
			return false
		}
	}
	return true
}

func (c *Core) claim(e Claim) error {
	r := c.tasks[e.Of.Task]
	switch {
	case r == nil || r.Attempt != e.Of.Attempt || !r.HasSlot || r.Ending || r.Place != e.Place || r.State.Ended():
		return api.Errorf(api.CodeConflict, "attempt %d of %s is not to be started at %s (any more)", e.Of.Attempt, cut(e.Of.Task), cut(e.Place))
	case r.Claimed:
		return nil
	}
	next := *r
	next.Claimed, next.Progress = true, c.now
	c.put(next)
	return nil
}

// releasePlace takes a task from the machine that has it.
func (c *Core) releasePlace(ref string) error {
	r, err := c.Find(ref)
	if err != nil {
		return err
	}
	if r.Place == "" || !r.HasSlot {
		return api.Errorf(api.CodeConflict, "%s is on no machine: `ccdir task ls --fleet` shows where tasks are", r.ID)
	}
	next := *r
	if r.Ending { // it has ended for us, and only the machine's word is missing
		next.HasSlot, next.Ending, next.Exit = false, false, c.now
		c.put(next)
		return nil
	}
	c.again(&next, "taken from "+r.Place+" by a person")
	return nil
}

// again gives a task to another machine. The one that has it is told to end it, when it is back; the
// slot there is free at once for the count of this core, since the machine counts its own.
func (c *Core) again(r *Record, reason string) {
	c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: Ref{r.ID, r.Attempt}, Session: r.Session, Place: r.Place})
	r.Exit = c.now
	c.requeue(r, time.Time{}, reason)
}

// reportPlaced handles reports about an attempt that a machine has; ok is false for others.
func (c *Core) reportPlaced(old *Record, e reported) (ok bool) {
	r := *old
	switch e := e.(type) {
	case Moved:
		if e.Place == r.Place && r.Claimed && !r.Ending {
			c.moved(&r, e)
		}
	case Ended:
		if e.Place == r.Place && (r.Claimed || r.Ending) {
			c.endedThere(&r, e)
		}
	case Failed:
		if r.Place == "" || e.Kind != FailCapacity || r.Claimed {
			return r.Place != ""
		}
		r.Exit = c.now
		c.requeue(&r, c.now.Add(c.times.Backoff), e.Reason)
	default:
		return r.Place != ""
	}
	return true
}

func (c *Core) moved(r *Record, e Moved) {
	r.Session = cmp.Or(e.Session, r.Session)
	r.Progress = c.now
	switch e.State {
	case api.TaskRunning, api.TaskWaiting, api.TaskStarting:
		c.setState(r, e.State, e.Reason)
	case api.TaskQueued: // there it waits for a limit, or for its next attempt
		c.setState(r, api.TaskWaiting, e.Reason)
	default:
		return // ends come as Ended
	}
	c.put(*r)
}

func (c *Core) endedThere(r *Record, e Ended) {
	r.Result = e.Result
	if r.Exit.IsZero() {
		r.Exit = c.now
	}
	if r.Ending {
		r.HasSlot, r.Ending = false, false
		c.put(*r)
		return
	}
	switch e.State {
	case api.TaskDone, api.TaskCancelled, api.TaskTimedOut:
		c.end(r, e.State, e.Reason)
	default:
		c.fail(r, Failed{Kind: FailTask, Reason: e.Reason})
	}
}

// placedDeadline is when a task that was given to a machine changes by time alone; zero: never.
func (c *Core) placedDeadline(r *Record) time.Time {
	p := c.places[r.Place]
	switch {
	case r.Ending:
	case !r.Claimed:
		return r.Started.Add(unclaimedAfter)
	case p != nil && !p.away.IsZero() && r.Fleet != nil && r.Fleet.OnNodeLoss == api.NodeLossAgain:
		return p.away.Add(AgainAfter)
	}
	return time.Time{}
}

func (c *Core) placedDeadlineReached(r *Record) {
	reason := fmt.Sprintf("%s did not take it", r.Place)
	if r.Claimed {
		reason = fmt.Sprintf("%s is away for %s", r.Place, AgainAfter)
	}
	c.again(r, reason)
}

// recoverPlaced repeats the order of an attempt: a machine that has it claims it again.
func (c *Core) recoverPlaced(r *Record) {
	ref := Ref{r.ID, r.Attempt}
	if r.Ending {
		c.effects = append(c.effects, Effect{Kind: DoEnd, Ref: ref, Session: r.Session, Place: r.Place})
		return
	}
	if !r.Claimed {
		r.Started = c.now // it has the whole time again
		c.put(*r)
	}
	c.effects = append(c.effects, Effect{Kind: DoStart, Ref: ref, Place: r.Place})
}

// Places lists the machines by name, as api.FleetNode without versions and times of messages.
func (c *Core) Places() []api.FleetNode {
	list := make([]api.FleetNode, 0, len(c.places))
	for _, name := range slices.Sorted(maps.Keys(c.places)) {
		p := c.places[name]
		list = append(list, api.FleetNode{Name: name, Labels: p.Labels, Slots: p.Slots, Used: c.placed[name], Limited: p.Limited, Away: p.away})
	}
	return list
}

// checkPlacement validates where a task may run.
func checkPlacement(n api.NewTask) error {
	w := n.Fleet
	if w == nil {
		return nil
	}
	bad := func(format string, args ...any) error { return api.Errorf(api.CodeInvalid, format, args...) }
	switch {
	case len(w.Needs) > maxNeeds:
		return bad("%d needs are too many: at most %d", len(w.Needs), maxNeeds)
	case w.Node != "" && !nameOK().MatchString(w.Node):
		return bad("%q is not the name of a machine", cut(w.Node))
	case !slices.Contains([]api.NodeLoss{"", api.NodeLossWait, api.NodeLossAgain}, w.OnNodeLoss):
		return bad("on_node_loss %q is unknown: wait or again", cut(string(w.OnNodeLoss)))
	case w.OnNodeLoss == api.NodeLossAgain && !n.Idempotent:
		return bad("on_node_loss again is for tasks that may run twice: mark it idempotent")
	}
	for _, need := range w.Needs {
		if !nameOK().MatchString(need) {
			return bad("%q is no label of a machine: letters, digits, '-', '_' and '.'", cut(need))
		}
	}
	return nil
}

// where groups tasks by the machines on which they may run.
func where(r *Record) string {
	if r.Fleet == nil {
		return ""
	}
	return r.Fleet.Node + "\x00" + strings.Join(r.Fleet.Needs, "\x00")
}
