package api

import (
	"slices"
	"strings"
	"time"
)

// NodeLoss is what becomes of a fleet's task when the machine on which it runs is away.
type NodeLoss string

// The choices.
const (
	// NodeLossWait: it waits for the machine, whose agent most likely works on.
	NodeLossWait NodeLoss = "wait"
	// NodeLossAgain: it is given to another machine. For tasks that are idempotent.
	NodeLossAgain NodeLoss = "again"
)

// Placement says on which machines of a fleet a task may run.
type Placement struct {
	// Node is the only one; "" is any.
	Node string `json:"node,omitempty"`
	// Needs are labels that the machine must have; its agents are labels, too.
	Needs []string `json:"needs,omitempty"`
	// OnNodeLoss "" is NodeLossWait.
	OnNodeLoss NodeLoss `json:"on_node_loss,omitempty"`
}

// FleetNode is a machine of a fleet, as it last told of itself.
type FleetNode struct {
	Name string `json:"name"`
	// Labels are what it offers, its agents among them.
	Labels []string `json:"labels"`
	// Slots is how many tasks it runs at once, Used how many it has now.
	Slots int `json:"slots"`
	Used  int `json:"used"`
	// Limited are the agents whose usage limit it has met: it takes none of their tasks.
	Limited []string `json:"limited,omitempty"`
	Version string   `json:"version"`
	// Windows are what is left of the limits of its accounts, as agents told.
	Windows []UsageWindow `json:"windows,omitempty"`
	// Away is since when nothing was heard of it; zero: it is here.
	Away time.Time `json:"away,omitzero"`
	At   time.Time `json:"at"`
}

// Fleet is the state of a fleet.
type Fleet struct {
	// ID is made with the fleet.
	ID string `json:"id"`
	// Leader is the server that decides.
	Leader string      `json:"leader"`
	Nodes  []FleetNode `json:"nodes"`
	Queue  Queue       `json:"queue"`
}

// FleetRequest is a call of a person to a fleet's leader.
type FleetRequest struct {
	// Op is one of the Fleet… constants.
	Op    string    `json:"op"`
	Tasks []NewTask `json:"tasks,omitempty"`
	// Ref is a task, for all but FleetAdd, FleetTasks and FleetState.
	Ref string `json:"ref,omitempty"`
	// From is how many tasks to leave out of the answer to FleetTasks, or bytes of FleetLogs, FleetErrors and FleetPatch.
	From int `json:"from,omitempty"`
}

// The operations.
const (
	FleetAdd     = "add"
	FleetTasks   = "tasks"
	FleetTask    = "task"
	FleetStart   = "start"
	FleetCancel  = "cancel"
	FleetRelease = "release" // give it to another machine than the one that is away
	FleetState   = "fleet"
	FleetLogs    = "logs"   // what the last attempt wrote: its machine is asked
	FleetErrors  = "errors" // the same of its standard error
	FleetPatch   = "patch"  // what its session has changed, as git apply takes it
)

// FleetReply is the answer to a request.
type FleetReply struct {
	Error *Error `json:"error,omitempty"`
	Tasks []Task `json:"tasks,omitempty"`
	// Text is what FleetLogs and FleetErrors found, control characters as the agent wrote them; of
	// FleetPatch what the patch lacks (ReviewDiff.NotInPatch).
	Text string `json:"text,omitempty"`
	// Part is from the patch that FleetPatch found, Whole the SHA-256 of all of it in hexadecimal: parts of
	// one patch have the same.
	Part  []byte `json:"part,omitempty"`
	Whole string `json:"whole,omitempty"`
	// More: there are tasks behind these, text, or parts.
	More  bool   `json:"more,omitempty"`
	Fleet *Fleet `json:"fleet,omitempty"`
}

// Hold says what keeps a queued task of a fleet from starting; "" for tasks in other states, and for one that
// starts next. open has the ids of the tasks that have not ended.
func (f Fleet) Hold(t Task, open map[string]bool, now time.Time) string {
	if _, words := f.Queue.Hold(t, open, now); words != "" || t.State != TaskQueued {
		return words
	}
	var where Placement
	if t.Fleet != nil {
		where = *t.Fleet
	}
	var needs []string
	if t.Agent != "" {
		needs = append(needs, t.Agent)
	}
	needs = append(needs, where.Needs...)
	lacks := func(n FleetNode) []string {
		return slices.DeleteFunc(slices.Clone(needs), func(l string) bool { return slices.Contains(n.Labels, l) })
	}
	called := slices.DeleteFunc(slices.Clone(f.Nodes), func(n FleetNode) bool { return where.Node != "" && n.Name != where.Node })
	fit := slices.DeleteFunc(slices.Clone(called), func(n FleetNode) bool { return len(lacks(n)) > 0 })
	switch {
	case len(f.Nodes) == 0:
		return "no machine has joined"
	case len(called) == 0:
		return "no machine is called " + where.Node
	case len(fit) == 0 && where.Node != "":
		return where.Node + " has no " + strings.Join(lacks(called[0]), ", ")
	case len(fit) == 0:
		return "no machine has " + strings.Join(needs, ", ")
	}
	var full bool
	var limited, away []string
	for _, n := range fit {
		switch {
		case !n.Away.IsZero():
			away = append(away, n.Name)
		case slices.Contains(n.Limited, t.Agent):
			limited = append(limited, n.Name)
		case n.Used < n.Slots:
			return ""
		default:
			full = true
		}
	}
	switch {
	case full:
		return "no machine that fits has a free place"
	case len(limited) > 0:
		return "usage limit of " + t.Agent + " on " + strings.Join(limited, ", ")
	case len(away) == 1:
		return away[0] + " is away"
	}
	return strings.Join(away, ", ") + " are away"
}
