// Package tui is the terminal interface of ccdir: a grid of panes, one per
// session, beside the log of events, with a prompt bar below.
//
// Who owns what (one goroutine each):
//
//   - The terminal (package terminal) reads input and shows scenes. Keys for the focused
//     pane go straight to that pane; all other input is a message to the program.
//   - The program (Bubble Tea, its renderer off) owns the model. After each
//     message it publishes an immutable scene.
//   - Each visible session's pane (package pane) owns its connection to the session's
//     host and lays frames into a mirror behind its lock.
//
// State is latest-wins all the way (scenes, mirrors, session values), so a slow
// terminal sees fewer frames and nothing queues up; input is ordered and
// bounded, and what is dropped when a program does not read is told in the
// status line.
//
// Things on the screen are components (package ui) in folders of their own. layer.go keeps
// those that are open over one another and asks for their abilities. Prompt bar, grid,
// sidebar, copy mode and what is said of the daemon are always there: parts, in one slice, to
// which input is offered in its order. What both ask for is carried out in effects.go; the
// commands that an update causes are in the model's out, which Update returns whole. The model
// also owns what is known of the daemon's state (package known), the panes (hosts), what is
// under way (underway), and what a person is to be told (attention): each is told what has
// happened, and answers with effects.
//
// What is neither is here, by the names of files: run starts the goroutines around the model
// and joins them; scene is the picture as the terminal shows it; model, inbox, take, settle are
// the program's loop; input, terminal_events, typeahead and leaving what is typed, on its way
// to who has the keyboard; actions, arrangement, requests, calls what follows from it; waits
// what the grid waits for. Pictures are made of a scene, which nothing can change.
//
// Lock order: a pane's lock and the inbox's lock are leaves; nobody takes
// another lock or blocks while holding one. The terminal's lock may be held when
// they are taken.
package tui
