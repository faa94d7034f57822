package restore

import (
	"context"
	"encoding/json"

	"ccdir/api"
)

// A call that restores can be repeated (api.Restore.Request). What it makes anew is
// known by its request; what it starts again by the process that was started last
// before the call began, which is noted.

// note is one session of what a call was to restore.
type note struct {
	api.OfferedSession
	// Launched is the process that was started last for it, "" if it is to be made anew.
	Launched string `json:"launched,omitempty"`
}

// Note implements httpapi.Past.
func (r *Restorer) Note(ctx context.Context, q api.Restore) []byte {
	offer, err := r.Offer(ctx, q.From)
	if err != nil {
		return nil
	}
	chosen, err := choose(offer.Sessions, q.Sessions)
	if err != nil {
		return nil
	}
	notes := []note{}
	for _, s := range chosen {
		n := note{OfferedSession: s}
		if s.State != "" {
			v, _ := r.o.Sessions.Get(ctx, s.ID) // fails for one that is gone: then it is made anew
			n.Launched = v.Launch
		}
		notes = append(notes, n)
	}
	data, _ := json.Marshal(notes) // cannot fail
	return data
}

// requestOf names what a call makes of a session of the past; "" if the call cannot
// be repeated.
func requestOf(q api.Restore, id string) string {
	if q.Request == "" {
		return ""
	}
	return q.Request + "-" + id
}

// begunBefore tells apart what a call had restored before its daemon died, and what
// is left of what it was to restore. A call that was not noted has restored nothing.
func (r *Restorer) begunBefore(ctx context.Context, q api.Restore, offered []api.OfferedSession) (done []api.Restored, left []api.OfferedSession, err error) {
	var notes []note
	if json.Unmarshal(q.Before, &notes) != nil {
		left, err = choose(offered, q.Sessions)
		return nil, left, err
	}
	for _, n := range notes {
		v, there, err := r.o.Sessions.OfRequest(ctx, requestOf(q, n.ID))
		if err == nil && !there && n.Launched != "" {
			now, failed := r.o.Sessions.Get(ctx, n.ID)
			if there = failed == nil && now.Launch != "" && now.Launch != n.Launched; there {
				v = now
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if !there {
			left = append(left, n.OfferedSession)
			continue
		}
		done = append(done, api.Restored{ID: n.ID, Name: n.Name, Session: &v})
		r.forget(n.ID)
	}
	return done, left, nil
}
