package link

import (
	"time"

	"ccdir/api"
)

// State is how a node is reached.
type State string

// The states of a node.
const (
	StateOnline  State = "online"  // it answers
	StateStale   State = "stale"   // it has not answered for some seconds; what is known of it may be old
	StateOffline State = "offline" // there is no connection
	StateAsks    State = "asks"    // ssh asks for something that only the person knows
	StateOld     State = "old"     // no program there speaks a protocol of this one
)

// Request is a client's first line.
type Request struct {
	// Open joins the connection with the socket of that name there. Unless the node is online,
	// the link tries at once, and waits as long as that try takes. With Soon it waits for a try
	// that is under way, and begins none: grids ask all the time.
	Open string `json:"open,omitempty"`
	Soon bool   `json:"soon,omitempty"`
	// Ready waits like Open, and opens nothing.
	Ready bool `json:"ready,omitempty"`
	// Watch sends a Status whenever it changes, until the client hangs up.
	Watch bool `json:"watch,omitempty"`
	// Answer, with Watch or Ready: this client takes ssh's questions (Status.Question) and
	// answers each with an Answer line.
	Answer bool `json:"answer,omitempty"`
	// Again ends the wait before the next try.
	Again bool `json:"again,omitempty"`
	// Down ends the link.
	Down bool `json:"down,omitempty"`
	// Install, with Ready and Answer's like: programs that are installed there if none fits.
	Install *Install `json:"install,omitempty"`
	// Ask is a question of ssh, from askpass. The answer is an Answer line.
	Ask string `json:"ask,omitempty"`
}

// Install names programs of this machine to be installed on the node.
type Install struct {
	// Version is theirs, Dir their directory, Always: also if programs there would do.
	Version string `json:"version"`
	Dir     string `json:"dir"`
	Always  bool   `json:"always,omitempty"`
}

// Question is a question of ssh's.
type Question struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
}

// Answer answers a question; without OK the person gave none.
type Answer struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
	OK   bool   `json:"ok"`
}

// Status is how the node is reached at the moment.
type Status struct {
	Node string `json:"node"`
	// Target is ssh's destination.
	Target string `json:"ssh"`
	State  State  `json:"state"`
	// Reason is why it is not online, and what to do.
	Reason string `json:"reason,omitempty"`
	// Trying: ssh connects at the moment.
	Trying bool `json:"trying,omitempty"`
	// Round is the last measured round trip.
	Round time.Duration `json:"round,omitempty"`
	// Seen is when the node answered last, Next when the next try begins; zero: never.
	Seen time.Time `json:"seen,omitzero"`
	Next time.Time `json:"next,omitzero"`
	// Greeting is the bridge's first message on the last connection.
	Greeting *Greeting `json:"greeting,omitempty"`
	// Question is ssh's open question; for clients with Request.Answer.
	Question *Question `json:"question,omitempty"`
	// PID is the link's process, SSH that of its ssh, 0: none.
	PID int `json:"pid"`
	SSH int `json:"ssh_pid,omitempty"`
	// Opened: the connection is joined from here on.
	Opened bool `json:"opened,omitempty"`
	// Installed is the directory there into which programs were installed last.
	Installed string `json:"installed,omitempty"`
}

// Greeting is the bridge's first message.
type Greeting struct {
	// Mux is the range of protocols of the connection.
	Mux [2]int `json:"mux"`
	// Version is the bridge's.
	Version string `json:"version"`
	// System is its operating system and architecture in Go's words, Home the person's home
	// directory, Program the bridge's path.
	System  string `json:"system"`
	Home    string `json:"home"`
	Program string `json:"program"`
	// Server is the node's daemon, nil if none runs, for the reason in Problem.
	Server  *api.Server `json:"server,omitempty"`
	Problem string      `json:"problem,omitempty"`
}
