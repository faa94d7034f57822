package restore

import (
	"context"
	"encoding/json"

	"ccdir/api"
)

// Restore is idempotent for calls with api.Restore.Request. Before it acts, the API saves a
// note of the present state. A retry finds new sessions by their request, and restarted
// ones by their process: another one than in the note.

// note is one session that a call was to restore.
type note struct {
	api.OfferedSession
	// Launched identifies the session's last process before the call; "": the registry does
	// not know the session, and a new one is started.
	Launched string `json:"launched,omitempty"`
}

// Note implements httpapi.Past.
func (r *Restorer) Note(ctx context.Context, q api.Restore) []byte {
	offer, err := r.Offer(ctx, q.From)
	if err != nil {
		return nil
	}
	chosen, err := r.choose(ctx, offer.Sessions, q.Sessions)
	if err != nil {
		return nil
	}
	notes := []note{}
	for _, s := range chosen {
		n := note{OfferedSession: s}
		if s.State != "" {
			v, _ := r.o.Sessions.Get(ctx, s.ID) // fails for one that was removed
			n.Launched = v.Launch
		}
		notes = append(notes, n)
	}
	data, _ := json.Marshal(notes) // cannot fail
	return data
}

// requestOf is the request of the new session that a call starts for a recorded one; "":
// the call cannot be retried.
func requestOf(q api.Restore, id string) string {
	if q.Request == "" {
		return ""
	}
	return q.Request + "-" + id
}

// begunBefore returns the sessions that the first attempt of a call has restored, and
// those that are left. Without a note the first attempt has restored none.
func (r *Restorer) begunBefore(ctx context.Context, q api.Restore, offered []api.OfferedSession) (done []api.Restored, left []api.OfferedSession, err error) {
	var notes []note
	if json.Unmarshal(q.Before, &notes) != nil {
		left, err = r.choose(ctx, offered, q.Sessions)
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
