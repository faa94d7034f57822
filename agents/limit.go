package agents

// LimitDialog is an adapter whose agent opens a dialog at a usage limit that Escape closes without a
// choice.
type LimitDialog interface {
	// LimitDialog reports whether the text of a screen shows it.
	LimitDialog(screen string) bool
}
