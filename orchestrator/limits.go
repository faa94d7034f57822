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

// Limit is what is known of a usage limit that was met, by its class (api.LimitClass). Its stated
// end is not trusted: then one that waits goes on alone, as a probe. Once that has met no limit, the
// others follow one by one, Stagger apart; if it has, all wait for the new end.
type Limit struct {
	// Until is the stated end, or when to try.
	Until time.Time `json:"until"`
	// Probe is the task or session that tries, "" for none; ProbeAt is since when.
	Probe   string    `json:"probe,omitempty"`
	ProbeAt time.Time `json:"probe_at,omitzero"`
	// Open: a probe met no limit. Owed are those that waited then and have not gone on.
	Open bool `json:"open,omitempty"`
	Owed int  `json:"owed,omitempty"`
	// Next is when the next one goes on at the earliest.
	Next time.Time `json:"next,omitzero"`
	// Hits counts the ends in a row that were none.
	Hits int `json:"hits,omitempty"`
}

// Pane is a session, not one of a task, whose turn failed because of a limit.
type Pane struct {
	Session string `json:"session"`
	Class   string `json:"class"`
	// Failed is when the turn failed, Until when the limit ends; zero: it was not said.
	Failed time.Time `json:"failed"`
	Until  time.Time `json:"until,omitzero"`
	// Resume says whether it goes on, Priority when: greater first.
	Resume   api.ResumeMode `json:"resume"`
	Priority int            `json:"priority,omitempty"`
	// Going is the number of the effect that has it go on, the same for its repetitions; 0: it
	// waits. Delivered: the agent took the prompt, and the model has not answered yet.
	Going     int64 `json:"going,omitempty"`
	Delivered bool  `json:"delivered,omitempty"`
	// NotBefore is when to try again after a failure.
	NotBefore time.Time `json:"not_before,omitzero"`
}

// Reports about sessions that are not tasks', and about limits.
type (
	// PaneLimited: the session rests because of a limit, which is news if Failed is later than
	// that of the last report, or what is to become of it has changed.
	PaneLimited struct{ Pane }
	// PaneMoved: it goes on without us, or was given something else; Gone: it was removed.
	PaneMoved struct {
		Session string
		Gone    bool
	}
	// Answered: the model has answered in a session, of a task or not.
	Answered struct{ Session string }
	// GoneOn is the outcome of DoGoOn: the agent took the prompt, unless Failed says why not. Moved:
	// there was no need.
	GoneOn struct {
		Session string
		Going   int64
		Failed  string
		Moved   bool
	}
)

func (PaneLimited) event() {}
func (PaneMoved) event()   {}
func (Answered) event()    {}
func (GoneOn) event()      {}

// DoGoOn has the session of a pane go on: Effect.Going and Session make it idempotent.
const DoGoOn EffectKind = "go-on"

// limitMet notes a limit that who, a task or a session, met.
func (c *Core) limitMet(class, who string, reset time.Time, hits int) {
	c.snapshotSettings()
	l, met := c.set.Limits[class]
	news := !met || !l.Until.After(c.now)
	if news {
		l.Hits++
	}
	if !reset.After(c.now) || reset.After(c.now.Add(maxPark)) {
		reset = c.now.Add(backoff(time.Minute, max(l.Hits, hits)))
	}
	if news || reset.After(l.Until) {
		l.Until = reset
	}
	l.Open, l.Owed, l.Probe, l.Next = false, 0, "", time.Time{}
	c.set.Limits[class] = l
	if news {
		c.trail = append(c.trail, Transition{Note: api.EventLimitMet, Reason: fmt.Sprintf("%s has met its usage limit, until %s", class, l.Until.Local().Format("Mon 15:04:05"))})
	}
}

// may reports whether one more of a class may go on now.
func (c *Core) may(class string) bool {
	l, met := c.set.Limits[class]
	switch {
	case !met:
		return true
	case l.Until.After(c.now), l.Next.After(c.now):
		return false
	}
	return l.Open || l.Probe == ""
}

// goes notes that who goes on.
func (c *Core) goes(class, who string) {
	l, met := c.set.Limits[class]
	if !met {
		return
	}
	c.snapshotSettings()
	l.Next = c.now.Add(c.times.Stagger)
	if l.Open {
		l.Owed--
	} else {
		l.Probe, l.ProbeAt = who, c.now
	}
	c.set.Limits[class] = l
}

// answered notes that a probe met no limit; who is a task or a session.
func (c *Core) answered(who string) {
	for class, l := range c.set.Limits {
		if l.Probe == who && who != "" {
			c.openLimit(class)
		}
	}
	if p, ok := c.set.Panes[who]; ok && p.Going != 0 {
		c.dropPane(who)
	}
}

