package agents

// ScreenReader is an adapter that can read its agent's input line from the screen,
// since the agent reports it in no other way.
type ScreenReader interface {
	// ReadScreen reads a screen with its SGR sequences. ok is false if the input line
	// is not visible (a dialog, a panel or another view covers it) or the version is
	// unknown; then only Cut and Loading are set.
	ReadScreen(ansi string) (s Screen, ok bool)
	// ScreenKnown reports whether the screens of that version of the agent are known, so
	// that a missing input line means something.
	ScreenKnown(version string) bool
	// SetAside are the keys by which the agent stashes the draft until the next prompt
	// is submitted, and then restores it; nil if it cannot.
	SetAside() []string
}

// Screen is the content of an agent's screen.
type Screen struct {
	// Input is the text in the input line, without the agent's own hints; lines end
	// with \n, including wrapped ones.
	Input string
	// Stashed: a draft is stashed already; there is room for one.
	Stashed bool
	// Queued are the visible prompts that wait for the end of the turn, first to last.
	Queued []string
	// Menu are the completions for the input line. Enter accepts Chosen, a command with
	// its aliases.
	Menu   []string
	Chosen []string
	// NoMatch: no command begins with the input.
	NoMatch bool
	// Refused is the agent's message about an unknown command, if it is the last text
	// on the screen; Refusals counts such messages on the screen.
	Refused  string
	Refusals int
	// Cut: the pane has too few rows and ends within the input line. CutEmpty: its
	// visible part is empty.
	Cut, CutEmpty bool
	// Loading: the agent is taking up a conversation, and shows its input line when it has.
	Loading bool
}
