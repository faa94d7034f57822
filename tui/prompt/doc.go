// Package prompt is the prompt bar: a text, who gets it (prompt/target), and the lists above
// it. It owns what is written and the history. Enter hands the text over to the outbox
// (prompt/outbox), which owns it until it is acknowledged and keeps on disk what is not; one
// that failed comes back into the bar, or is in the history. Closed it says what the session
// in focus asks, or what is under way.
//
// It asks for what the outbox does (ui.Call), for the keyboard to be given back (ui.Close),
// and for lines in the status line. What is written is bounded (edit.Buffer).
package prompt
