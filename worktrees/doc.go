// Package worktrees makes, lists, removes, restores and merges git work trees, so that
// nothing that was in one is ever lost.
//
// Contract: git is the binary. Looking takes no locks, runs no hook, filter, file system
// monitor, textconv or merge driver that the repository names, and never touches the
// user's index. What changes something holds a lock of the repository (a file in its
// common directory, so that two daemons exclude one another), reads the facts again under
// it, and writes a record before it begins; the record of an operation that a crash
// interrupted is found by the next one in that repository, which finishes or undoes it and
// says so. A work tree is known by the inode of its directory and by its own directory in
// the repository, never by its name. A removed one lies in the trash for TrashTime, beside
// a snapshot commit under refs/ccdir/trash.
//
// Calls block while git runs. A Keeper has no goroutines of its own.
package worktrees
