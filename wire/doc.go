// Package wire is the protocol between a host (the process that owns one
// PTY and its screen) and its clients: attached terminals, which send input and
// take frames, and the daemon, which takes evidence and sends control.
//
// Transport: a unix stream socket. Each message is a 4-byte little-endian
// length of what follows (kind byte and body, at most MaxMessage), a kind byte,
// and a body. Bodies of the hot kinds (Frame, Input) are binary; the others are
// JSON objects whose readers ignore unknown fields.
//
// A connection begins with the client's Hello; the host answers Welcome, or
// Error and closes. Then both sides send at will:
//
//   - State is latest-wins: a client that asked for frames gets the rows that
//     changed since the frame it took last, never a queue of old ones. A slow
//     client sees fewer frames, and a client that does not take a frame within
//     the host's write deadline is disconnected. The first frame is full.
//   - Input is ordered and bounded: the host takes a client's next Input only
//     when the PTY's writer has taken the one before (when it is written, if it
//     is large), so a program that does not read its input stops that client's
//     input and, once its next Input lies unread, that client's other messages,
//     and nothing else. Requests never wait: those that write (tx, keys, ping)
//     are refused with CodeTimeout when the writer's queue is full. Who must not
//     be stopped by a program sends requests instead of Input.
//   - Text that takes long is told of (Status.Taken) and can be dropped by a request,
//     over any connection: its own may be one that the host does not read just then.
//   - A terminal may write plain text past the host, by a direct line
//     (wire/directline). It asks for one by MethodLine and fetches its
//     descriptors over a connection of their own (DialLine). The host counts the
//     Inputs of the connection from 1 and tells by the line how many it has written.
//     In return it may get the descriptor of the terminal (Hello.Display), to write
//     echoes to it; frames tell of them all the same.
//   - Evidence is numbered by the host from 1 without gaps; a subscriber names
//     the last number that it has, and learns from EvidenceLost when older ones
//     have left the host's bounded ring.
//   - Every Request is answered by one Response with its id, in any order.
//
// Compatibility: kinds and field numbers are never reused; an unknown kind is
// skipped. Hello and Welcome carry protocol ranges; the highest common one is
// spoken. Golden bytes of every released version are tests.
package wire

// Protocol versions that this build speaks.
const (
	ProtocolMin = 1
	ProtocolMax = 1
)

// MaxMessage bounds kind and body of one message, in bytes.
const MaxMessage = 16 << 20

// Kind tells messages apart on the wire.
type Kind uint8

// The kinds. Numbers are for ever.
const (
	KindHello        Kind = 1
	KindWelcome      Kind = 2
	KindError        Kind = 3
	KindInput        Kind = 4
	KindFrame        Kind = 5
	KindEvidence     Kind = 6
	KindEvidenceLost Kind = 7
	KindRequest      Kind = 8
	KindResponse     Kind = 9
	KindStatus       Kind = 10
	KindView         Kind = 11
	KindExit         Kind = 12
	KindScreen       Kind = 13
	KindLine         Kind = 14
)

// Message is one of the types of this package that travel.
type Message interface{ Kind() Kind }
