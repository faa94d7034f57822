package daemon

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ccdir/api"
	"ccdir/daemon/generations"
	"ccdir/daemon/journal"
	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/text/textsafe"
)

// Times of the snapshots of what runs.
const (
	// pastSettle is how long after a change one is written: several come at once.
	pastSettle = time.Second
	// pastGrace is how long a session that ended by itself still counts as one
	// that runs. When a machine is shut down, agents and daemon are told at about
	// the same time, and those agents were not ended by anybody's wish.
	pastGrace = 30 * time.Second
	// pastRetry is when a snapshot that could not be written is tried again.
	pastRetry = 30 * time.Second
)

// maxPastPrompt bounds the prompts in snapshots, in characters.
const maxPastPrompt = 200

// past keeps snapshots of what runs, and knows what ran before a reboot and
// does not run now.
type past struct {
	log    *slog.Logger
	events *journal.Log
	boot   string
	file   string // of the offer

	keeper *generations.Keeper // of run's goroutine, and of open before that

	mu    sync.Mutex // guards offer and its file, and reads of generations
	offer pastOffer
	found int // how many sessions this daemon added to it
}

// pastOffer is what is offered until it is taken or refused.
type pastOffer struct {
	Reason   string            `json:"reason"`
	At       time.Time         `json:"at"`
	Sessions []api.PastSession `json:"sessions"`
}

// openPast finds out what does not run any more. The registry has taken over
// what does by then; started is when that began.
func openPast(dir, boot string, events *journal.Log, log *slog.Logger, started time.Time) *past {
	p := &past{log: log, events: events, boot: boot, keeper: generations.New(dir), file: filepath.Join(dir, "offer.json")}
	if err := readOffer(p.file, &p.offer); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Warn("what was offered to be restored is forgotten", "file", p.file, "error", err)
	}
	now := map[string]api.Session{}
	for _, v := range events.Sessions() {
		now[v.ID] = v
	}
	list, err := p.keeper.List()
	if err != nil {
		log.Warn("cannot read what ran before", "error", err)
	}
	var found pastOffer
	rebooted := len(list) > 0 && list[0].Boot != boot
	if len(list) > 0 {
		found.At = list[0].At
		for _, s := range list[0].Sessions {
			v, there := now[s.ID]
			if rebooted && (!there || v.State.Ended()) || there && justLost(v, started) {
				found.Sessions = append(found.Sessions, s)
			}
		}
	}
	for _, v := range events.Sessions() {
		known := func(s api.PastSession) bool { return s.ID == v.ID }
		if keptOf(v) && justLost(v, started) && !slices.ContainsFunc(found.Sessions, known) {
			found.Sessions = append(found.Sessions, pastOf(v))
		}
	}
	p.offer.Sessions = slices.DeleteFunc(p.offer.Sessions, func(s api.PastSession) bool {
		v, there := now[s.ID]
		return there && !v.State.Ended() || slices.ContainsFunc(found.Sessions, func(f api.PastSession) bool { return f.ID == s.ID })
	})
	if len(found.Sessions) == 0 {
		return p
	}
	found.Reason = api.RestoreLost
	if rebooted {
		found.Reason = api.RestoreReboot
	}
	if found.At.IsZero() {
		found.At = started
	}
	p.found = len(found.Sessions)
	found.Sessions = append(found.Sessions, p.offer.Sessions...)
	p.offer = found
	p.saveOffer()
	return p
}

// justLost reports whether a session was found dead at this start.
func justLost(v api.Session, started time.Time) bool {
	return v.State == api.StateLost && !v.Since.Before(started)
}

// keptOf reports whether a session belongs in snapshots: the queue looks after
// those of tasks itself, and those outside are not ours to start.
func keptOf(v api.Session) bool { return !v.External && v.Task == "" }

// pastOf is what is kept of a session.
func pastOf(v api.Session) api.PastSession {
	p := api.PastSession{ID: v.ID, Name: v.Name, Agent: v.Agent, Role: v.Role, CWD: v.CWD, Conversation: v.Conversation,
		Prompt: textsafe.Cut(v.Prompt, maxPastPrompt), Cols: v.Cols, Rows: v.Rows, Created: v.Created}
	if v.Agent == commandAgent {
		p.Argv = v.Argv
	}
	return p
}

// forget takes a session out of the offer: it runs, or a person removed it.
func (p *past) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.offer.Sessions)
	p.offer.Sessions = slices.DeleteFunc(p.offer.Sessions, func(s api.PastSession) bool { return s.ID == id })
	if len(p.offer.Sessions) != n {
		p.saveOffer()
	}
}

// refuse withdraws the offer.
func (p *past) refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offer = pastOffer{}
	p.saveOffer()
}

// saveOffer writes the offer, or removes it; mu is held, or nobody else knows p.
func (p *past) saveOffer() {
	if len(p.offer.Sessions) == 0 {
		p.offer = pastOffer{}
		if err := os.Remove(p.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.log.Warn("the offer to restore sessions cannot be withdrawn", "error", err)
		}
		return
	}
	data, err := json.Marshal(p.offer)
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(p.file), 0o700), atomicfile.Replace(p.file, data))
	}
	if err != nil {
		p.log.Warn("what can be restored cannot be kept", "error", err)
	}
}

// readOffer reads the offer of the daemon before.
func readOffer(path string, o *pastOffer) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, o)
}
