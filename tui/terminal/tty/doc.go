// Package tty is the terminal in which the grid runs: its files, raw mode, size and
// colours, the modes that are switched on at the beginning and off at the end, and the
// queries to which it has not replied yet.
//
// It knows no sessions and no pictures: the painter writes to Output, the reader reads
// from Input. Leave restores the terminal within a bounded time, whatever ended the grid.
// Drain reads pending replies before that, so that the next program does not get them as
// input. A Pipe bounds the bytes in flight to a slow terminal.
package tty
