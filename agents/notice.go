package agents

// Notices is an adapter that knows the notices which its agent shows before the first
// prompt, for example after an update, and which Escape cancels without an answer.
type Notices interface {
	// Notice reports whether a dialog is such a notice. first is its first line.
	Notice(first string) bool
}

// LimitDialog is an adapter whose agent opens a dialog at a usage limit that Escape closes without a
// choice.
type LimitDialog interface {
	// LimitDialog reports whether the text of a screen shows it.
	LimitDialog(screen string) bool
}
