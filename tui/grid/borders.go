package grid

import (
	tea "charm.land/bubbletea/v2"

	"ccdir/internal/keymap"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/theme"
)

// borders is the component in which arrow keys move the focused pane's borders. It covers
// nothing: its keys stand in the line of the prompt bar.
type borders struct{}

func (g *Grid) openBorders() []ui.Effect {
	switch {
	case g.Layout.Plan != nil:
	case len(g.Layout.Panes) > 1:
		return say("large panes have one size: there is no border to move in this layout")
	default:
		return say("one pane is shown alone: there is no border to move")
	}
	return []ui.Effect{ui.Close{All: true}, ui.Open{Component: borders{}}}
}

func (borders) Chip() string       { return "BORDERS" }
func (borders) YieldsPrefix() bool { return true }

func (b borders) Draw(env ui.Env, s *paint.Surface) paint.Cursor {
	r := paint.Rect{Y: env.Bottom - 1, W: env.Cols, H: 1}
	if r.Y < 0 {
		return paint.Cursor{}
	}
	s.Fill(r, theme.FG(0))
	hint := "arrows move the pane's borders"
	for _, k := range []struct {
		a    keymap.Action
		text string
	}{{keymap.BorderNext, "next pane"}, {keymap.BorderEqual, "equal"}, {keymap.BorderDone, "done"}} {
		if keys := env.Keys.Of(k.a).Keys; len(keys) > 0 {
			hint += "   " + keys[0] + " " + k.text
		}
	}
	s.Text(r.X, r.Y, r.W, paint.Cut(hint, r.W), theme.Bold(env.Theme.Accent))
	return paint.Cursor{}
}

func (b borders) Key(env ui.Env, k ui.Key) (ui.Component, []ui.Effect) {
	bound, ok := env.Keys.LookupIn(keymap.ModeBorders, k.Name)
	switch {
	case !ok && k.Name == "C-c", bound.Action == keymap.BorderDone:
		return b, []ui.Effect{ui.Close{}}
	case !ok:
		return b, nil
	}
	return b, []ui.Effect{ui.Do{Action: bound.Action}}
}

// Mouse: a click ends it; borders can be dragged then, with the same click.
func (b borders) Mouse(_ ui.Env, msg tea.MouseMsg) (ui.Component, []ui.Effect) {
	if _, ok := modal.Clicked(msg); ok {
		return b, []ui.Effect{ui.Close{}, ui.Pass{Mouse: msg}}
	}
	return b, nil
}
