package restore

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
)

// maxPrompt bounds the prompts in generations, in characters.
const maxPrompt = 200

// offer is a list of sessions that can be restored. It stays until it is accepted or
// refused, also for later daemons.
type offer struct {
	Reason   string            `json:"reason"`
	At       time.Time         `json:"at"`
	Sessions []api.PastSession `json:"sessions"`
}

// findOffer adds the sessions to the offer that ran before and do not run now, and
// returns their number. The registry has adopted the running sessions before.
func (r *Restorer) findOffer() (added int) {
	if err := readOffer(r.file, &r.offer); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.o.Logger.Warn("what was offered to be restored is forgotten", "file", r.file, "error", err)
	}
	sessions := r.o.Journal.Sessions()
	now := map[string]api.Session{}
	for _, v := range sessions {
		now[v.ID] = v
	}
	list, err := r.generations.List()
	if err != nil {
		r.o.Logger.Warn("cannot read what ran before", "error", err)
	}
	var found offer
	rebooted := len(list) > 0 && list[0].Boot != r.o.Boot
	if len(list) > 0 {
		found.At = list[0].At
		for _, s := range list[0].Sessions {
			v, exists := now[s.ID]
			if rebooted && (!exists || v.State.Ended()) || exists && justLost(v, r.o.Started) {
				found.Sessions = append(found.Sessions, s)
			}
		}
	}
	for _, v := range sessions {
		known := func(s api.PastSession) bool { return s.ID == v.ID }
		if recorded(v) && justLost(v, r.o.Started) && !slices.ContainsFunc(found.Sessions, known) {
			found.Sessions = append(found.Sessions, pastOf(v))
		}
	}
	r.offer.Sessions = slices.DeleteFunc(r.offer.Sessions, func(s api.PastSession) bool {
		v, exists := now[s.ID]
		return exists && !v.State.Ended() || slices.ContainsFunc(found.Sessions, func(f api.PastSession) bool { return f.ID == s.ID })
	})
	if len(found.Sessions) == 0 {
		return 0
	}
	found.Reason = api.RestoreLost
	if rebooted {
		found.Reason = api.RestoreReboot
	}
	if found.At.IsZero() {
		found.At = r.o.Started
	}
	added = len(found.Sessions)
	found.Sessions = append(found.Sessions, r.offer.Sessions...)
	r.offer = found
	r.saveOffer()
	return added
}

// justLost reports whether a session was found dead at this start.
func justLost(v api.Session, started time.Time) bool {
	return v.State == api.StateLost && !v.Since.Before(started)
}

// recorded reports whether a session belongs in generations: the queue restarts those
// of tasks itself, and external ones were not started by us.
func recorded(v api.Session) bool { return !v.External && v.Task == "" }

// pastOf returns the part of a session that a generation keeps.
func pastOf(v api.Session) api.PastSession {
	p := api.PastSession{ID: v.ID, Name: v.Name, Agent: v.Agent, Role: v.Role, CWD: v.CWD, Conversation: v.Conversation,
		Prompt: textsafe.Cut(v.Prompt, maxPrompt), Cols: v.Cols, Rows: v.Rows, Created: v.Created}
	if v.Agent == commandAgent {
		p.Argv = v.Argv
	}
	return p
}

// forget takes a session out of the offer: it runs, or somebody removed it.
func (r *Restorer) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.offer.Sessions)
	r.offer.Sessions = slices.DeleteFunc(r.offer.Sessions, func(s api.PastSession) bool { return s.ID == id })
	if len(r.offer.Sessions) != n {
		r.saveOffer()
	}
}

// Refuse withdraws the offer. The generations stay.
func (r *Restorer) Refuse(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.offer = offer{}
	r.saveOffer()
	return nil
}

// saveOffer writes the offer, or removes its file if it is empty. The caller holds mu.
func (r *Restorer) saveOffer() {
	if len(r.offer.Sessions) == 0 {
		r.offer = offer{}
		if err := os.Remove(r.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.o.Logger.Warn("the offer to restore sessions cannot be withdrawn", "error", err)
		}
		return
	}
	data, err := json.Marshal(r.offer)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(r.file), 0o700), atomicfile.Replace(r.file, data))
	}
	if err != nil {
		r.o.Logger.Warn("what can be restored cannot be kept", "error", err)
	}
}

// readOffer reads the offer of the previous daemon.
func readOffer(path string, o *offer) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, o)
}
