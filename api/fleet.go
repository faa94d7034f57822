package api

import "time"

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
