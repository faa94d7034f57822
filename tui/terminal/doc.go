// Package terminal is the grid's side of the person's terminal: it shows scenes and
// delivers input. It knows no sessions, dialogs or keys' meanings; package tui gives it a
// [Scene] after each change and gets every input that is not the focused pane's own.
//
// Goroutines, which the caller starts and which end with their context or the terminal:
//
//   - Read decodes input. A key of the focused pane goes straight to that pane, plain text
//     from there into the PTY (tui/pane); everything else goes to Config.Program. Input
//     keeps its order: as soon as one input went to the program, all later ones do, until
//     the program has handled it (Router.Handled).
//   - Paint owns the output. It takes the latest scene and the rows of the panes that
//     changed, composes them into cells and writes the difference to what the terminal
//     shows, one write per frame. Between two frames the terminal may be lent to a host
//     (tui/terminal/lent).
//   - Signals follows the terminal's size, and job control.
//
// Scenes are latest-wins: a slow terminal sees fewer of them and nothing queues up. The
// only input dropped here are pastes that are too long (Typed.TooLong); Read blocks while
// the program is busy, and while the focused pane's queue is full (pane.SendSoon). Show, PaneChanged and Emit never block.
package terminal
