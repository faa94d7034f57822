// Package listen is how one daemon is reached, and only one: its lock, the socket's directory
// and the socket, the token of TCP, and the HTTP server on them.
//
// Nobody but the user has access to what it makes. A Server owns the goroutines of its listeners;
// Close waits for them and for the calls in flight.
package listen
