// Package copymode shows panes' history and screens as lines that stand still, to read,
// search, select and copy (core has the lines and the motions).
//
// Above an agent's alternate screen, which has no history, the lines go on with its
// conversation (talk.go); where both tell the same, the screen does (seam.go).
//
// It owns which panes are in copy mode, each one's view, search and selection, and the
// selection by mouse that may begin. It may ask for lines of the history from hosts, from
// what is saved and from conversations (ui.Call), for input to the pane (ui.Pass: a key that ends a peek),
// for the clipboard (ui.Copy), the terminal (ui.Suspend: the editor) and lines in the
// status line. Views are bounded (maxCells); what is older is said to be missing.
//
// The program's goroutine owns Panes; pictures get copies of views, whose lines don't
// change.
package copymode

import (
	"ccdir/internal/keymap"
	"ccdir/tui/copymode/core"
	"ccdir/tui/pane"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/widget/theme"
	"ccdir/wire"
)

// Panes are the panes in copy mode, by session. The zero value has none.
type Panes struct {
	views map[string]*View
	press press
	seek  seek
	theme *theme.Theme // of what is laid out here
}

// View is a pane in copy mode: its screen as it was, the history above it as far as it
// was fetched, the cursor and the selection.
type View struct {
	id   string
	pane *pane.Pane
	st   core.State
	// peek: the mouse opened it. Then it is left by itself at the bottom and by
	// every key that is typed, which goes to the pane.
	peek bool
	// dragging: the left button is down.
	dragging bool
	ended    bool

	// base is the host's number of line 0, known once it has answered; epoch is
	// the numbering's.
	known       bool
	base, epoch uint64
	loading     bool
	complete    bool   // there is nothing older, or nothing that is fetched
	all         bool   // everything is wanted, not only what is near the view
	toFirst     bool   // the cursor goes to the oldest line when it is here
	cols        int    // of the session's screen
	wrapped     int    // how often the lines were wrapped anew
	note        string // why older lines are missing
	gen         uint64 // of the pane's picture when it was taken
	talk        talk

	count    int // typed before a motion
	toScroll int // lines that the wheel turned before the history was here
	editing  bool
	find     find
}

// On reports whether a session's pane is in copy mode.
func (p *Panes) On(session string) bool { return p.views[session] != nil }

// Start puts the focused pane into copy mode; the key PPage scrolls at once.
func (p *Panes) Start(env ui.Env, key string) []ui.Effect {
	t, ok := env.Tile(env.Focus)
	if !ok {
		return nil
	}
	v, effects := p.enter(t, false)
	if v == nil {
		return effects
	}
	if key == "PPage" {
		top := v.st.Top
		if v.st.Move(core.PageUp, 1); v.st.Top == top && !v.known {
			v.toScroll = -max(1, v.st.H-2) // when there is something above
		}
	}
	return append(effects, v.load()...)
}

// enter puts a session's pane into copy mode, nil if there is nothing to see.
func (p *Panes) enter(t ui.Tile, peek bool) (*View, []ui.Effect) {
	if v := p.views[t.ID()]; v != nil {
		v.peek = v.peek && peek
		return v, nil
	}
	if t.Pane == nil {
		return nil, nil
	}
	in := t.Inner()
	page, cols, cur, gen, ok := snapshot(t.Pane)
	if !ok {
		return nil, warn("there is nothing to copy in this pane yet")
	}
	ox, oy := terminal.Offset(t.Pane, in.W, in.H)
	v := &View{id: t.ID(), pane: t.Pane, peek: peek, gen: gen, ended: t.Session.State.Ended(), find: find{at: -1}, talk: talk{on: talks(t), theme: p.theme}}
	pos := core.Pos{Line: cur.Y, Col: cur.X}
	if v.ended {
		pos = core.Pos{Line: lastText(page)}
	}
	v.st = core.New(page, in.W, in.H, pos)
	v.st.Show(oy, ox)
	v.cols = cols
	if p.views == nil {
		p.views = map[string]*View{}
	}
	p.views[v.id] = v
	return v, say("")
}

// lastText is the last line with text.
func lastText(b core.Buffer) int {
	n := b.End() - 1
	for n > b.First() && b.Len(n) == 0 {
		n--
	}
	return n
}

// Leave shows a session's pane itself again.
func (p *Panes) Leave(session string) {
	if v := p.views[session]; v != nil {
		v.stopFind()
		delete(p.views, session)
	}
}

// Refresh forgets the views of sessions that are gone, fits the others to their panes, and
// goes on with what they wait for.
func (p *Panes) Refresh(env ui.Env) (effects []ui.Effect) {
	p.theme = env.Theme
	effects = p.scrollOn(env)
	for id := range p.views {
		if env.Session(id) == nil {
			p.Leave(id)
		}
	}
	for _, t := range env.Tiles {
		v := p.views[t.ID()]
		if v == nil {
			continue
		}
		v.rewrap(t.State.Cols)
		if in := t.Inner(); in.W > 0 && in.H > 0 && (v.st.W != in.W || v.st.H != in.H) {
			v.st.Resize(in.W, in.H)
		}
		effects = append(effects, v.load()...)
		effects = append(effects, v.findAgain()...)
		effects = append(effects, v.openAllFetched(env)...)
	}
	return append(effects, p.sought(env)...)
}

// Shown are the views of the tiles in view, as they stand now; nobody changes them.
func (p *Panes) Shown(env ui.Env) map[string]*View {
	if len(p.views) == 0 {
		return nil
	}
	out := map[string]*View{}
	for _, t := range env.Tiles {
		if v := p.views[t.ID()]; v != nil {
			shown := *v
			out[v.id] = &shown
		}
	}
	return out
}

// Paste takes a paste: where the mouse had opened the view, it is for the program in the
// pane.
func (p *Panes) Paste(env ui.Env, text []byte) (effects []ui.Effect, taken bool) {
	switch v := p.views[env.Focus]; {
	case v == nil:
		return nil, false
	case v.find.typing:
		return warn("nothing was pasted: a pattern is typed"), true
	case v.peek:
		p.Leave(v.id)
		return []ui.Effect{ui.Pass{Input: &wire.Input{Type: wire.InputPaste, Text: text}}}, true
	}
	return warn("this pane is in copy mode: nothing was pasted; " + env.Keys.Hint(keymap.CopyLeave) + " leaves it"), true
}

func say(text string) []ui.Effect  { return []ui.Effect{ui.Say{Text: text}} }
func warn(text string) []ui.Effect { return []ui.Effect{ui.Warn{Text: text}} }
