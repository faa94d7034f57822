// Package cells defines character cells, from the bytes of a PTY to the bytes written to
// the outer terminal: colours, styles, cells, rows, and the rules for how many columns a
// character takes.
//
// Contract: nothing in this package does I/O or starts a goroutine. A [Table] and all
// values that hold its ids belong to one owner; nothing here locks. Ids are valid only
// together with the table that issued them: cells of different tables must not be compared
// or copied into one another.
//
// The package imports the standard library alone, because the shim, which is started for
// every hook call, links it.
package cells
