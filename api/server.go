package api

import "time"

// Revision counts incompatible changes of the API. While it is the same, a grid stays
// attached over an upgrade of the daemon.
const Revision = 1

// Server is GET /v1/health and `ccdir daemon status --json`.
type Server struct {
	PID     int    `json:"pid"`
	Version string `json:"version"`
	// Revision is the API's (see the constant); 0 for daemons that had none.
	Revision int `json:"revision"`
	// Keys: calls can have idempotency keys (HeaderKey).
	Keys   bool   `json:"keys"`
	Socket string `json:"socket"`
	// Machine is the same for two ways to one daemon: a hash of machine, user and state directory.
	// "" from older daemons.
	Machine string `json:"machine,omitempty"`
	// TCP is the address at which the API is served besides the socket; "" if it is not.
	TCP     string    `json:"tcp,omitempty"`
	Started time.Time `json:"started"`
	// Uptime is in seconds.
	Uptime   float64 `json:"uptime"`
	Sessions int     `json:"sessions"`
	// Running is how many of the sessions have a process.
	Running int `json:"running"`
	// EventSeq is the number of the newest event.
	EventSeq int64  `json:"event_seq"`
	StateDir string `json:"state_dir"`
	// Unsaved is why the database does not take changes, or where they are kept until it
	// does; "": it takes them.
	Unsaved string `json:"unsaved,omitempty"`
	// Aside says for each database beside the one in use whose contents it has, how to get it
	// back, and when it can be removed: one that was replaced while a daemon ran, or was damaged.
	Aside []string `json:"aside,omitempty"`
	// Goroutines counts the daemon's goroutines: a number that only grows is a leak.
	Goroutines int `json:"goroutines,omitempty"`
	// ConfigFile and PolicyFile are the user's; they need not exist.
	ConfigFile string `json:"config_file,omitempty"`
	PolicyFile string `json:"policy_file,omitempty"`
}

// ServerFile is the content of server.json in the state directory.
type ServerFile struct {
	PID     int    `json:"pid"`
	Socket  string `json:"socket"`
	Version string `json:"version"`
	// Start is the start time of the process, which tells it from a later one with its
	// pid (proc.StartTime).
	Start string `json:"start,omitempty"`
}

// Stop is the body of POST /v1/shutdown.
type Stop struct {
	KillSessions bool `json:"kill_sessions,omitempty"`
}

// AgentInfo is one entry of GET /v1/agents: what a session can be started as.
type AgentInfo struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Path is the executable found, "" if there is none.
	Path    string   `json:"path"`
	Command []string `json:"command"`
	Default bool     `json:"default"`
	// Models are models that can be offered to a person (NewSession.Model); the agent may
	// know others. Empty: its model cannot be chosen.
	Models []string `json:"models,omitempty"`
	// Accounts can be chosen (NewSession.Account), AccountDefault first. Empty: there is only the agent's own sign-in.
	Accounts []string `json:"accounts,omitempty"`
	// Hint says what to do when Path is empty.
	Hint string `json:"hint,omitempty"`
}

// Directory is one entry of GET /v1/directories: a configured repository or a
// directory used lately, best first.
type Directory struct {
	Name string `json:"name"`
	Path string `json:"path"`
}
