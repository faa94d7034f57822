// Package store is the database: SQLite in one file, opened by the daemon
// alone (hosts and hooks never do).
//
// Contract: writing goes through one goroutine that takes everything queued
// into one transaction (synchronous=FULL: when a call returns, its data
// survives a power cut). A write that fails does not take its neighbours with
// it. Reading is concurrent with writing (WAL). Events are only ever appended
// (and pruned from the old end); their numbers have no gaps.
//
// A database that cannot be read is moved aside, with its companion files, and
// a new one is begun: sessions are found again by the files of their hosts, so
// only the past is lost, and Opened.Moved says where it lies.
package store
