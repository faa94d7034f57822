package tui

import (
	"strings"

	"ccdir/internal/api"
	"ccdir/internal/grid"
)

// theme is the colours of the chrome. Everything that a colour says is also
// said by a sign or a word.
type theme struct {
	starting, idle, working, input, permission, exited, lost grid.Color
	dim, accent, alert, hook                                 grid.Color
	// The frames' colours in the darker half of a pulse; where the person chose
	// the state's colour there is none.
	softStarting, softWorking, softInput, softPermission grid.Color
}

// newTheme is the theme of that name with some colours replaced.
func newTheme(name string, custom map[string]grid.Color) *theme {
	t := themeOf(name)
	t.lost = t.exited
	for part, at := range map[string]*grid.Color{
		string(api.StateStarting): &t.starting, string(api.StateIdle): &t.idle, string(api.StateWorking): &t.working,
		string(api.StateInput): &t.input, string(api.StatePermission): &t.permission,
		string(api.StateExited): &t.exited, string(api.StateLost): &t.lost,
		"dim": &t.dim, "accent": &t.accent, "alert": &t.alert, "hook": &t.hook,
	} {
		if c, ok := custom[part]; ok {
			*at = c
			if soft := t.softOf(api.State(part)); soft != nil {
				*soft = grid.DefaultColor
			}
		}
	}
	return t
}

// state is the colour of a session's state.
func (t *theme) state(s api.State) grid.Color {
	switch s {
	case api.StateIdle:
		return t.idle
	case api.StateWorking:
		return t.working
	case api.StateInput:
		return t.input
	case api.StatePermission:
		return t.permission
	case api.StateExited, api.StateExiting:
		return t.exited
	case api.StateLost:
		return t.lost
	}
	return t.starting
}

// event is the colour of a kind of event.
func (t *theme) event(e api.Event) grid.Color {
	switch {
	case e.StateTo != e.StateFrom && e.StateTo != "":
		return t.state(e.StateTo)
	case e.Type == api.EventSessionLost || e.Type == api.EventConfigError || e.Type == api.EventPolicyError || e.Type == api.EventHookRejected || e.Type == api.EventCallRefused:
		return t.alert
	case strings.HasPrefix(e.Type, "permission."):
		return t.permission
	case strings.HasPrefix(e.Type, "session.") || e.Type == api.EventPrompt:
		return t.accent
	case strings.HasPrefix(e.Type, "daemon.") || e.Type == api.EventSpoolDrained:
		return t.dim
	}
	return t.hook
}

func fg(c grid.Color) grid.Style   { return grid.Style{FG: c} }
func bold(c grid.Color) grid.Style { return grid.Style{FG: c, Attrs: grid.Bold} }

// chip is text on a block of colour; it stays a block without colours.
func (t *theme) chip(c grid.Color) grid.Style {
	return grid.Style{FG: c, Attrs: grid.Bold | grid.Inverse}
}
