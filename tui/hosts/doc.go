// Package hosts keeps the panes of a grid's sessions: the connection of each to its host, what
// each told of itself last, and long text that is on its way to a program.
//
// Hosts belongs to the program's goroutine and is told what there is (Sync), what is in view
// (Views), who has the keyboard (Focus), and what panes report (Report). It asks the daemon by
// effects alone.
package hosts
