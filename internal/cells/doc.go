// Package cells is the one vocabulary for character cells in ccdir, from the
// bytes of a PTY to the bytes written to the outer terminal: colours, styles,
// cells, rows, runs of equal style, and the rules that say how many columns a
// character takes.
//
// Contract: nothing in this package does I/O or starts a goroutine. A [Table]
// and everything whose ids it gave out belong to one owner; nothing here locks.
// Cells of different tables must not be compared or copied into one another:
// ids are only meaningful beside the table that gave them out.
//
// The package imports the standard library alone, because the shim, which is
// started for every hook call, links it.
package cells
