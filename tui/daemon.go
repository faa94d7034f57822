package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/keymap"
	"ccdir/internal/text/textsafe"
	"ccdir/tui/lists/restore"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
)

// noteVersions says what an upgrade left behind: this grid, when the next daemon is
// of another version, and hosts, when the grid is opened.
func (k *known) noteVersions(s *api.Snapshot, keys *keymap.Map) (text string, alert bool) {
	v := s.Server
	if v.Version == "" || v.PID == k.Server.PID {
		return "", false
	}
	if v.Version != api.Version {
		return fmt.Sprintf("the daemon is ccdir %s now, this grid %s: detach and open it again for what is new", textsafe.Line(v.Version), api.Version), true
	}
	if k.Server.Version != "" && k.Server.Version != api.Version {
		text = fmt.Sprintf("the daemon is ccdir %s again, as this grid", api.Version) // replaces the older message, which is no longer true
	}
	old := 0
	for _, session := range s.Sessions {
		if ui.OlderHost(session) {
			old++
		}
	}
	if old > 0 {
		text = fmt.Sprintf("%s on hosts of another version than %s (%s tells): a restart of the session takes it",
			format.Plural(old, "session runs", "sessions run"), api.Version, keys.Hint(keymap.Daemon))
	}
	return text, false
}

// noteAside says of each daemon once that a database lies aside.
func (m *model) noteAside(v api.Server) {
	if len(v.Aside) > 0 && v.PID != m.Server.PID {
		m.warn(textsafe.Line(v.Aside[0]))
	}
}

// storeLook is how often the daemon is asked whether it saves changes again.
const storeLook = 10 * time.Second

// storeWatch says when to ask about the daemon's database.
type storeWatch struct {
	due    bool      // an event said that something has changed
	asking bool      // a call is under way
	asked  time.Time // when it was answered last
}

// health is the part of a client that can ask how the daemon is.
type health interface {
	Health(ctx context.Context) (api.Server, error)
}

// followStore asks whether the daemon saves changes: when an event says that this has
// changed, and again as long as it does not.
func (m *model) followStore(now time.Time) {
	s := &m.store
	if s.asking || m.Offline != "" || !s.due && (m.Server.Unsaved == "" || now.Sub(s.asked) < storeLook) {
		return
	}
	s.due = false
	c, err := ui.As[health](m.opts.Client)
	if err != nil {
		return
	}
	s.asking = true
	over := func(m *model) { m.store.asking, m.store.asked = false, m.now() }
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		server, err := c.Health(ctx)
		return ui.Result{Effects: follows(func(m *model) {
			over(m)
			m.Server.Unsaved = server.Unsaved
		})}, err
	}, Failed: func(ui.Env, error) []ui.Effect { return follows(over) }})
}

// nextWake is when the daemon is asked again, the zero time never.
func (s storeWatch) nextWake(unsaved string) time.Time {
	if unsaved == "" || s.asking {
		return time.Time{}
	}
	return s.asked.Add(storeLook)
}

// followOffer asks what can be restored: each daemon once, and when sessions were lost. A
// grid that was just opened, or in which nothing runs any more, shows it; one that somebody
// works in says so.
func (m *model) followOffer() {
	if !m.Loaded || m.unseen || m.Offline != "" || m.opts.ReadOnly || m.Server.PID == 0 || m.Server.PID == m.offered && !m.offerNews {
		return
	}
	first := m.offered == 0
	m.offered, m.offerNews = m.Server.PID, false
	m.askOffer(func(m *model, o api.RestoreOffer) {
		runs := slices.ContainsFunc(m.Sessions, func(v api.Session) bool { return !v.State.Ended() })
		switch {
		case len(o.Sessions) == 0:
		case (first || !runs) && m.overlay == nil && m.mode == modePane:
			m.open(restore.New(o, m.opts.Env))
		default:
			m.warn(fmt.Sprintf("%s can be begun again: %s", format.Plural(len(o.Sessions), "session", "sessions"), m.keys.Hint(keymap.Restore)))
		}
	})
}

// openRestore shows the offer when it was asked for.
func (m *model) openRestore() {
	m.askOffer(func(m *model, o api.RestoreOffer) {
		if len(o.Sessions) == 0 {
			m.say("nothing to restore: all that ran goes on, or was ended (`ccdir restore --kept` lists what ran before)")
			return
		}
		m.open(restore.New(o, m.opts.Env))
	})
}

func (m *model) askOffer(take func(*model, api.RestoreOffer)) {
	r, can := m.opts.Client.(restore.Restorer)
	if !can {
		return
	}
	m.call(ui.Nobody, ui.Call{What: "asking what can be restored", Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		o, err := r.RestoreOffer(ctx, 0)
		return ui.Result{Effects: follows(func(m *model) { take(m, o) })}, err
	}})
}

// replacedLook is how often an installation of another version is looked for, while there is
// something to do anyway.
const replacedLook = 30 * time.Second

// replacedWatch looks for an installation that has replaced this program.
type replacedWatch struct {
	asking bool
	next   time.Time // when to look again
	told   string    // the version that was announced last
}

// followReplaced tells, after an update, how the daemon takes it, and that it may.
func (m *model) followReplaced(now time.Time) {
	r := &m.replaced
	if m.opts.Replaced == nil || r.asking || now.Before(r.next) {
		return
	}
	if r.next.IsZero() { // it was just started
		r.next = now.Add(replacedLook)
		return
	}
	r.asking = true
	over := func(m *model) { m.replaced.asking, m.replaced.next = false, m.now().Add(replacedLook) }
	m.call(ui.Nobody, ui.Call{Run: func(ctx context.Context, _ ui.Client) (ui.Result, error) {
		version := m.opts.Replaced(ctx)
		return ui.Result{Effects: follows(func(m *model) {
			over(m)
			// Once the daemon has it, noteVersions says what is to be done here.
			if version == "" || version == m.replaced.told || m.Server.Version != api.Version {
				return
			}
			m.replaced.told = version
			m.warn(fmt.Sprintf("ccdir %s is installed: `ccdir daemon restart` takes it; no agent is interrupted", textsafe.Line(version)))
		})}, nil
	}, Failed: func(ui.Env, error) []ui.Effect { return follows(over) }})
}
