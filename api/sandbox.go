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
	Network   string `json:"network"`
	// Complete: the mechanism holds all of the profile. Missing is what it does not, a sentence
	// each.
	Complete bool     `json:"complete"`
	Missing  []string `json:"missing,omitempty"`
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

// Lacks is what is missing in one line; "" if nothing is.
func (s *Sandbox) Lacks() string {
	if s == nil || s.Complete {
		return ""
	}
	return "the sandbox " + s.Name + " does not hold: " + strings.Join(s.Missing, "; ")
}
