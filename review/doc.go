// Package review has what a review of a session's work is made of: snapshots of its work tree, and
// differences as values.
//
// Contract: git is asked by internal/gitstatus alone, so that no filter, hook or monitor of the
// repository runs. Snapshots are written into a git directory of ours in the repository's (ccdir/turns in the
// common directory, docs/decisions/030): the person's index, refs, stash, HEAD and objects stay as
// they are. Every function that has a context blocks until git has answered, or the context ends. What git is given is
// a full object id, or a name of ours.
package review
