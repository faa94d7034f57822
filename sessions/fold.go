package sessions

import (
	"slices"
	"time"

	"ccdir/internal/api"
)

// Names of evidence that the registry itself gives (api.SourceProcess and
// api.SourceDelivery).
const (
	evStarted = "started" // the process runs
	evExit    = "exit"    // it ended; fields: code, signal
	evLost    = "lost"    // its host died
	evKill    = "kill"    // it was asked to end
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
	// Question is what a waiting session asks.
	Question string `json:"question,omitempty"`
	// Managed: hooks tell the state.
	Managed bool `json:"managed"`
	// Killed: it was asked to end.
	Killed bool `json:"killed,omitempty"`
	// Status is the latest program status (OSC 7501) of the agent itself.
	Status string `json:"status,omitempty"`
	// Background holds the latest program status of each named background
	// activity that is not cleared.
	Background map[string]string `json:"background,omitempty"`
	// Overruled is evidence that did not change the state, newest first.
	Overruled []api.Overruled `json:"overruled,omitempty"`
}

// NewFold is the fold of a session whose process is about to start.
func NewFold(managed bool, at time.Time) Fold {
	return Fold{State: api.StateStarting, Since: at, Managed: managed,
		Rule: "new", Reason: "nothing was heard of it yet"}
}

// Apply weighs one more fact. The first rule of the table that fits decides.
func (f Fold) Apply(e api.Evidence) Fold {
	f.note(e)
	r := ruleFor(&f, &e)
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
	if e.At.After(f.Last) || e.Source == api.SourceProcess {
		f.Last = e.At
	}
	if r.name == "kill" {
		f.Killed = true
	}
	if q := e.Fields["question"]; to.NeedsPerson() && q != "" {
		f.Question = q
	} else if !to.NeedsPerson() || to != f.State {
		f.Question = ""
	}
	if to == f.State && f.Winner != nil {
		return f // confirmed; the winner is what brought it
	}
	if to != f.State {
		f.Since = e.At
	}
	winner := e
	f.State, f.Winner, f.Rule, f.Reason = to, &winner, r.name, r.reason
	return f
}

// note remembers what evidence tells beside the state.
func (f *Fold) note(e api.Evidence) {
	if e.Source != api.SourcePSP {
		return
	}
	id, state := e.Fields["id"], e.Fields["state"]
	if id == "" {
		f.Status = state
		return
	}
	background := make(map[string]string, len(f.Background)+1)
	for k, v := range f.Background {
		background[k] = v
	}
	if state == "clear" || state == "done" {
		delete(background, id)
	} else if len(background) < maxBackground {
		background[id] = state
	}
	f.Background = background
}

// maxBackground bounds the background activities told apart.
const maxBackground = 64

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
	// cond, if set, must hold too.
	cond func(*Fold, *api.Evidence) bool
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

// late: the evidence happened before what is in force, and was overtaken.
func late(f *Fold, e *api.Evidence) bool {
	behind := f.Last.Sub(e.At)
	return (e.Source == api.SourceHook || e.Source == api.SourcePSP) && behind > 0 && behind <= lateWindow
}

// Explain says which evidence gave the state.
func (f Fold) Explain(session string) api.Explanation {
	overruled := f.Overruled
	if overruled == nil {
		overruled = []api.Overruled{}
	}
	return api.Explanation{Session: session, State: f.State, Since: f.Since, Winner: f.Winner,
		Rule: f.Rule, Reason: f.Reason, Overruled: overruled, Changes: f.changes()}
}
