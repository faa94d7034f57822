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

func themeOf(name string) *theme {
	i := grid.Indexed
	switch name {
	case "light":
		return &theme{
			starting: i(102), idle: i(28), working: i(26), input: i(130), permission: i(160), exited: i(145),
			dim: i(102), accent: i(25), alert: i(160), hook: i(60),
			softStarting: i(145), softWorking: i(74), softInput: i(173), softPermission: i(174),
		}
	case "light16":
		return &theme{
			starting: i(8), idle: i(2), working: i(4), input: i(3), permission: i(1), exited: i(7),
			dim: i(8), accent: i(6), alert: i(1), hook: i(5),
			softStarting: i(7), softWorking: i(12), softInput: i(11), softPermission: i(9),
		}
	case "contrast":
		return &theme{
			starting: i(7), idle: i(10), working: i(12), input: i(11), permission: i(9), exited: i(8),
			dim: i(7), accent: i(14), alert: i(9), hook: i(15),
			softStarting: i(8), softWorking: i(4), softInput: i(3), softPermission: i(1),
		}
	}
	return &theme{
		starting: i(250), idle: i(35), working: i(33), input: i(214), permission: i(196), exited: i(242),
		dim: i(245), accent: i(75), alert: i(203), hook: i(146),
		softStarting: i(240), softWorking: i(24), softInput: i(136), softPermission: i(124),
	}
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
