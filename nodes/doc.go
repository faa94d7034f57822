// Package nodes leads from this machine to the person's other ones: it starts links (package
// nodes/link) and dials through them. A Remote is the client.Far of one node.
//
// Contract: New does no I/O. Ready and Dial start the link if none runs, unless the person took
// the node down, and wait as long as one try of ssh takes. An error says the node's name, why, and
// what to do; it has api.CodeUnavailable if it may pass by itself. A Remote may be used by several
// goroutines.
package nodes
