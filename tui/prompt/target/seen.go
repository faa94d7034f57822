package target

import (
	"cmp"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Seen is a target among the sessions of a moment.
type Seen struct {
	Target
	env ui.Env
	// Session is the session that a Focused target is, "" a new one.
	Session string
}

// In is the target as it is in env. session is the session that Focused is, "" a new one.
func (t Target) In(env ui.Env, session string) Seen { return Seen{t, env, session} }

// Receivers are the sessions that get the text, nil if a new one does or the
// queue.
func (s Seen) Receivers() []api.Session {
	switch s.Kind {
	case Focused:
		if v := s.env.Session(s.Session); v != nil && Takes(*v) {
			return []api.Session{*v}
		}
	case Idle:
		return slices.DeleteFunc(idle(s.env), func(v api.Session) bool { return !slices.Contains(s.IDs, v.ID) })
	case Chosen:
		return slices.DeleteFunc(gridded(s.env), func(v api.Session) bool { return !Takes(v) || !slices.Contains(s.IDs, v.ID) })
	}
	return nil
}

// NotIdle says which of the idle agents that the text is for are not idle any more, ""
// if all are: they do not get it.
func (s Seen) NotIdle() string {
	if s.Kind != Idle {
		return ""
	}
	to := s.Receivers()
	var names []string
	for _, id := range s.IDs {
		if !slices.ContainsFunc(to, func(v api.Session) bool { return v.ID == id }) {
			names = append(names, textsafe.Line(cmp.Or(s.env.Names[id], id)))
		}
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0] + " is not idle any more"
	default:
		return FirstNames(names) + " are not idle any more"
	}
}

// Ended is the name of the session that the bar was opened for, if it has ended
// meanwhile; else "".
func (s Seen) Ended() string {
	if !s.env.Writing || s.Kind != Focused || s.Session == "" {
		return ""
	}
	if v := s.env.Session(s.Session); v != nil && Takes(*v) {
		return ""
	}
	return textsafe.Line(s.env.Names[s.Session])
}

// ChosenEnded says which of the chosen sessions have ended meanwhile, "" if none has.
func (s Seen) ChosenEnded() string {
	if s.Kind != Chosen {
		return ""
	}
	var names []string
	for _, id := range s.IDs {
		if v := s.env.Session(id); v == nil || !Takes(*v) {
			names = append(names, textsafe.Line(cmp.Or(s.env.Names[id], id)))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " has ended"
	}
	return FirstNames(names) + " have ended"
}

// Dir is the directory that the text is about.
func (s Seen) Dir() string {
	if to := s.Receivers(); len(to) > 0 {
		return to[0].CWD
	}
	if v := s.env.Session(s.env.Focus); v != nil {
		return v.CWD
	}
	return s.env.Dir
}

// FirstNames are the first three names, and that there are more.
func FirstNames(names []string) string {
	out := strings.Join(names[:min(len(names), 3)], ", ")
	if len(names) > 3 {
		out += ", …"
	}
	return out
}
