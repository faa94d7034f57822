package api

import "strings"

// NoSandbox asks for no walls where the configuration has a default profile.
const NoSandbox = "none"

// Sandbox are the walls around a session's process.
type Sandbox struct {
	// Name is the profile's.
	Name string `json:"name"`
	// Mechanism holds it: bubblewrap, landlock, sandbox-exec; "" if nothing does.
	Mechanism string `json:"mechanism"`
	// Network is all, hosts, loopback or none; Hosts are those that it lets through.
	Network string   `json:"network"`
	Hosts   []string `json:"hosts,omitempty"`
	// Allowed is what the person lets through for this session besides; Waiting is what of it the
	// running process cannot be given: the next start has it.
	Allowed []string `json:"allowed,omitempty"`
	Waiting []string `json:"waiting,omitempty"`
	// Complete: the mechanism holds all of the profile. Missing is what it does not, a sentence
	// each.
	Complete bool     `json:"complete"`
	Missing  []string `json:"missing,omitempty"`
}

// AllowInSandbox is the body of POST /v1/sessions/ID/sandbox.
type AllowInSandbox struct {
	// Allow is a path, absolute or with ~/ for the home, or a host as in a profile's network.
	Allow string `json:"allow"`
}

// SandboxRefusal is the data of an event EventSandboxRefused.
type SandboxRefusal struct {
	// Sandbox is the profile's name.
	Sandbox string `json:"sandbox"`
	// Host is what was tried and not let through, HOST:PORT, Count how often since the last such
	// event of that host.
	Host  string `json:"host,omitempty"`
	Count int    `json:"count"`
	// Tool is that whose result reads as a refusal, Says the line that does.
	Tool string `json:"tool,omitempty"`
	Says string `json:"says,omitempty"`
}

// Line is it in a few words, for titles and lists: the profile's name, with a mark if it is not
// complete; "" for none.
func (s *Sandbox) Line() string {
	switch {
	case s == nil:
		return ""
	case s.Mechanism == "":
		return s.Name + " (not held)"
	case !s.Complete:
		return s.Name + " (in part)"
	}
	return s.Name
}

// Reaches is its network in a few words.
func (s *Sandbox) Reaches() string {
	if len(s.Hosts) == 0 {
		return "network " + s.Network
	}
	return "network only " + strings.Join(s.Hosts, ", ")
}

// Lacks is what is missing in one line; "" if nothing is.
func (s *Sandbox) Lacks() string {
	if s == nil || s.Complete {
		return ""
	}
	return "the sandbox " + s.Name + " does not hold: " + strings.Join(s.Missing, "; ")
}

// Walls are what is around a session, in one line for people: the profile's name, with a mark if it is not complete, or why
// there are none; "" if nobody asked for any.
func (s Session) Walls() string {
	if s.Unwalled != "" {
		return NoSandbox + ": " + s.Unwalled
	}
	return s.Sandbox.Line()
}
