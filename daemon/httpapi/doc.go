// Package httpapi serves the daemon's HTTP API: JSON, streams as server-sent
// events, every failure as api.Error with the status of its code.
//
// Contract: handlers hold no state; everything comes from Deps. Bodies are
// bounded, streams have heartbeats and write deadlines, a panic costs one call.
// Connections come from processes of the same user only (see Listener).
// Streams and held calls end when the server's base context does.
package httpapi
