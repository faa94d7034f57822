package hosts

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// Hosts are the panes of sessions.
type Hosts struct {
	Panes     map[string]*pane.Pane // by the sessions' ids
	States    map[string]pane.State // as each pane told it last
	focusSent string                // the pane whose host knows that it has the focus
	asked     map[string]bool       // ended sessions whose last screen was asked for
	pastes    map[string]time.Time  // since when long text is on its way to sessions
	incoming  incoming              // a paste that the terminal has not sent whole yet
}

// New is without panes.
func New() Hosts {
	return Hosts{Panes: map[string]*pane.Pane{}, States: map[string]pane.State{}, asked: map[string]bool{}, pastes: map[string]time.Time{}}
}

// Sync makes a pane for each session, as base says of all, and ends those of removed ones: closing
// them waits, so what is returned is to be run elsewhere; nil is nothing. Panes live until ctx ends.
// Without a Dialer none are made.
func (h *Hosts) Sync(ctx context.Context, w *ui.World, base pane.Config) (closing func()) {
	var ended []*pane.Pane
	for id, p := range h.Panes {
		if w.Session(id) == nil {
			ended = append(ended, p)
			delete(h.Panes, id)
			delete(h.States, id)
			delete(h.asked, id)
		}
	}
	for _, v := range w.Sessions {
		if v.External {
			continue
		}
		p := h.Panes[v.ID]
		if p == nil {
			if base.Dialer == nil {
				continue
			}
			c := base
			c.ID, c.Ended, c.NoLinks = v.ID, v.State.Stopped(), v.Node != "" && !w.LinksFrom(v.Node)
			p = pane.New(c)
			p.Start(ctx)
			h.Panes[v.ID] = p
		}
		p.End(v.State.Stopped())
		if !v.State.Stopped() {
			delete(h.asked, v.ID)
		}
	}
	if len(ended) == 0 {
		return nil
	}
	return func() {
		for _, p := range ended {
			p.Close()
		}
	}
}

// Stills asks for the last screen of ended sessions in view that this client never saw.
func (h *Hosts) Stills(env ui.Env) (calls []ui.Effect) {
	for _, t := range env.Tiles {
		v := t.Session
		if t.Pane == nil || !v.State.Stopped() || h.asked[v.ID] || t.Pane.HasPicture() || env.Offline != "" {
			continue
		}
		h.asked[v.ID] = true
		p := t.Pane
		calls = append(calls, ui.Call{Run: func(ctx context.Context, c ui.Client) (ui.Result, error) {
			out, err := c.Buffer(ctx, v.ID)
			if err == nil && out.Text != "" {
				p.Show(pane.ParseStill(out.Text, v.Cols, v.Rows))
			}
			return ui.Result{}, err
		}})
	}
	return calls
}

// Report takes what a pane told of itself, and says what a person has to know of it: input that
// was not sent or not written.
func (h *Hosts) Report(w *ui.World, focus string, now time.Time, s pane.State) (told []ui.Effect) {
	old := h.States[s.ID]
	if s.Dropped > old.Dropped && s.ID == focus {
		told = append(told, ui.Warn{Text: "the program in this pane does not read its input: it was not sent"})
	}
	if lost := s.Lost - old.Lost; lost > 0 {
		told = append(told, ui.Warn{Text: fmt.Sprintf("%d KB of what was pasted into %s were not written to its program", Kilobytes(lost), w.NameOf(s.ID))})
	}
	h.notePaste(s, now)
	h.States[s.ID] = s
	return told
}

// Views tells each host what there is room for, and the colours of the terminal; panes
// out of view get no frames. With hold those in view are told of other sizes later. With
// same those have the size of the panes in view, so that they can be shown at once.
func (h *Hosts) Views(tiles []ui.Tile, same map[string]bool, hold bool, outer wire.Colours) {
	visible := map[*pane.Pane]bool{}
	var others wire.View
	if len(tiles) > 0 {
		in := tiles[0].Inner()
		others = wire.View{Cols: max(in.W, 1), Rows: max(in.H, 1), Colours: outer}
	}
	for _, t := range tiles {
		if t.Pane == nil {
			continue
		}
		visible[t.Pane] = true
		if in := t.Inner(); !hold || !t.Pane.View().Visible {
			t.Pane.SetView(wire.View{Visible: true, Cols: max(in.W, 1), Rows: max(in.H, 1), Colours: outer})
		}
	}
	for id, p := range h.Panes {
		switch {
		case visible[p]:
		case !same[id]:
			p.SetView(wire.View{})
		case !hold || p.View().Visible:
			p.SetView(others)
		}
	}
}

// Focus tells the panes which of them has the keyboard, "" none, for programs that
// want to know.
func (h *Hosts) Focus(want string) {
	if want == h.focusSent {
		return
	}
	for id, focused := range map[string]bool{h.focusSent: false, want: true} {
		if p := h.Panes[id]; p != nil && h.States[id].Connected {
			p.Send(&wire.Input{Type: wire.InputFocus, Focused: focused})
		} else if p != nil && focused {
			return // not connected yet: tell it then
		}
	}
	h.focusSent = want
}

// Unflushed are the sessions with input in flight, and how many bytes of long text are
// among it.
func (h *Hosts) Unflushed() (ids []string, long int) {
	for id, p := range h.Panes {
		if n, waits := p.Unhanded(); waits {
			ids, long = append(ids, id), long+n
		}
	}
	slices.Sort(ids)
	return ids, long
}