func (c *Core) openLimit(class string) {
	c.snapshotSettings()
	l := c.set.Limits[class]
	l.Open, l.Probe, l.Hits, l.Owed = true, "", 0, c.waiting(class)
	c.set.Limits[class] = l
	c.trail = append(c.trail, Transition{Note: api.EventLimitOpen, Reason: fmt.Sprintf("%s goes on: %d wait for their turn", class, l.Owed)})
}

// waiting counts what waits for a class, or for the first of several that has room.
func (c *Core) waiting(class string) (n int) {
	for _, p := range c.set.Panes {
		if p.Class == class && p.Going == 0 && (p.Resume == api.ResumeOn || p.Resume == api.ResumeOwn) {
			n++
		}
	}
	for key, h := range c.ready {
		if r := h.top(); r != nil && slices.Contains(strings.Split(key.classes, "\x00"), class) && !c.heldFrom(r, class) {
			n += h.Len()
		}
	}
	return n
}

// judge looks at the probe of a class: whether it has gone, or has met no limit for long enough.
func (c *Core) judge(class string) {
	l := c.set.Limits[class]
	if l.Probe == "" {
		return
	}
	long := !c.now.Before(l.ProbeAt.Add(c.times.Probe))
	there, taken := false, false
	if r := c.tasks[l.Probe]; r != nil {
		there = r.HasSlot && !r.Ending && r.LimitClass() == class
		taken = r.State == api.TaskRunning || r.State == api.TaskWaiting && !r.PromptPending
	} else if p, ok := c.set.Panes[l.Probe]; ok {
		there, taken = p.Going != 0 && p.Class == class, p.Delivered
	}
	switch {
	case there && taken && long:
		c.answered(l.Probe)
	case !there || long: // another one tries
		c.snapshotSettings()
		l.Probe = ""
		c.set.Limits[class] = l
	}
}

// goOn has those go on whose turn it is. tasks: a task that is more urgent goes first.
func (c *Core) goOn(tasks bool) {
	classes := slices.Collect(maps.Keys(c.set.Limits))
	for _, p := range c.set.Panes {
		classes = append(classes, p.Class)
	}
	slices.Sort(classes)
	for _, class := range slices.Compact(classes) {
		c.judge(class)
		p, due := c.nextPane(class)
		if due && c.may(class) {
			if r := c.nextOf(class); !tasks || r == nil || r.Priority <= p.Priority {
				c.paneGoes(p)
			}
		}
		c.endLimit(class)
	}
}

// endLimit drops a limit for which nobody waits any more.
func (c *Core) endLimit(class string) {
	l, met := c.set.Limits[class]
	if !met || l.Until.After(c.now) || l.Next.After(c.now) || l.Probe != "" || (!l.Open || l.Owed > 0) && c.waiting(class) > 0 {
		return
	}
	c.dropLimit(class)
	c.trail = append(c.trail, Transition{Note: api.EventLimitOver, Reason: class + ": all have gone on"})
}

func (c *Core) dropLimit(class string) {
	if _, met := c.set.Limits[class]; met {
		c.snapshotSettings()
		delete(c.set.Limits, class)
	}
}

// dueAt is when a pane may go on at the earliest; zero: never by itself.
func (c *Core) dueAt(p Pane) time.Time {
	at := c.now
	if l, met := c.set.Limits[p.Class]; met {
		at = l.Until
	} else if p.Until.After(at) {
		at = p.Until
	}
	switch {
	case p.Going != 0:
		return time.Time{}
	case p.Resume == api.ResumeOwn:
		if p.Until.After(at) {
			at = p.Until
		}
		at = maxTime(at, p.Failed).Add(c.times.Own)
	case p.Resume != api.ResumeOn:
		return time.Time{}
	}
	return maxTime(at, p.NotBefore)
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// nextPane is the most urgent pane of a class that may go on.
func (c *Core) nextPane(class string) (best Pane, due bool) {
	for _, p := range c.set.Panes {
		at := c.dueAt(p)
		if p.Class != class || at.IsZero() || at.After(c.now) {
			continue
		}
		if !due || paneOrder(p, best) < 0 {
			best, due = p, true
		}
	}
	return best, due
}

// paneOrder: the more urgent one first, then the one that has waited longer.
func paneOrder(a, b Pane) int {
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), a.Failed.Compare(b.Failed), cmp.Compare(a.Session, b.Session))
}

