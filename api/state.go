package api

import "time"

// State is what a session is doing, as far as the evidence tells.
type State string

// The states of a session, in the order of its life.
const (
	// StateStarting: the process runs and has not reported anything yet.
	StateStarting State = "starting"
	// StateIdle: at its prompt; a finished turn is idle.
	StateIdle State = "idle"
	// StateWorking: in a turn (thinking, running a tool).
	StateWorking State = "working"
	// StateInput: it asked the person a question and waits.
	StateInput State = "waiting_for_input"
	// StatePermission: it asks for permission and waits.
	StatePermission State = "waiting_for_permission"
	// StateParked: ccdir ended the process of an agent at rest, to free its memory. Whatever
	// needs it starts it again in its conversation; it has not ended.
	StateParked State = "parked"
	// StateExiting: it was asked to end and hasn't yet.
	StateExiting State = "exiting"
	// StateExited: the process ended; Session.ExitCode says how.
	StateExited State = "exited"
	// StateLost: its host died; the events say what became of the process.
	StateLost State = "lost"
)

// States lists every state once, in the order of a session's life.
func States() []State {
	return []State{StateStarting, StateIdle, StateWorking, StateInput,
		StatePermission, StateParked, StateExiting, StateExited, StateLost}
}

// StateFailed is what callers may wait for besides the states: at rest after a turn that
// failed (Session.HasFailed).
const StateFailed State = "failed"

// WaitStates lists what callers may wait for: the states, and StateFailed.
func WaitStates() []State { return append(States(), StateFailed) }

// Ended reports whether the session is over: no process runs, and none is started by itself.
func (s State) Ended() bool { return s == StateExited || s == StateLost }

// Stopped reports whether no process runs in that state: it has ended, or is parked.
func (s State) Stopped() bool { return s == StateParked || s.Ended() }

// NeedsPerson reports whether the session waits for a person.
func (s State) NeedsPerson() bool { return s == StateInput || s == StatePermission }

// Standing is what the state alone means to a person.
func (s State) Standing() Standing { return Session{State: s}.Standing(time.Time{}) }

// Parking says whether a session may be parked.
type Parking struct {
	May bool `json:"may"`
	// Why is why not, "" if it may.
	Why string `json:"why,omitempty"`
}
