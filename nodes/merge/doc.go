// Package merge makes one watch stream of those of several machines, for a grid.
//
// Contract: ids of sessions, tasks and requests of a node are NODE/ID, names NODE/NAME; those of
// this machine stay. The first message is a snapshot, and comes with this machine's first one.
// Events of all machines are one list in the order in which they came, with numbers of its own
// (Origin finds the machine's). Each machine's stream may end and begin again with a snapshot.
// What a node tells is foreign: what is kept of it is bounded, and ids that could be mistaken for
// another machine's are dropped. It does no I/O; messages are given to Options.Out one at a time.
package merge
