package orchestrator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ccdir/api"
)

// startNow starts a task before all others, or continues one that is on hold.
func (c *Core) startNow(ref string) error {
	old, err := c.Find(ref)
	if err != nil {
		return err
	}
	r := *old
	switch {
	case r.State == api.TaskWaiting && r.UnderReview:
		c.okay(&r)
		return nil
	case r.State == api.TaskWaiting && onTheWay(&r):
		c.tryAgain(&r)
		return nil
	case c.set.Mode == api.QueuePaused:
		return api.Errorf(api.CodeConflict, "the queue is paused: `ccdir task mode auto` or manual first")
	case r.State == api.TaskWaiting && r.OnHold && r.HasSlot && !r.Ending:
		r.OnHold = false
		c.deliver(&r)
		return nil
	case r.State == api.TaskWaiting && r.OnHold:
		r.OnHold, r.Failures, r.LimitHits = false, 0, 0
		c.setState(&r, api.TaskQueued, "started again by a person")
	case r.State != api.TaskQueued:
		return api.Errorf(api.CodeConflict, "task %s is %s: only a queued task, or one that waits between steps or after failures, can be started%s", r.ID, r.State, onceMore(r.State))
	}
	if len(r.Unmet) > 0 {
		var names []string
		for _, a := range r.Unmet {
			names = append(names, a.Task)
		}
		return api.Errorf(api.CodeConflict, "task %s waits for %s: start or cancel those first", r.ID, strings.Join(names, ", "))
	}
	r.First = true
	if _, may := c.room(&r); !may { // a person may know better than what the agent said
		c.snapshotSettings()
		l := c.set.Limits[r.LimitClasses()[0]]
		l.Until, l.Next, l.Probe = c.now, time.Time{}, ""
		c.set.Limits[r.LimitClasses()[0]] = l
	}
	r.Approved, r.Hold, r.NotBefore = true, false, time.Time{}
	c.put(r)
	return nil
}

// onceMore is the advice for a task that can no longer be started.
func onceMore(s api.TaskState) string {
	if s.Ended() {
		return ": `ccdir task add` adds it once more"
	}
	return ""
}

func (c *Core) cancel(ref string) error {
	old, err := c.Find(ref)
	if err != nil {
		return err
	}
	switch {
	case old.State == api.TaskCancelled: // a retry
		return nil
	case old.State.Ended():
		return api.Errorf(api.CodeConflict, "task %s has ended: it is %s, and there is nothing to cancel (`ccdir task show %[1]s` tells how it went)", old.ID, old.State)
	}
	r := *old
	c.end(&r, api.TaskCancelled, "cancelled by a person")
	return nil
}

// clear cancels all queued tasks. Their dependents are queued as well, so that they end
// cancelled or blocked.
func (c *Core) clear() []string {
	var ids []string
	list := c.List()
	for i := len(list) - 1; i >= 0; i-- { // dependents first: they are mostly behind
		if r := *c.tasks[list[i].ID]; r.State == api.TaskQueued {
			c.end(&r, api.TaskCancelled, "the queue was cleared")
			ids = append(ids, r.ID)
		}
	}
	slices.Reverse(ids)
	return ids
}

// move changes the place of a queued task.
func (c *Core) move(e Move) error {
	old, err := c.Find(e.Task)
	if err != nil {
		return err
	}
	if old.State != api.TaskQueued {
		return api.Errorf(api.CodeConflict, "task %s is %s: only queued tasks have a place, `ccdir task ls` shows it", old.ID, old.State)
	}
	var queued []*Record
	target := -1
	var before *Record
	if e.Before != "" {
		if before, err = c.Find(e.Before); err != nil {
			return err
		}
	}
	for _, r := range c.List() {
		if r.State != api.TaskQueued || r.ID == old.ID {
			continue
		}
		if before != nil && r.ID == before.ID {
			target = len(queued)
		}
		queued = append(queued, r)
	}
	if before != nil && target < 0 {
		return api.Errorf(api.CodeConflict, "task %s is not another queued task", before.ID)
	}
	r := *old
	switch {
	case len(queued) == 0:
		return nil
	case before == nil:
		r.Rank = queued[len(queued)-1].Rank + rankStep
	case target == 0:
		r.Rank = queued[0].Rank - rankStep
	default:
		low, high := queued[target-1].Rank, queued[target].Rank
		if high-low < 2 { // no rank left between them: move all before them forward
			for _, q := range queued[:target] {
				moved := *q
				moved.Rank -= rankStep
				c.put(moved)
			}
			low -= rankStep
		}
		r.Rank = low + (high-low)/2
	}
	c.put(r)
	return nil
}

// CheckQueue validates a change of the queue.
func CheckQueue(c api.QueueChange) error {
	switch {
	case c.Limit == nil && c.Mode == "" && c.Paused == nil:
		return api.Errorf(api.CodeInvalid, "nothing to change: give mode, limit or paused")
	case c.Mode != "" && c.Paused != nil:
		return api.Errorf(api.CodeInvalid, "mode and paused exclude one another")
	}
	if c.Limit != nil {
		if err := checkLimit(*c.Limit); err != nil {
			return err
		}
	}
	if c.Mode != "" {
		return checkMode(c.Mode)
	}
	return nil
}

func checkMode(m api.QueueMode) error {
	if m != api.QueueManual && m != api.QueueAuto && m != api.QueuePaused {
		return api.Errorf(api.CodeInvalid, "the mode %q is unknown: manual, auto or paused", cut(string(m)))
	}
	return nil
}

func checkLimit(n int) error {
	if n < 1 || n > MaxLimit {
		return api.Errorf(api.CodeInvalid, "the limit %d is not between 1 and %d: to stop the queue use `ccdir task mode paused`", n, MaxLimit)
	}
	return nil
}

func (c *Core) setMode(m api.QueueMode) error {
	if err := checkMode(m); err != nil {
		return err
	}
	c.snapshotSettings()
	if m == api.QueuePaused && c.set.Mode != m {
		c.set.Before = c.set.Mode
	}
	c.set.Mode = m
	c.trail = append(c.trail, Transition{Note: api.EventQueue, Reason: fmt.Sprintf("mode %s", m)})
	return nil
}

func (c *Core) setLimit(n int) error {
	if err := checkLimit(n); err != nil {
		return err
	}
	c.snapshotSettings()
	c.set.Limit = n
	c.trail = append(c.trail, Transition{Note: api.EventQueue, Reason: fmt.Sprintf("limit %d", n)})
	return nil
}

// forget removes ended tasks that hold no slot, and whose cost bounds no others.
func (c *Core) forget(ids []string) (gone []string) {
	for _, id := range ids {
		r := c.tasks[id]
		if r == nil || !r.State.Ended() || r.HasSlot || c.boundBy(r) {
			continue
		}
		c.undo = append(c.undo, undoItem{id, r})
		c.dirty[id] = true
		c.index(r, nil)
		delete(c.requests, r.Request)
		gone = append(gone, id)
	}
	return gone
}

// seen notes that a person has looked at tasks, without ids at all; it returns those that were
// news.
func (c *Core) seen(ids []string) (seen []string) {
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(c.tasks))
	}
	for _, id := range ids {
		if r := c.tasks[id]; r != nil && r.Unseen {
			next := *r
			next.Unseen = false
			c.put(next)
			seen = append(seen, id)
		}
	}
	return seen
}
