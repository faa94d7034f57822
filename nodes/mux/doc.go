// Package mux carries many connections over one: the standard input and output of an ssh.
//
// A frame is stream u32, kind u8, length u24 (little endian), and a body of at most 16 KiB.
// Kinds are numbers for ever; a frame of an unknown kind is skipped. One end, the laptop's,
// opens streams; the other one dials for them.
//
// Contract:
//
//   - Each direction of a stream has a window of 32 KiB: a stream that is not read holds up
//     no other, and what is under way of it is bounded. More data than the window ends the
//     connection, as do an open from the dialling end, a number that is in use, and a frame
//     that is too long.
//   - Bytes of one stream arrive in order. What was sent before a close arrives before it, unless
//     the receiver does not take it within a second. A connection that is closed for writing
//     alone counts as closed.
//   - The stream that the other end sent data on last is written before the others, if
//     Options.First allows: that is the pane a person types into.
//   - Run returns when the connection has ended; by then every stream is closed and every
//     goroutine of the mux has ended. Nothing that arrives makes it panic or grow without
//     bound.
package mux
