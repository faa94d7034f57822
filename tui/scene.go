package tui

import (
	"slices"
	"time"

	"ccdir/api"
	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode"
	"ccdir/tui/dialogs/help"
	"ccdir/tui/grid"
	"ccdir/tui/paint"
	"ccdir/tui/prompt"
	"ccdir/tui/sidebar"
	"ccdir/tui/terminal"
	"ccdir/tui/ui"
	"ccdir/tui/underway"
)

// scene is everything that the picture is made of beside the panes' rows. It
// is immutable once published; the views are pure functions of it.
type scene struct {
	grid.Picture
	seq      uint64
	redraws  uint64                    // a new number: the terminal's content is void
	copies   map[string]*copymode.View // of the panes in copy mode
	progress *underway.Progress        // of work of several steps, nil if there is none
	side     sidebar.Sidebar
	mode     mode
	prompt   prompt.Bar
	notice   notice
	overlay  *layer
	follows  bool   // the panel of the keys that may follow the prefix key is shown
	popup    uint64 // number of the popup in overlay, 0 none
}

// notice is a line for the person that goes away by itself.
type notice struct {
	text  string
	alert bool
	until time.Time
}

// mode is where keys go.
type mode int

const (
	modePane   mode = iota // to the focused pane
	modePrefix             // the next one is ccdir's
	modePrompt             // to the prompt bar
	modeEvents             // to the sidebar
)

// drawChrome draws everything but the panes' rows and the overlay.
func (sc *scene) drawChrome(s *paint.Surface) {
	sc.Draw(s)
	sc.side.Draw(sc.Env, s)
	env := sc.Env
	env.Focus = env.Under() // prompts are for the agent, not for a tool over it
	sc.prompt.DrawClosed(env, s, sc.Layout.Prompt)
	sc.DrawStatus(s, sc.status())
}

// status is the content of the status line.
func (sc *scene) status() grid.Status {
	_, asks := prompt.Asking(sc.Env)
	st := grid.Status{
		Notice: sc.notice.text, Alert: sc.notice.alert, Hints: sc.hints(),
		// A large dialog may lie over the row above: the beginning says most.
		Spills: sc.mode != modePrompt && sc.Banner == "" && !asks && len(sc.prompt.Jobs()) == 0 && !sc.overlay.large(),
	}
	st.Chip, st.Color = sc.chip()
	if sc.progress != nil {
		st.Progress = sc.progress
	}
	return st
}

// chip says where keys go.
func (sc *scene) chip() (string, cells.Color) {
	switch {
	case sc.overlay != nil:
		return sc.overlay.chip(sc.Theme)
	case sc.mode == modePrefix:
		return " CCDIR ", sc.Theme.Input
	case sc.mode == modePrompt:
		return " PROMPT ", sc.Theme.Accent
	case sc.mode == modeEvents:
		return " EVENTS ", sc.Theme.Accent
	case sc.copies[sc.Focus] != nil:
		return sc.copies[sc.Focus].Chip(), sc.Theme.Input
	case sc.ReadOnly:
		return " LOOK ", sc.Theme.Dim
	case len(sc.Tiles) == 0:
		return " CCDIR ", sc.Theme.Input
	}
	return " PANE ", sc.Theme.Accent
}

// hints are the keys worth knowing now, the most needed first.
func (sc *scene) hints() []string {
	if sc.overlay != nil {
		return nil // dialogs say their keys themselves
	}
	if c := sc.copies[sc.Focus]; c != nil && sc.mode == modePane {
		return c.Hints(sc.Keys)
	}
	if sc.mode == modeEvents {
		return sc.side.Hints(sc.Env)
	}
	if sc.mode == modePrompt {
		return sc.prompt.Hints(sc.Env)
	}
	type hint struct {
		a    keymap.Action
		text string
	}
	show := []hint{
		{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.Prompt, "task"}, {keymap.List, "list"}, {keymap.Attention, "answer"},
		{keymap.Messages, "read"}, {keymap.Queue, "queue"}, {keymap.Explain, "details"}, {keymap.Zoom, "zoom"}, {keymap.Detach, "detach"},
		{keymap.FocusNext, "next"}, {keymap.NextLayout, "layout"}, {keymap.Palette, "commands"}, {keymap.Kill, "kill"},
	}
	switch {
	case len(sc.Shown) == 0:
		show = []hint{{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.Prompt, "task"}, {keymap.History, "history"}, {keymap.Queue, "queue"}, {keymap.Palette, "commands"}, {keymap.Detach, "detach"}}
	case sc.mode == modePane && len(sc.Tiles) > 0:
		show = []hint{{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.List, "list"}, {keymap.Detach, "detach"}}
	}
	var out []string
	for _, h := range show {
		keys := sc.Keys.Of(h.a).Keys
		if len(keys) == 0 || sc.ReadOnly && slices.Contains([]keymap.Action{keymap.New, keymap.Prompt, keymap.Kill}, h.a) {
			continue
		}
		key := keys[0]
		if sc.mode != modePrefix && len(sc.Tiles) > 0 {
			key = sc.Keys.Prefix() + " " + key
		}
		out = append(out, key+" "+h.text)
	}
	return out
}

