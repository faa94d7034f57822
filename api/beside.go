package api

// ToolShell is the name of the scratch shell (Beside.Tool).
const ToolShell = "shell"

// Beside is the place of a session that a person opened as a tool beside another one: a
// scratch shell, an editor. It is replaced, never changed.
type Beside struct {
	// Session is the id of that session. If that is removed, this one stands for itself: a shell
	// in which nothing runs is ended.
	Session string `json:"session"`
	// Tool is its name: ToolShell, or the NAME of a [tools.NAME] of the configuration.
	Tool string `json:"tool"`
	// Floating: grids show it over their panes when its key is pressed, and it has no pane. It is
	// removed when it has ended well, a shell however it ended.
	Floating bool `json:"floating,omitempty"`
}

// Closed reports whether the session was a tool that floats, and has ended so that nothing is
// left to look at.
func (s Session) Closed() bool {
	return s.Beside != nil && s.Beside.Floating && s.State == StateExited &&
		(s.Plain == PlainShell || s.Standing(s.Since) == StandingEnded)
}
