// Package sgr makes cells of text with SGR sequences: the last screen of a session as
// the daemon tells it, and the insides of lists and dialogs, which lipgloss lays out as
// text. It is pure. Other sequences are dropped; whether the rest is harmless is the
// caller's affair.
package sgr
