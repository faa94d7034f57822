// Package access decides who may connect and finds out who calls.
//
// Contract:
//
//   - On the unix socket only processes of one user are accepted (Listener). Over TCP a
//     call needs the token, the right host and origin, a connection of the same user, and
//     a place within the rate limits (OverTCP, TCPListener).
//   - OriginOf returns the session whose process calls, or the person. If nobody is found
//     at the other end of a connection, that is an error: the token alone makes nobody the
//     person. Over TCP every call is looked up anew; on the socket it is the process that
//     connected.
//   - It decides nothing about what a caller may do: the guards of the API and the tools
//     do.
package access
