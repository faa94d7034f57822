package state

import (
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// allStates are those that a fold may lead to.
var allStates = api.States()

// maxOverruled bounds the evidence kept that did not win.
const maxOverruled = 8

// lateWindow is how much older than the evidence in force a hook or status may
// be and still count as merely overtaken (two hook processes race, a spooled
// call comes after a live one). What is older than that is taken as it comes:
// then a clock was set back, and holding on would freeze the state.
const lateWindow = 30 * time.Second

// Fold is the whole memory of the weighing of evidence about one session. It
// is a value: Apply returns the next one and changes nothing. Saved as JSON
// with the session.
type Fold struct {
	State api.State `json:"state"`
	Since time.Time `json:"since"`
	// Winner gave the state, by Rule, for Reason. Nil before any.
	Winner *api.Evidence `json:"winner,omitempty"`
	Rule   string        `json:"rule,omitempty"`
	Reason string        `json:"reason,omitempty"`
	// Last is when the newest evidence that spoke for the state was seen.
	Last time.Time `json:"last"`
	// Told is the same of evidence that is exact about its time: not of titles and
	// screens, which show what the session file has known for a while.
	Told time.Time `json:"told,omitzero"`
	// Question is what a waiting session asks.
	Question string `json:"question,omitempty"`
	// Managed: hooks tell the state.
	Managed bool `json:"managed"`
	// Killed: it was asked to end.
	Killed bool `json:"killed,omitempty"`
	// Pending is a state that comes into force unless something speaks against
	// it in time.
	Pending *Pending `json:"pending,omitempty"`
	// Overruled is evidence that did not change the state, newest first.
	Overruled []api.Overruled `json:"overruled,omitempty"`

	Memory
}

// Pending is a state that comes into force at Due, given by Evidence, unless
// something speaks against it before.
type Pending struct {
	State    api.State    `json:"state"`
	Due      time.Time    `json:"due"`
	Evidence api.Evidence `json:"evidence"`
	Rule     string       `json:"rule"`
	Reason   string       `json:"reason"`
}

// NewFold is the fold of a session whose process is about to start.
func NewFold(managed bool, at time.Time) Fold {
	return Fold{State: api.StateStarting, Since: at, Managed: managed,
		Rule: "new", Reason: "nothing was heard of it yet"}
}

// Wake is when Apply wants evidence of source api.SourceTimer; the zero time:
// never.
func (f Fold) Wake() time.Time {
	if f.Pending == nil {
		return time.Time{}
	}
	return f.Pending.Due
}

// Apply weighs one more fact. The first rule of the table that fits decides; what
// the agent reports all the while wins in the end.
func (f Fold) Apply(e api.Evidence) Fold {
	if e.Source == api.SourceTimer {
		return f.tick(e.At)
	}
	return f.decide(e).stand(&f, &e)
}

// decide applies the table.
func (f Fold) decide(e api.Evidence) Fold {
	if p := f.Pending; p != nil && p.Evidence.Source == e.Source && weak(e.Source) && (e.Source != api.SourceScreen || e.Says != p.State) {
		f.Pending = nil // the same source says something else now
	}
	before := f
	f.Memory = f.Memory.note(f.State, e)
	if !f.Managed && f.Status == "clear" {
		f.Status = "" // the program that told it has left the terminal to the command
	}
	if p := f.Pending; p != nil && weak(p.Evidence.Source) && f.Switching.Equal(e.At) {
		f.Pending = nil // what it saw was the change of conversation
	}
	r := ruleFor(&before, &e)
	if r.to == next {
		return f.nextDialog(e, r)
	}
	to := r.to
	if to == says {
		to = e.Says
	}
	if !slices.Contains(allStates, to) { // keep, or evidence that says nothing
		if e.Says != "" || r.tell {
			f.overrule(e, r.reason)
		}
		return f
	}
	if r.name == "kill" {
		f.Killed = true
	}
	wait := time.Duration(0)
	if r.wait != nil {
		wait = r.wait(&f, &e)
	}
	if wait > 0 && to != f.State {
		return f.expect(Pending{State: to, Due: e.At.Add(wait), Evidence: e, Rule: r.name, Reason: r.reason})
	}
	if p := f.Pending; p != nil && (wait == 0 || weak(p.Evidence.Source) || p.Rule == "hook-stop-queued") {
		f.Pending = nil
	}
	next := f.enter(to, e, r.name, r.reason)
	switch {
	case r.name == "permission-answered" && f.Status == "blocked":
		next.Pending = &Pending{State: f.State, Due: e.At.Add(answerTime), Evidence: e, Rule: "permission-still-open",
			Reason: "the request was answered, but the agent still reports the dialog"}
	case r.name == "hook-session-end" && to == api.StateExiting:
		next.Pending = &Pending{State: api.StateIdle, Due: e.At.Add(leavingTime), Evidence: e, Rule: "still-there",
			Reason: "it said that it would end, and did not"}
	}
	return next
}

// enter brings a state into force.
func (f Fold) enter(to api.State, e api.Evidence, rule, reason string) Fold {
	if e.At.After(f.Last) || e.Source == api.SourceProcess {
		f.Last = e.At
	}
	if (!weak(e.Source) || e.Name == agents.EvidenceTurn) && (e.At.After(f.Told) || e.Source == api.SourceProcess) {
		f.Told = e.At
	}
	if q := e.Fields["question"]; to.NeedsPerson() && q != "" {
		f.Question = q
	} else if !to.NeedsPerson() || to != f.State {
		f.Question = ""
	}
	if !to.NeedsPerson() {
		f.Dialogs = nil
	}
	if to == api.StateIdle {
		f.Turn, f.Queued, f.Owed, f.Tool, f.ToolInput = false, 0, 0, "", ""
	}
	if to == f.State && f.Winner != nil {
		return f // confirmed; the winner is what brought it
	}
	if to != f.State {
		f.Since = e.At
	}
	winner := e
	f.State, f.Winner, f.Rule, f.Reason = to, &winner, rule, reason
	return f
}

// expect sets a state to come; of two the same, the earlier counts.
func (f Fold) expect(p Pending) Fold {
	if old := f.Pending; old != nil && old.State == p.State && old.Due.Before(p.Due) {
		return f
	}
	f.Pending = &p
	return f
}

// tick brings the pending state into force if its time has come.
func (f Fold) tick(at time.Time) Fold {
	p := f.Pending
	if p == nil || at.Before(p.Due) {
		return f
	}
	f.Pending = nil
	if forgetsHeld(&f, &api.Evidence{Source: api.SourceTimer, Says: p.State}) {
		return f
	}
	f = f.enter(p.State, p.Evidence, p.Rule, p.Reason)
	f.Since = p.Due
	return f
}

// weak sources report with delay, flicker, or are mere hints: what they say is
// taken back by their next word.
func weak(s api.EvidenceSource) bool {
	return s == api.SourceFile || s == api.SourceTitle || s == api.SourceKeys || s == api.SourceScreen
}

// overrule keeps evidence that did not win. The slice is copied, because a
// Fold is a value.
func (f *Fold) overrule(e api.Evidence, reason string) {
	kept := f.Overruled[:min(len(f.Overruled), maxOverruled-1)]
	f.Overruled = append([]api.Overruled{{Evidence: e, Reason: reason}}, kept...)
}

// rule is one row of the table.
type rule struct {
	name string
	// source, names and fields select evidence; empty ones select all. A field
	// value "*" stands for any but none.
	source api.EvidenceSource
	names  []string
	fields map[string]string
	// from selects by the state in force; nil is any.
	from []api.State
	// cond, if set, must hold too, of the fold as it was before the evidence.
	cond func(*Fold, *api.Evidence) bool
	// wait, if set, says how long the state must stand unopposed before it
	// comes into force; of the fold with what the evidence told.
	wait func(*Fold, *api.Evidence) time.Duration
	// to is the state that follows: one of the states, keep, or says.
	to api.State
	// tell: list the evidence among the overruled although it says nothing.
	tell bool
	// reason is for people: why the rule is so.
	reason string
}

// What a rule may lead to beside a state.
const (
	keep api.State = "keep" // the state stays
	says api.State = "says" // what the evidence says
	next api.State = "next" // what the next open dialog says
)

// fits reports whether the rule selects e.
func (r *rule) fits(f *Fold, e *api.Evidence) bool {
	if r.source != "" && r.source != e.Source {
		return false
	}
	if r.names != nil && !slices.Contains(r.names, e.Name) {
		return false
	}
	for k, want := range r.fields {
		if got := e.Fields[k]; got != want && (want != "*" || got == "") {
			return false
		}
	}
	if r.from != nil && !slices.Contains(r.from, f.State) {
		return false
	}
	return r.cond == nil || r.cond(f, e)
}

// ruleFor finds the rule that decides; the last row of the table fits all.
func ruleFor(f *Fold, e *api.Evidence) *rule {
	for i := range rules {
		if rules[i].fits(f, e) {
			return &rules[i]
		}
	}
	return &rules[len(rules)-1]
}

// late: the evidence happened before what is in force, or about to be, and was
// overtaken.
func late(f *Fold, e *api.Evidence) bool {
	if atWork := f.State == api.StateWorking || f.State.NeedsPerson(); e.Name == "PermissionRequest" && (atWork || e.Fields["agent_id"] != "") {
		// What another call or agent does meanwhile does not close it.
		return f.closedSince(e) || f.shownBefore(e)
	}
	newest := f.Last
	if e.Source == api.SourceFile {
		newest = f.Told
	}
	if p := f.Pending; p != nil && !weak(p.Evidence.Source) && p.Evidence.At.After(newest) {
		newest = p.Evidence.At
	}
	behind := newest.Sub(e.At)
	timed := e.Source == api.SourceHook || e.Source == api.SourcePSP || e.Source == api.SourceFile || e.Name == agents.EvidenceTurn
	return timed && behind > 0 && behind <= lateWindow
}

// Explain says which evidence gave the state.
func (f Fold) Explain(session string) api.Explanation {
	overruled := make([]api.Overruled, 0, len(f.Overruled))
	for _, o := range f.Overruled {
		overruled = append(overruled, api.Overruled{Evidence: shown(o.Evidence), Reason: o.Reason})
	}
	winner := f.Winner
	if winner != nil {
		e := shown(*winner)
		winner = &e
	}
	return api.Explanation{Session: session, State: f.State, Since: f.Since, Winner: winner,
		Rule: f.Rule, Reason: f.Reason, Overruled: overruled, Changes: f.changes()}
}
