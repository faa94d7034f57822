// Package store is the database: SQLite in one file. Only the daemon opens it, never
// hosts or hooks.
//
// Contract: one goroutine writes. It takes all queued writes into one transaction
// (synchronous=FULL: when a call returns, its data survives a power cut). A write that
// fails does not fail the others. Writers block while the queue is full. Reads are
// concurrent with writes (WAL). Events are only appended, and pruned from the old end;
// their numbers have no gaps.
//
// A damaged database is moved aside, with its WAL, and a new one is begun with all rows
// that can still be read. Sessions are found by the files of their hosts, so that only
// history is lost; Opened.Moved is the path of the old one.
package store
