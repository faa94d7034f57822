// Package tui is the terminal interface of ccdir: a grid of panes, one per
// session, beside the log of events, with a prompt bar below.
//
// Who owns what (one goroutine each):
//
//   - The reader decodes the terminal's input. A key for the focused pane goes
//     straight to that pane, plain text from there into the PTY (package pane);
//     everything else is a message to the program. The order of what was typed is kept: as soon as one input went
//     to the program, all that follow do too until it has been handled.
//   - The program (Bubble Tea, its renderer off) owns the model. After each
//     message it publishes an immutable scene.
//   - Each visible session's pane (package pane) owns its connection to the session's
//     host and lays frames into a mirror behind its lock.
//   - The painter owns the output: it takes the latest scene and the rows of
//     the mirrors that changed, composes them into cells and writes the
//     difference to what the terminal shows, one write per frame. Between two
//     frames it lends the terminal to the focused pane's host (terminal/lent).
//
// State is latest-wins all the way (scenes, mirrors, session values), so a slow
// terminal sees fewer frames and nothing queues up; input is ordered and
// bounded, and what is dropped when a program does not read is told in the
// status line.
//
// Files by how their names begin: run, reader, burst, router, painter, composer,
// suspend and signals are the goroutines around the model; model, known, settle, inbox,
// calls and actions are the program; borders, focus and arranged the grid's arrangement;
// prompt and draft the prompt bar, pasting and handover what is on its way to sessions;
// answer, requests and dialog_answer what agents ask; dialog, textview and transcript
// what opens over the grid; list_dialog gives keys to the listbox with which list, queue, history,
// events, decisions, calls and chooser are shown; copy is copy mode. view makes pictures
// of a scene and cannot do anything else. What needs no model is a package below this
// one.
//
// Lock order: a pane's lock and the inbox's lock are leaves; nobody takes
// another lock or blocks while holding one. The lock of lent.Screen is held while
// the painter writes to the terminal, and may be held when they are taken.
package tui