// shown is the scene as the terminal shows it.
func (sc *scene) shown() *terminal.Scene {
	s := &terminal.Scene{
		Cols: sc.Cols, Rows: sc.Rows, Drawing: drawing{sc}, Redraws: sc.redraws, Popup: sc.popup,
		Loaded: sc.Loaded, Empty: !sc.Loaded && sc.Banner == "" && sc.overlay == nil,
		Over: sc.overlay != nil || sc.mode == modePrompt || sc.follows,
	}
	for _, t := range sc.Tiles {
		if t.Pane == nil {
			continue
		}
		p := terminal.Pane{Pane: t.Pane, In: t.Inner(), Focused: t.Focused, Ended: t.Session.State.Stopped()}
		if t.Floats {
			p.Frame = func(s *paint.Surface) { sc.DrawFloat(s, t) }
		}
		if v := sc.copies[t.ID()]; v != nil {
			p.Content = copymode.Content{Theme: sc.Theme, Tile: t, View: v, Frame: sc.FrameStyle(t)}
		}
		s.Panes = append(s.Panes, p)
	}
	if sc.overlay == nil && sc.mode == modeEvents {
		cur := sc.side.Cursor(sc.Env)
		s.Cursor = &cur
	}
	return s
}

// drawing draws a scene (terminal.Drawing).
type drawing struct{ sc *scene }

// Chrome draws everything but the panes' rows and the overlay.
func (d drawing) Chrome(s *paint.Surface) { d.sc.drawChrome(s) }

// Over draws the dialog, or without one the prompt bar.
func (d drawing) Over(s *paint.Surface) paint.Cursor {
	sc := d.sc
	if sc.follows {
		return help.DrawFollowing(sc.Env, s)
	}
	if sc.overlay == nil {
		return sc.prompt.Draw(sc.Env, s)
	}
	at := sc.Layout.Prompt
	if sc.Banner == "" || at.Empty() {
		return sc.overlay.Draw(sc.Env, s)
	}
	below := slices.Clone(s.Row(at.Y))
	cur := sc.overlay.Draw(sc.Env, s)
	if !slices.Equal(below, s.Row(at.Y)) { // the dialog covers the banner: the last line says it
		prompt.DrawBanner(sc.Env, s, paint.Rect{Y: sc.Rows - 1, W: sc.Cols, H: 1})
	}
	return cur
}

// pulseStep is how often the signs of sessions that work turn by a step. All turn on
// the whole second, as ages do, so that they wake the program once however many there
// are.
const pulseStep = time.Second

// signTurns reports whether a session's sign turns. Nothing else on the screen moves by
// itself: what waits for a person has a colour, and does not blink.
func signTurns(v api.Session, now time.Time) bool {
	return v.Standing(now) == api.StandingWorking
}

// pulsing reports whether a sign in view turns now: not when the person switched it
// off, not without colours, not where the font lacks the sign, and not on a terminal that
// is slow.
func (m *model) pulsing(tiles []ui.Tile) bool {
	if !m.opts.Pulse || !m.colours || m.theme.Signs == api.SignsASCII || m.slow() {
		return false
	}
	now := m.now()
	for _, t := range tiles {
		if signTurns(*t.Session, now) {
			return true
		}
	}
	return false
}

// turned reports whether signs are in the second half of their turn.
func turned(now time.Time) bool { return now.Unix()%2 != 0 }
