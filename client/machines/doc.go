// Package machines is a client of several machines: this one, and the person's nodes.
//
// Contract: an id of a node's session, task, request or message is NODE/ID (package nodes/merge);
// a call about it goes to that node, and what it returns has the node again. What has no id is this
// machine's, but for the lists of past.go, which ask every machine that can be reached and wait
// for nodes no longer than pastPatience. Calls have the signatures of package client, and its
// errors.
//
// Its life: New does no I/O. Watch follows this machine and gives one picture of all; it ends with
// this machine's stream, that of a node never ends it. Nodes runs a follower a node until its
// context ends, and waits for them: a follower keeps the node's watch stream while its link is
// online, and tells the merger since when it is away. Configure may be called at any time: a node
// that is new is followed, one that is gone or has changed ends. As long as there has never been a
// node, events keep their own numbers. A Client may be used by several goroutines.
package machines
