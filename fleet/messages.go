package fleet

import (
	"encoding/json"
	"fmt"
	"strings"

	"ccdir/api"
	"ccdir/orchestrator"
)

// What servers and machines say to each other. Every message is JSON; unknown fields are ignored, because
// machines are updated one after the other.

// order is what a machine is to do about an attempt: start or end it.
type order struct {
	Kind    string      `json:"kind"` // orchestrator.EffectKind: DoStart, DoEnd
	Task    string      `json:"task"`
	Attempt int         `json:"attempt"`
	What    api.NewTask `json:"what,omitzero"`
}

func (o order) ref() orchestrator.Ref { return orchestrator.Ref{Task: o.Task, Attempt: o.Attempt} }

// claim asks for an attempt; its answer is a reply without Error, if it may start. Without a task it
// asks for the fleet's id.
type claim struct {
	Task    string `json:"task"`
	Attempt int    `json:"attempt"`
}

// report is what became of an attempt on a machine.
type report struct {
	State   api.TaskState  `json:"state"`
	Reason  string         `json:"reason,omitempty"`
	Session string         `json:"session,omitempty"`
	Result  api.TaskResult `json:"result,omitzero"`
}

// presence is what a machine tells of itself.
type presence struct {
	Labels  []string `json:"labels"`
	Slots   int      `json:"slots"`
	Limited []string `json:"limited,omitempty"`
	Version string   `json:"version"`
	// Windows are at most maxWindows.
	Windows []api.UsageWindow `json:"windows,omitempty"`
}

// maxWindows bounds the windows of limits that a machine tells.
const maxWindows = 20

// pageTasks and pageBytes bound the tasks of one reply (the engine takes 8 MiB, and one task has 7 at most), addTasks
// those of one call.
const (
	pageTasks = 500
	pageBytes = 4 << 20
	addTasks  = 1000
)

// requestOf names an attempt to the daemon of a machine, which takes each name once.
func requestOf(fleetID string, ref orchestrator.Ref) string {
	return fmt.Sprintf("fleet-%s/%s-%d", fleetID, ref.Task, ref.Attempt)
}

// attemptOf is the attempt that a request names; ok is false if it is not one of the fleet.
func attemptOf(fleetID, request string) (ref orchestrator.Ref, ok bool) {
	rest, ours := strings.CutPrefix(request, "fleet-"+fleetID+"/")
	task, attempt, cut := strings.Cut(rest, "-")
	if _, err := fmt.Sscanf(attempt, "%d", &ref.Attempt); !ours || !cut || err != nil || task == "" {
		return orchestrator.Ref{}, false
	}
	ref.Task = task
	return ref, requestOf(fleetID, ref) == request
}

// decode reads a message of the other side.
func decode[T any](data []byte) (v T, err error) {
	if err = json.Unmarshal(data, &v); err != nil {
		err = fmt.Errorf("a message that is none: %w", err)
	}
	return v, err
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of our own types
	}
	return data
}
