package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"

	"ccdir/api"
	"ccdir/daemon/httpapi/access"
	"ccdir/daemon/journal"
)

// viewer is whoever reads, and so how much of sessions they are shown. The person sees
// everything. A process inside a session sees everything of that session and of those
// that it started. Of all others it sees what working together needs: names, places,
// states and messages, but not what they were told, do, ask or answer.
type viewer struct {
	person bool
	// session is the caller's; "": not known, so it sees nothing of any in full.
	session string
	parents map[string]string // of sessions, by id
}

// viewer returns the one that makes the call. It never fails: a caller that cannot be
// identified is nobody's session.
func (s *server) viewer(r *http.Request) *viewer {
	if s.Callers == nil {
		return &viewer{person: true}
	}
	o, err := access.OriginOf(r.Context(), s.Callers)
	if err == nil && !o.Inside {
		return &viewer{person: true}
	}
	v := &viewer{parents: map[string]string{}}
	if err == nil {
		v.session = o.Session
	}
	for _, other := range s.Log.Values() {
		v.learn(other.Session)
	}
	return v
}

func (v *viewer) learn(s api.Session) {
	if s.Parent != "" {
		v.parents[s.ID] = s.Parent
	}
}

// all reports whether the viewer is shown everything of a session.
func (v *viewer) all(session string) bool {
	return v.person || v.session != "" && (session == v.session || v.parents[session] == v.session)
}

// told are the types of events whose text and data are for every session.
var told = []string{
	api.EventSessionState, api.EventSessionExited, api.EventSessionLost, api.EventSessionRenamed, api.EventSessionRemoved,
	api.EventSessionFocus, api.EventSessionAdopted, api.EventSessionSnoozed, api.EventSessionStale, api.EventSessionPolicy,
	api.EventDaemonStarted, api.EventDaemonStopped, api.EventConfigError, api.EventRestoreOffered, api.EventStoreMoved, api.EventStoreHeld,
	api.EventSpoolDrained, api.EventPolicyError, api.EventPolicyLoaded, api.EventMessage,
}

// event returns what the viewer is shown of an event: of another session's prompts, tools
// and answers only that there were any.
func (v *viewer) event(e api.Event) api.Event {
	if !v.all(e.Session) && !slices.Contains(told, e.Type) {
		e.Message, e.Data = "", nil
	}
	return e
}

func (v *viewer) events(list []api.Event) []api.Event {
	if v.person {
		return list
	}
	list = slices.Clone(list)
	for i, e := range list {
		list[i] = v.event(e)
	}
	return list
}

// of returns what the viewer is shown of a session.
func (v *viewer) of(s api.Session) api.Session {
	if v.all(s.ID) {
		return s
	}
	s.Prompt, s.Answer, s.Failure, s.Retry, s.Undelivered, s.QueuedPrompts = "", "", nil, nil, "", nil
	s.Question, s.Asks, s.Tool, s.Input, s.Argv, s.Args = "", "", "", nil, nil, nil
	return s
}

// requests are those of sessions of which the viewer is shown everything.
func (v *viewer) requests(list []api.Request) []api.Request {
	return slices.DeleteFunc(list, func(q api.Request) bool { return !v.all(q.Session) })
}

// past returns what the viewer is shown of a session that can be restored.
func (v *viewer) past(s api.OfferedSession) api.OfferedSession {
	if !v.all(s.ID) {
		s.Prompt, s.Argv, s.Args = "", nil, nil
	}
	return s
}

// message is the encoded message of a watch stream as the viewer is shown it; nil: there
// is nothing in it for them.
func (v *viewer) message(m api.WatchMessage) ([]byte, error) {
	if m.Event != nil {
		e := v.event(*m.Event)
		m.Event = &e
	}
	if m.Session != nil {
		v.learn(*m.Session)
		s := v.of(*m.Session)
		m.Session = &s
	}
	if m.Request != nil && !v.all(m.Request.Session) {
		m.Request = nil
	}
	if m.RequestEnded != nil && !v.all(m.RequestEnded.Request.Session) {
		m.RequestEnded = nil
	}
	if m == (api.WatchMessage{}) {
		return nil, nil
	}
	return json.Marshal(&m)
}

// messages calls each with the encoded messages that the viewer is shown, in order. Only
// the person's are encoded once for all watchers.
func (v *viewer) messages(list []*journal.Message, each func(seq int64, data []byte) error) error {
	if v.person {
		return journal.Latest(list, each)
	}
	for _, m := range list {
		data, err := v.message(m.WatchMessage)
		if err != nil {
			return err
		}
		seq := int64(0)
		if m.Event != nil {
			seq = m.Event.Seq
		}
		if data == nil {
			continue
		}
		if err := each(seq, data); err != nil {
			return err
		}
	}
	return nil
}

// snapshot is the beginning of a watch stream as the viewer is shown it.
func (v *viewer) snapshot(s *api.Snapshot) *api.Snapshot {
	if v.person {
		return s
	}
	shown := *s
	shown.Sessions = slices.Clone(s.Sessions)
	for i, one := range shown.Sessions {
		v.learn(one)
		shown.Sessions[i] = v.of(one)
	}
	shown.Requests = v.requests(slices.Clone(s.Requests))
	shown.Events = v.events(s.Events)
	return &shown
}
