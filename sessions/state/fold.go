package state

import (
	"slices"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// allStates are the states that a rule may lead to.
var allStates = api.States()

// maxOverruled bounds Fold.Overruled.
const maxOverruled = 8

// Fold is everything remembered about one session's evidence. It is a value: Apply returns
// the next Fold and leaves the old one unchanged. It is saved as JSON with the session.
type Fold struct {
	State api.State `json:"state"`
	Since time.Time `json:"since"`
	// Winner is the evidence that gave the state, Rule the row that matched, Reason its
	// text. Nil before any evidence.
	Winner *api.Evidence `json:"winner,omitempty"`
	Rule   string        `json:"rule,omitempty"`
	Reason string        `json:"reason,omitempty"`
	// Last is the time of the newest evidence for the state in force. Zero: none yet.
	Last time.Time `json:"last"`
	// Told is the same for evidence with exact times only: titles and screens are left out,
	// because they lag behind the session file. Zero: none yet.
	Told time.Time `json:"told,omitzero"`
	// Question is the text that a waiting session asks; "" if none is known.
	Question string `json:"question,omitempty"`
	// Managed is true if the agent reports by hooks.
	Managed bool `json:"managed"`
	// Killed is true once the session was asked to end.
	Killed bool `json:"killed,omitempty"`
	// Parking is true from the decision to park the session until its process goes on after all.
	Parking bool `json:"parking,omitempty"`
	// Pending is a state that takes force at its time unless evidence contradicts it first.
	// Nil: none.
	Pending *Pending `json:"pending,omitempty"`
	// Overruled is evidence that did not change the state, newest first; at most
	// maxOverruled.
	Overruled []api.Overruled `json:"overruled,omitempty"`

	Memory
}

// Pending is a state that takes force at Due unless evidence contradicts it before.
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
		Rule: "new", Reason: "no evidence came yet"}
}

// Wake returns when Apply must be called with evidence of source api.SourceTimer; zero:
// never.
func (f Fold) Wake() time.Time {
	if f.Pending == nil {
		return time.Time{}
	}
	return f.Pending.Due
}

// Apply weighs one piece of evidence: the first matching rule decides. Afterwards stand
// lets standing reports win over a state that they have contradicted for long enough.
func (f Fold) Apply(e api.Evidence) Fold {
	if e.Source == api.SourceTimer {
		return f.tick(e.At)
	}
	return f.decide(e).stand(&f, &e)
}

