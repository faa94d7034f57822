package agents

// ScreenReader is an adapter that can read its agent's screen, where the agent
// tells in no other way what is in its input line.
type ScreenReader interface {
	// ReadScreen reads a screen with its renditions (SGR sequences). ok is false
	// where the input line is not on it: a dialog, a panel or another view covers
	// it, or the version is one that is not known. Of such a screen only Cut is told.
	ReadScreen(ansi string) (s Screen, ok bool)
	// SetAside are the keys by which the agent keeps a draft until the next
	// prompt is submitted, and then puts it back; nil if it cannot.
	SetAside() []string
}

// Screen is what an agent's screen tells.
type Screen struct {
	// Input is what stands in the input line, without the agent's own hints;
	// line ends are \n, also those of long lines that were wrapped.
	Input string
	// Stashed: a draft is set aside already; there is room for one.
	Stashed bool
	// Queued are the prompts that wait for the turn to go on, first to last,
	// as far as they are shown.
	Queued []string
	// Menu are the commands offered for what stands in the input line. Enter
	// takes Chosen, which the other Names of it are the same as.
	Menu   []string
	Chosen []string
	// NoMatch: no command begins like it.
	NoMatch bool
	// Refused is the agent's word about a command that it does not know, if that
	// is the last thing on the screen, and Refusals how many such are on it.
	Refused  string
	Refusals int
	// Cut: the pane has too few rows for the input line, and ends within it. CutEmpty:
	// what is to be seen of it is empty.
	Cut, CutEmpty bool
}
