package tui

import (
	"slices"
	"time"

	"ccdir/internal/cells"
	"ccdir/internal/keymap"
	"ccdir/tui/copymode"
	"ccdir/tui/grid"
	"ccdir/tui/paint"
	"ccdir/tui/prompt"
	"ccdir/tui/sidebar"
)

// scene is everything that the picture is made of beside the panes' rows. It
// is immutable once published; the views are pure functions of it.
type scene struct {
	grid.Picture
	seq      uint64
	redraws  uint64                    // a new number: the terminal's content is void
	copies   map[string]*copymode.View // of the panes in copy mode
	progress *progress                 // of work of several steps, nil if there is none
	side     sidebar.Sidebar
	mode     mode
	prompt   prompt.Bar
	notice   notice
	overlay  *layer
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
	sc.prompt.DrawClosed(sc.Env, s, sc.Layout.Prompt)
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
		{keymap.Help, "keys"}, {keymap.New, "new"}, {keymap.Prompt, "task"}, {keymap.List, "list"}, {keymap.FocusNext, "next"},
		{keymap.Zoom, "zoom"}, {keymap.NextLayout, "layout"}, {keymap.Attention, "answer"}, {keymap.Detach, "detach"},
		{keymap.Palette, "commands"}, {keymap.Explain, "why"}, {keymap.Kill, "kill"},
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
