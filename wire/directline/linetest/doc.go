// Package linetest makes direct lines for tests: both halves in one process, joined over
// a real socket.
package linetest
