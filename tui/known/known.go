// Package known is the grid's copy of the daemon's state, as the watch stream tells it.
//
// News collects what a stream has told since somebody looked: of all state the latest, of events
// the newest Most. Known takes News and has the World that components see; slices and maps of it
// are replaced, never changed in place, because pictures share them. It also keeps the names of
// sessions that were removed, for what is still shown of them (formerNames at most). Neither has a
// lock: whoever fills News while others read it guards it.
package known

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ccdir/api"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/ui"
)

// Known is what is known of the daemon's state.
type Known struct {
	ui.World // its names are made for each scene (AllNames)

	former map[string]string // names of sessions that were removed
	named  nameCache
}

// New knows nothing yet.
func New() Known { return Known{former: map[string]string{}} }

// Link takes whether the daemon answers; nil is no news.
func (k *Known) Link(l *Link) {
	if l == nil {
		return
	}
	k.Offline = ""
	if l.Lost != nil {
		k.Offline = textsafe.Line(l.Lost.Error())
	}
}

// Snapshot takes the sessions and events of a snapshot.
func (k *Known) Snapshot(s *api.Snapshot) {
	k.Sessions, k.Events, k.Server, k.Limits, k.Offline = sorted(s.Sessions), s.Events, s.Server, s.Limits, ""
}

// TakeLimits takes the windows of limits; nil is no news.
func (k *Known) TakeLimits(l *api.Limits) {
	if l != nil {
		k.Limits = l
	}
}

// TakeEvents adds events; the newest stay.
func (k *Known) TakeEvents(more []api.Event) {
	if len(more) == 0 {
		return
	}
	all := append(k.Events[:len(k.Events):len(k.Events)], more...)
	k.Events = all[max(0, len(all)-Most):]
}

// Remove takes a session away.
func (k *Known) Remove(id string) {
	k.Sessions = slices.DeleteFunc(slices.Clone(k.Sessions), func(o api.Session) bool { return o.ID == id })
}

func sorted(all []api.Session) []api.Session {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b api.Session) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all
}

// Answered takes a session from the answer to a call. The watch stream tells every
// change too, and in order: what it told while the answer was under way is newer, so
// the answer only adds a session of which nothing was heard yet.
func (k *Known) Answered(v api.Session) {
	if _, removed := k.former[v.ID]; !removed && k.Session(v.ID) == nil {
		k.Upsert(v)
	}
}

// Upsert takes a session's new value.
func (k *Known) Upsert(v api.Session) {
	if v.ID == "" {
		return
	}
	next := slices.DeleteFunc(slices.Clone(k.Sessions), func(o api.Session) bool { return o.ID == v.ID })
	k.Sessions = sorted(append(next, v))
}

// formerNames bounds how many names of removed sessions are kept.
const formerNames = 1000

// NoteRemoved keeps the names of sessions that are not there any more, for the
// events that are still shown of them. before is what there was; of those that went
// before the grid came a snapshot's events tell.
func (k *Known) NoteRemoved(before []api.Session, snapshot *api.Snapshot) {
	if snapshot != nil {
		for _, e := range snapshot.Events {
			if name, ok := strings.CutPrefix(e.Message, "removed "); ok && e.Type == api.EventSessionRemoved && e.Source == "daemon" {
				k.former[e.Session] = name
			}
		}
	}
	for _, v := range before {
		if k.Session(v.ID) == nil {
			k.former[v.ID] = v.Name
		}
	}
	k.named = nameCache{}
	if len(k.former) <= formerNames {
		return
	}
	maps.DeleteFunc(k.former, func(id string, _ string) bool {
		return !slices.ContainsFunc(k.Events, func(e api.Event) bool { return e.Session == id })
	})
}

// nameCache are the names as they were computed last, and of what.
type nameCache struct {
	first *api.Session
	n     int
	out   map[string]string
}

// AllNames are those of all sessions by their ids, removed ones among them.
func (k *Known) AllNames() map[string]string {
	all := k.Sessions // replaced, never changed in place
	if len(all) == 0 {
		return maps.Clone(k.former)
	}
	if c := &k.named; c.first != &all[0] || c.n != len(all) {
		*c = nameCache{&all[0], len(all), maps.Clone(k.former)}
		for _, v := range all {
			c.out[v.ID] = v.Name
		}
	}
	return k.named.out
}
