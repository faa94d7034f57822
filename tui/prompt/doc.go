// Package prompt is the prompt bar: a text, who gets it, and the lists above it. It owns
// what is written, the drafts of other purposes, the history, the texts on their way and
// what of them may have arrived, and what of that is on disk. Closed it says what the
// session in focus asks, or what is under way.
//
// It asks for deliveries, answers, tasks and new sessions (ui.Call), for the keyboard to be
// given back (ui.Close), and for lines in the status line. What is written is bounded
// (edit.Buffer), and so are the texts on their way (mostJobs) and those that may have
// arrived (mostTries). A session gets its texts in the order in which they were sent; one
// that failed comes back into the bar, or is in the history. Nothing that was written is
// lost: it is kept on disk a moment later, with the ids under which it may have been sent.
package prompt
