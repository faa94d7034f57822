// Package ansi stands between a host and a client that has only a terminal: it draws a
// session's screen with escape sequences (Screen), and decodes what the client's terminal
// sends into inputs of the host's protocol (Inputs). It does no I/O.
package ansi
