package theme

import (
	"slices"

	"strings"

	"ccdir/api"
	"ccdir/internal/cells"
)

// Theme is the colours of the chrome. Everything that a colour says is also
// said by a sign or a word.
type Theme struct {
	Starting, Idle, Working, Input, Permission, Exited, Lost cells.Color
	Dim, Accent, Alert, Hook                                 cells.Color
	// Code is program text among prose; without a background where there are few colours.
	Code cells.Style
	// Added and Removed are lines of a change, AddedWord and RemovedWord what differs in one that was
	// changed. Where there are few colours they have no background but a colour.
	Added, Removed, AddedWord, RemovedWord cells.Style
	// back is the background that the colours are made for, nil: the terminal's black, or white if light.
	back  *uint32
	light bool
	// strict: contrast comes first.
	strict bool
	// Signs are those of standings, "" is Unicode. With ASCII the terminal's font lacks others, too.
	Signs api.Signs
}

// New is the palette of that name (see Palette; dark if there is none of that name)
// with some colours replaced: those of states by the state's name, and "dim", "accent",
// "alert" and "hook".
func New(name string, custom map[string]cells.Color) *Theme {
	t := themeOf(name)
	t.Lost = t.Exited
	for part, at := range map[string]*cells.Color{
		string(api.StateStarting): &t.Starting, string(api.StateIdle): &t.Idle, string(api.StateWorking): &t.Working,
		string(api.StateInput): &t.Input, string(api.StatePermission): &t.Permission,
		string(api.StateExited): &t.Exited, string(api.StateLost): &t.Lost,
		"dim": &t.Dim, "accent": &t.Accent, "alert": &t.Alert, "hook": &t.Hook,
	} {
		if c, ok := custom[part]; ok {
			*at = c
		}
	}
	t.setChanges()
	return t
}

// State is the colour of a session's state.
func (t *Theme) State(s api.State) cells.Color {
	switch s {
	case api.StateIdle:
		return t.Idle
	case api.StateWorking:
		return t.Working
	case api.StateInput:
		return t.Input
	case api.StatePermission:
		return t.Permission
	case api.StateExited, api.StateExiting:
		return t.Exited
	case api.StateLost:
		return t.Lost
	}
	return t.Starting
}

// Sign is the sign of a session's standing.
func (t *Theme) Sign(s api.Standing) string { return s.Sign(t.Signs) }

// Standing is the colour of what a session's state means to a person: amber where it is
// waited for, red for failure, green for news, blue for work; the text's own colour
// where nothing is to be done.
func (t *Theme) Standing(s api.Standing) cells.Color {
	switch s {
	case api.StandingAsks:
		return t.Input
	case api.StandingFailed:
		return t.Alert
	case api.StandingDone:
		return t.Idle
	case api.StandingWorking:
		return t.Working
	case api.StandingEnded, api.StandingSettled, api.StandingSnoozed:
		return t.Dim
	}
	return cells.DefaultColor
}

// Task is the colour of a task's state.
func (t *Theme) Task(s api.TaskState) cells.Color {
	switch s {
	case api.TaskRunning, api.TaskStarting:
		return t.State(api.StateWorking)
	case api.TaskWaiting:
		return t.State(api.StateInput)
	case api.TaskDone:
		return t.State(api.StateIdle)
	case api.TaskFailed, api.TaskTimedOut, api.TaskBlocked:
		return t.Alert
	}
	return t.Dim
}

// Event is the colour of a kind of event.
func (t *Theme) Event(e api.Event) cells.Color {
	switch {
	case e.StateTo != e.StateFrom && e.StateTo != "":
		return t.State(e.StateTo)
	case e.Type == api.EventSessionLost || e.Type == api.EventConfigError || e.Type == api.EventPolicyError || e.Type == api.EventHookRejected || e.Type == api.EventHookFailed || e.Type == api.EventCallRefused:
		return t.Alert
	case strings.HasPrefix(e.Type, "permission."):
		return t.Permission
	case strings.HasPrefix(e.Type, "session.") || e.Type == api.EventPrompt:
		return t.Accent
	case strings.HasPrefix(e.Type, "daemon.") || e.Type == api.EventSpoolDrained:
		return t.Dim
	}
	return t.Hook
}

// Match is how a place looks where a search found something; current is the one that
// was gone to.
func (t *Theme) Match(current bool) cells.Style {
	if current {
		return cells.Style{FG: t.Input, Attrs: cells.Bold | cells.Inverse}
	}
	return cells.Style{FG: t.Input, Attrs: cells.Bold, Underline: cells.UnderlineSingle}
}

// Chip is text on a block of colour; it stays a block without colours.
func (t *Theme) Chip(c cells.Color) cells.Style {
	return cells.Style{FG: c, Attrs: cells.Bold | cells.Inverse}
}

// Mark is the colour that a person has given to a session, by its name; the terminal's own, and none
// where the theme has none.
func (t *Theme) Mark(name string) cells.Color {
	i := slices.Index(api.MarkColors(), name)
	if i < 0 || t.Accent.IsDefault() {
		return 0
	}
	return cells.Indexed(uint8(i + 1))
}
