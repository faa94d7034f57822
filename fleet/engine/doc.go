// Package engine runs the NATS server of a fleet inside ccdir-fleet, and keeps the keys of those who may
// connect.
//
// Contract: Serve returns a server that syncs each write before it is acknowledged, or an error. Its
// directory holds the streams, the server's own key and members.json, the public keys with their names and
// rights; it belongs to one server at a time. A change of members.json holds within two seconds; who is
// not in it any more is disconnected.
package engine
