package tui

import (
	"slices"

	"ccdir/tui/pane"
	"ccdir/tui/ui"
	"ccdir/wire"
)

// hosts are the panes of sessions, by their ids, each with its connection to a host.
type hosts struct {
	panes     map[string]*pane.Pane
	states    map[string]pane.State // as each pane told it last
	focusSent string                // the pane whose host knows that it has the focus
}

// syncViews tells each host what there is room for, and the colours of the terminal; panes
// out of view get no frames. With hold those in view are told of other sizes later. With
// same those have the size of the panes in view, so that they can be shown at once.
func (h *hosts) syncViews(tiles []ui.Tile, same map[string]bool, hold bool, outer wire.Colours) {
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
	for id, p := range h.panes {
		switch {
		case visible[p]:
		case !same[id]:
			p.SetView(wire.View{})
		case !hold || p.View().Visible:
			p.SetView(others)
		}
	}
}

// syncFocus tells the panes which of them has the keyboard, "" none, for programs that
// want to know.
func (h *hosts) syncFocus(want string) {
	if want == h.focusSent {
		return
	}
	for id, focused := range map[string]bool{h.focusSent: false, want: true} {
		if p := h.panes[id]; p != nil && h.states[id].Connected {
			p.Send(&wire.Input{Type: wire.InputFocus, Focused: focused})
		} else if p != nil && focused {
			return // not connected yet: tell it then
		}
	}
	h.focusSent = want
}

// unflushed are the sessions with input in flight, and how many bytes of long text are
// among it.
func (h *hosts) unflushed() (ids []string, long int) {
	for id, p := range h.panes {
		if n, waits := p.Unhanded(); waits {
			ids, long = append(ids, id), long+n
		}
	}
	slices.Sort(ids)
	return ids, long
}
