package agents

// Notices is an adapter that knows the notices which its agent shows before the first
// prompt, for example after an update, and which Escape cancels without an answer.
type Notices interface {
	// Notice reports whether a dialog is such a notice. first is its first line.
	Notice(first string) bool
}