// decide applies the table.
func (f Fold) decide(e api.Evidence) Fold {
	if p := f.Pending; p != nil && p.Evidence.Source == e.Source && weak(e.Source) && (e.Source != api.SourceScreen || e.Says != p.State) {
		f.Pending = nil // the same source reports something else now
	}
	before := f
	if f.Parking && f.State != api.StateExiting && !f.State.Stopped() && (e.Source == api.SourceKeys || e.Kind == api.KindPrompt) {
		f.Parking = false // it is in use again: an end of it is another
	}
	f.Memory = f.Memory.note(f.State, e)
	if !f.Managed && f.Status == "clear" {
		f.Status = "" // the program that reported its status has returned the terminal to its command
	}
	if p := f.Pending; p != nil && weak(p.Evidence.Source) && f.Switching.Equal(e.At) {
		f.Pending = nil // it saw the change of conversation
	}
	r := ruleFor(&before, &e)
	if r.to == next {
		return f.nextDialog(e, r)
	}
	to := r.to
	if to == says {
		to = e.Says
	}
	if !slices.Contains(allStates, to) { // keep, or evidence without a state
		if e.Says != "" || r.tell {
			f.overrule(e, r.reason)
		}
		return f
	}
	switch r.name {
	case "kill", "kill-parked":
		f.Killed = true
	case "park", "park-off":
		f.Parking = r.name == "park"
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

// knowsMore reports whether the question in force is that of an open dialog, which the agent's hook
// told with the call, where e is the program status, which has only a headline.
func (f *Fold) knowsMore(e *api.Evidence) bool {
	return e.Source == api.SourcePSP && f.Question != "" &&
		slices.ContainsFunc(f.Dialogs, func(d api.Evidence) bool { return d.Fields["question"] == f.Question })
}

// enter puts a state into force.
func (f Fold) enter(to api.State, e api.Evidence, rule, reason string) Fold {
	if e.At.After(f.Last) || e.Source == api.SourceProcess {
		f.Last = e.At
	}
	if (!weak(e.Source) || e.Name == agents.EvidenceTurn) && (e.At.After(f.Told) || e.Source == api.SourceProcess) {
		f.Told = e.At
	}
	if q := e.Fields["question"]; to.NeedsPerson() && q != "" {
		if to != f.State || !f.knowsMore(&e) {
			f.Question = q
		}
	} else if !to.NeedsPerson() || to != f.State {
		f.Question = ""
	}
	if !to.NeedsPerson() {
		f.Dialogs = nil
	}
	if to == api.StateIdle {
		f.noteRest(&e, rule)
		f.Turn, f.Queued, f.Owed, f.Tool, f.ToolInput = false, 0, 0, "", ""
	}
	if to == f.State && f.Winner != nil {
		return f // confirmed; Winner stays the evidence that brought it
	}
	if to != f.State {
		f.Since = e.At
	}
	winner := e
	f.State, f.Winner, f.Rule, f.Reason = to, &winner, rule, reason
	return f
}

// expect sets the pending state. Of two for the same state the earlier stays.
func (f Fold) expect(p Pending) Fold {
	if old := f.Pending; old != nil && old.State == p.State && old.Due.Before(p.Due) {
		return f
	}
	f.Pending = &p
	return f
}

// tick puts the pending state into force once it is due.
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

// weak sources lag, flicker or are only hints: their next report cancels what they made
// pending.
func weak(s api.EvidenceSource) bool {
	return s == api.SourceFile || s == api.SourceTitle || s == api.SourceKeys || s == api.SourceScreen
}

// overrule records evidence that did not win. It copies the slice, because a Fold is a
// value.
func (f *Fold) overrule(e api.Evidence, reason string) {
	kept := f.Overruled[:min(len(f.Overruled), maxOverruled-1)]
	f.Overruled = append([]api.Overruled{{Evidence: e, Reason: reason}}, kept...)
}

// rule is one row of the table.
type rule struct {
	name string
	// source, kinds, names and fields select evidence; an empty one matches all. The field
	// value "*" matches any value but "". Names are of evidence without a kind.
	source api.EvidenceSource
	kinds  []api.EventKind
	names  []string
	fields map[string]string
	// from selects by the state in force; nil matches all.
	from []api.State
	// cond, if set, must hold too. It sees the fold before the evidence.
	cond func(*Fold, *api.Evidence) bool
	// wait, if set, returns how long the state must stay uncontradicted before it takes
	// force. It sees the fold after Memory has noted the evidence.
	wait func(*Fold, *api.Evidence) time.Duration
	// to is the new state: one of api.States, or keep, says or next.
	to api.State
	// tell lists the evidence among the overruled although it names no state.
	tell bool
	// reason explains the rule to people, in `ccdir explain`.
	reason string
}

// Results of a rule besides states.
const (
	keep api.State = "keep" // no change
	says api.State = "says" // the state that the evidence names
	next api.State = "next" // the state of the next open dialog
)

// fits reports whether the rule matches e.
func (r *rule) fits(f *Fold, e *api.Evidence) bool {
	if r.source != "" && r.source != e.Source {
		return false
	}
	if r.kinds != nil && !slices.Contains(r.kinds, e.Kind) || r.names != nil && !slices.Contains(r.names, e.Name) {
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

// ruleFor returns the first rule that matches; the last row matches everything.
func ruleFor(f *Fold, e *api.Evidence) *rule {
	for i := range rules {
		if rules[i].fits(f, e) {
			return &rules[i]
		}
	}
	return &rules[len(rules)-1]
}

// late reports whether the evidence happened before the evidence in force or pending.
func late(f *Fold, e *api.Evidence) bool {
	if atWork := f.State == api.StateWorking || f.State.NeedsPerson(); e.Kind == api.KindDialog && (atWork || e.Fields["agent_id"] != "") {
		// What another call or agent does meanwhile does not close the dialog.
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
	timed := e.Source == api.SourceHook || e.Source == api.SourcePSP || e.Source == api.SourceFile || e.Source == api.SourceTitle || e.Name == agents.EvidenceTurn
	return timed && behind > 0 && behind <= lateWindow
}

// Explain describes the evidence behind the state.
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
