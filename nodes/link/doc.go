// Package link is the connection of this machine with one other machine of the person, a node.
//
//	ccdir-shim link NAME   here: runs one ssh to the node and serves this machine's clients
//	ccdir-shim bridge      there, as ssh's command: dials the sockets of the node's ccdir
//	ccdir-shim askpass     here, run by ssh: passes ssh's question on to a client
//
// A client connects to the link's socket and says in one line of JSON what it wants (Request);
// the link answers with one line (Status), and to Request.Open joins the rest of the connection
// with a socket of the node (package nodes/mux).
//
// Contract:
//
//   - One link runs for a node: it holds a lock (paths.NodeLock). It ends on request, or 10
//     minutes after its last client.
//   - ssh is the person's own, with its configuration; it gets no terminal, no agent, X11 or port
//     is forwarded, and it never asks unless a client takes its questions (Request.Answer).
//   - The link connects again by itself, at once after a connection that held, else 0.1 to 30 s
//     after the last try began, unless only a person can change the outcome (StateAsks, StateOld).
//   - Processes of local sessions are refused, because the link acts as the person there.
//   - What the node sends is foreign: lines and frames are bounded, its texts are not made safe
//     to display.
package link
