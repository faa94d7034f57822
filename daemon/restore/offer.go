package restore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
)

// maxPrompt bounds the prompts in generations, in characters.
const maxPrompt = 200

// offer is what the machine's restart ended, and what somebody refused. It stays until it
// is accepted or refused, also for later daemons. Sessions that the registry shows as lost
// are offered besides, whoever noticed their loss: lost.
type offer struct {
	Reason   string            `json:"reason"`
	At       time.Time         `json:"at"`
	Sessions []api.PastSession `json:"sessions"`
	// Refused are ids of lost sessions that are not offered again until they ran.
	Refused []string `json:"refused,omitempty"`
}

// findOffer adds the sessions to the offer that ran before the machine's restart and do
// not run now, and returns how many are new at this start, lost ones included. The
// registry has adopted the running sessions before.
func (r *Restorer) findOffer() int {
	if err := readOffer(r.file, &r.offer); err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.o.Logger.Warn("what was offered to be restored is forgotten", "file", r.file, "error", err)
	}
	list, err := r.generations.List()
	if err != nil {
		r.o.Logger.Warn("cannot read what ran before", "error", err)
	}
	var since time.Time // the last daemon may have recorded a loss when it told nobody any more
	if len(list) > 0 {
		since = list[0].At
	}
	now, added := map[string]api.Session{}, map[string]bool{}
	for _, v := range r.o.Journal.Sessions() {
		now[v.ID] = v
		if recorded(v) && v.State == api.StateLost && !v.Since.Before(since) && !slices.Contains(r.offer.Refused, v.ID) {
			added[v.ID] = true
		}
	}
	r.offer.Refused = slices.DeleteFunc(r.offer.Refused, func(id string) bool { return now[id].State != api.StateLost })
	var found offer
	if len(list) > 0 && list[0].Boot != r.o.Boot {
		for _, s := range list[0].Sessions {
			v, exists := now[s.ID]
			if (!exists || v.State.Ended()) && !slices.Contains(r.offer.Refused, s.ID) {
				found.Sessions = append(found.Sessions, s)
				added[s.ID] = true
			}
		}
	}
	r.offer.Sessions = slices.DeleteFunc(r.offer.Sessions, func(s api.PastSession) bool {
		v, exists := now[s.ID]
		return exists && !v.State.Ended() || has(found.Sessions, s.ID)
	})
	if len(found.Sessions) > 0 {
		r.offer.Reason, r.offer.At = api.RestoreReboot, list[0].At
		r.offer.Sessions = append(found.Sessions, r.offer.Sessions...)
		r.saveOffer()
	}
	return len(added)
}

// has reports whether a session is in the list.
func has(list []api.PastSession, id string) bool {
	return slices.ContainsFunc(list, func(s api.PastSession) bool { return s.ID == id })
}

// lost returns the sessions that are lost and not refused, and when the last was seen
// running. The caller holds mu.
func (r *Restorer) lost() (list []api.PastSession, at time.Time) {
	for _, v := range r.o.Journal.Sessions() {
		if !recorded(v) || v.State != api.StateLost || slices.Contains(r.offer.Refused, v.ID) || has(r.offer.Sessions, v.ID) {
			continue
		}
		list = append(list, pastOf(v))
		if v.Since.After(at) {
			at = v.Since
		}
	}
	slices.SortFunc(list, byAge)
	return list, at
}

// all returns what is offered. The caller holds mu.
func (r *Restorer) all() offer {
	all := r.offer
	lost, at := r.lost()
	if len(all.Sessions) == 0 {
		all.Reason, all.At = api.RestoreLost, at
	}
	all.Sessions = append(slices.Clone(all.Sessions), lost...)
	return all
}

// byAge orders sessions by their creation.
func byAge(a, b api.PastSession) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
}

// recorded reports whether a session belongs in generations: the queue restarts those
// of tasks itself, external ones were not started by us, and tools beside others are a key away.
func recorded(v api.Session) bool {
	return !v.External && v.Task == "" && (v.Beside == nil || !v.Beside.Floating)
}

// pastOf returns the part of a session that a generation keeps.
func pastOf(v api.Session) api.PastSession {
	p := api.PastSession{ID: v.ID, Name: v.Name, Agent: v.Agent, Role: v.Role, CWD: v.CWD, Conversation: v.Conversation,
		Prompt: textsafe.Cut(v.Prompt, maxPrompt), Cols: v.Cols, Rows: v.Rows, Created: v.Created}
	p.Args, p.Model, p.Account = v.Args, v.ChosenModel, v.Account
	if v.Sandbox != nil {
		p.Sandbox = v.Sandbox.Name
	}
	if v.Agent == commandAgent {
		p.Argv = v.Argv
	}
	return p
}

// forget takes a session out of the offer: it runs, or somebody removed it. If it is lost
// later, it is offered again.
func (r *Restorer) forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.offer.Sessions) + len(r.offer.Refused)
	r.offer.Sessions = slices.DeleteFunc(r.offer.Sessions, func(s api.PastSession) bool { return s.ID == id })
	r.offer.Refused = slices.DeleteFunc(r.offer.Refused, func(refused string) bool { return refused == id })
	if len(r.offer.Sessions)+len(r.offer.Refused) != n {
		r.saveOffer()
	}
}

// Refuse withdraws the offer. The generations stay.
func (r *Restorer) Refuse(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	refused := r.offer.Refused
	for _, s := range r.all().Sessions {
		if v, there := r.o.Journal.Session(s.ID); there && v.State == api.StateLost {
			refused = append(refused, s.ID)
		}
	}
	r.offer = offer{Refused: refused}
	r.saveOffer()
	return nil
}

// saveOffer writes the offer, or removes its file if it is empty. The caller holds mu.
func (r *Restorer) saveOffer() {
	if len(r.offer.Sessions) == 0 {
		r.offer = offer{Refused: r.offer.Refused}
	}
	if len(r.offer.Sessions)+len(r.offer.Refused) == 0 {
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
