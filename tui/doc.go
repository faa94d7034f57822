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
// sidebar and copy mode are always there: parts, in one slice, to which input is offered in
// its order. What both ask for is carried out in effects.go; the commands that an update
// causes are in the model's out, which Update returns whole. What is neither is here, by
// how the names of files begin: run starts the goroutines around the model and joins
// them; drawing is the scene as the terminal shows it; model, known, settle, inbox,
// calls and actions are the program; arrangement and sidebar join it with
// components that are always there; pasting, typeahead and leaving what is in flight to
// sessions; requests what agents ask. Calls that are
// under way are in package underway, the connections to hosts in package hosts. Pictures are made of a scene, which nothing can change.
//
// Lock order: a pane's lock and the inbox's lock are leaves; nobody takes
// another lock or blocks while holding one. The terminal's lock may be held when
// they are taken.
package tui
