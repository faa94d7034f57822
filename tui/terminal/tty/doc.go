// Package tty is the terminal in which the grid runs: its files, raw mode and
// size, the modes that are switched on at the beginning and off at the end, how many
// colours it has, and what it was asked and still owes an answer to.
//
// It knows nothing of sessions or pictures: what the grid shows is written to
// Output by the painter, what the person types is read from Input by the reader.
// Whatever ends the grid, Leave gives the terminal back as it was, within a bounded
// time; Drain takes the answers before that, which nobody else is to get as input.
// What is under way to a slow terminal is bounded by a Pipe.
package tty