func (c *Core) paneGoes(p Pane) {
	c.snapshotSettings()
	if _, met := c.set.Limits[p.Class]; !met { // it is over for the others: this one comes late
		c.set.Limits[p.Class] = Limit{Until: c.now}
	}
	c.set.NextGoing = max(c.set.NextGoing+1, c.now.UnixMilli()) // greater than any of a lost database
	p.Going, p.Delivered = c.set.NextGoing, false
	c.set.Panes[p.Session] = p
	c.goes(p.Class, p.Session)
	c.effects = append(c.effects, Effect{Kind: DoGoOn, Session: p.Session, Going: p.Going, Text: continuePrompt})
}

func (c *Core) dropPane(session string) {
	if _, ok := c.set.Panes[session]; ok {
		c.snapshotSettings()
		delete(c.set.Panes, session)
	}
}

// paneLimited handles the report.
func (c *Core) paneLimited(e PaneLimited) {
	p := e.Pane
	old, known := c.set.Panes[p.Session]
	if known && !p.Failed.After(old.Failed) { // the same failure
		c.snapshotSettings()
		if l := c.set.Limits[p.Class]; l.Until.Equal(old.Until) && p.Until.After(c.now) && !l.Open && l.Probe == "" {
			l.Until = p.Until // by now it is known more exactly
			c.set.Limits[p.Class] = l
		}
		old.Resume, old.Priority, old.Until = p.Resume, p.Priority, p.Until
		c.set.Panes[p.Session] = old
		return
	}
	p.Going, p.Delivered, p.NotBefore = 0, false, time.Time{}
	if p.Until.After(c.now) || c.now.Sub(p.Failed) < lateReport {
		c.limitMet(p.Class, p.Session, p.Until, 0)
	}
	c.snapshotSettings()
	c.set.Panes[p.Session] = p
	then := map[api.ResumeMode]string{api.ResumeOn: "it goes on then", api.ResumeOwn: "its agent goes on by itself then",
		api.ResumeAsk: "`ccdir resume " + p.Session + "` has it go on then", api.ResumeOff: "it stays as it is"}[p.Resume]
	c.trail = append(c.trail, Transition{Session: p.Session, Note: api.EventLimitMet,
		Reason: fmt.Sprintf("usage limit until %s: %s", maxTime(p.Until, c.set.Limits[p.Class].Until).Local().Format("Mon 15:04:05"), then)})
}

// lateReport is how old a failure may be, of which the end is not known or has passed, to say
// something about the present: no daemon may have run meanwhile.
const lateReport = 10 * time.Minute

// goneOn handles the outcome of DoGoOn.
func (c *Core) goneOn(e GoneOn) {
	p, known := c.set.Panes[e.Session]
	if !known || p.Going != e.Going || p.Delivered {
		return
	}
	switch {
	case e.Moved:
		c.dropPane(e.Session)
	case e.Failed != "":
		c.snapshotSettings()
		p.Going, p.NotBefore = 0, c.now.Add(c.times.Probe)
		c.set.Panes[e.Session] = p
		c.trail = append(c.trail, Transition{Session: e.Session, Note: api.EventLimitMet, Reason: "it could not go on: " + e.Failed})
	case c.set.Limits[p.Class].Probe == e.Session:
		c.snapshotSettings()
		p.Delivered = true
		c.set.Panes[e.Session] = p
		l := c.set.Limits[p.Class]
		l.ProbeAt = c.now
		c.set.Limits[p.Class] = l
	default:
		c.dropPane(e.Session)
	}
}

// Waiting returns the limits and the panes, which are not changed any more.
func (c *Core) Waiting() (map[string]Limit, map[string]Pane) {
	s := c.settings()
	return s.Limits, s.Panes
}

// limitsWake are the times at which something about limits is due.
func (c *Core) limitsWake(consider func(time.Time)) {
	later := func(at time.Time) {
		if at.After(c.now) {
			consider(at)
		}
	}
	for _, l := range c.set.Limits {
		later(l.Until)
		later(l.Next)
		if l.Probe != "" {
			later(l.ProbeAt.Add(c.times.Probe))
		}
	}
	for _, p := range c.set.Panes {
		later(c.dueAt(p))
	}
}

// recoverPanes repeats the effects that the daemon before had begun.
func (c *Core) recoverPanes() {
	for _, id := range slices.Sorted(maps.Keys(c.set.Panes)) {
		if p := c.set.Panes[id]; p.Going != 0 && !p.Delivered {
			c.effects = append(c.effects, Effect{Kind: DoGoOn, Session: id, Going: p.Going, Text: continuePrompt})
		}
	}
}
