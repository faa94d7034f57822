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
//   - State is latest-wins: a client that asked for frames gets the rows that changed since
//     its last frame, never a queue of old frames. A slow client gets fewer frames; one that
//     does not read a frame within the host's write timeout is disconnected. The first frame
//     is full.
//   - Input is ordered and bounded: the host takes a client's next Input once the PTY's
//     writer has taken the previous one (written it, if it is large). So a program that does
//     not read its input blocks that client's input and, behind it, that client's other
//     messages, and nothing else. Requests never block: those that write (tx, keys, ping)
//     fail with CodeTimeout if the writer's queue is full. A client that must not be blocked
//     by a program sends requests instead of Input.
//   - The progress of long text is reported (Status.Taken), and a request can drop the rest.
//     The request may come over any connection: the text's own may be blocked.
//   - A terminal may write plain text past the host, by a direct line (wire/directline). It
//     asks for one by MethodLine and fetches its descriptors over a connection of their own
//     (directline.Dial). The host counts the connection's Inputs from 1 and reports on the line how
//     many it has written. In return it may get the descriptor of the terminal
//     (Hello.Display) and write echoes to it; frames contain them as well.
//   - Evidence is numbered by the host from 1 without gaps. A subscriber names the last
//     number that it has. EvidenceLost reports that later ones have left the host's bounded
//     ring.
//   - What an application copies (Copy) goes to the client that owns the size, latest wins.
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
	KindCopy         Kind = 15
)

// Message is one of the types of this package that travel.
type Message interface{ Kind() Kind }
