// Package opencode is the adapter of opencode. It relies on behaviour seen with version 1.18.33.
//
// opencode is a server with a terminal as its client. Each session's server gets a port and a
// password of its own; ccdir follows its events (line.go), answers its requests and gives it
// prompts over HTTP. Events become reports in a tracker (tracker.go), which is pure. A plugin in the
// server (gate.js) has the policy decide before each tool, by a hook as other agents have.
package opencode
