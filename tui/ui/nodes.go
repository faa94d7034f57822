package ui

import (
	"context"
	"time"

	"ccdir/api"
)

// NodeState is how another machine is reached; its text is shown.
type NodeState string

// The states of a node.
const (
	NodeOnline  NodeState = "online"
	NodeStale   NodeState = "stale" // it has not answered for some seconds
	NodeOffline NodeState = "offline"
	NodeAsks    NodeState = "asks" // ssh needs the person
	NodeOld     NodeState = "old"  // no ccdir there that fits
)

// Node is another machine whose sessions the grid shows.
type Node struct {
	Name   string
	Target string // what ssh is told to connect with
	State  NodeState
	Reason string // why it is not online, and what to do; "" if it is
	Trying bool   // ssh connects at the moment
	// Version is the daemon's there, "" unknown; System its operating system and architecture.
	Version, System string
	// Round is the last round trip, about; 0 unknown.
	Round time.Duration
	// Seen is when it answered last, Next when the next try begins; zero: never.
	Seen, Next time.Time
	// Links: its panes may show hyperlinks and set the clipboard.
	Links bool
}

// Nodes is the part of a client that leads to other machines.
type Nodes interface {
	// NodeOffers returns what can be started on a node, in which directories, and the person's
	// home directory there.
	NodeOffers(ctx context.Context, node string) (agents []api.AgentInfo, dirs []api.Directory, home string, err error)
	// ConnectNode connects now and lets ssh ask. answer blocks until the person has answered;
	// ok false gives no answer. The error says why the node is not online afterwards.
	ConnectNode(ctx context.Context, node string, answer func(question string) (text string, ok bool)) error
	// DisconnectNode ends the connection until ConnectNode; what runs there goes on.
	DisconnectNode(ctx context.Context, node string) error
}

// Node finds one by its name, nil if there is none; the pointer is for reading.
func (w *World) Node(name string) *Node {
	for i := range w.Nodes {
		if w.Nodes[i].Name == name {
			return &w.Nodes[i]
		}
	}
	return nil
}

// LinksFrom reports whether panes of a node may show hyperlinks and set the clipboard.
func (w *World) LinksFrom(node string) bool {
	n := w.Node(node)
	return n != nil && n.Links
}
