// Package core is the core of the grid's copy mode: lines that don't
// change, a cursor that moves over them as in vi, what a selection holds, and
// search. It draws nothing and asks nobody for anything.
//
// Lines are numbered from the top of the screen as it was when copy mode was
// entered: 0 is the screen's first row, -1 the newest line of the history. The
// numbers stay when older lines come in; Reflow gives others. Columns are cells from 0; a position
// is never on the second half of a wide character.
//
// Values here are not changed once made, except State by its own methods, so
// that a drawing goroutine can be given a copy while the owner goes on.
package core
