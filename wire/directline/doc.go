// Package directline is the fast path of a key press: two short cuts between an
// attached terminal (the client) and a session's host, which share a page of memory.
//
//   - The direct line: the client writes plain text straight into the session's PTY,
//     past the host. A key then wakes one process less on its way to the program.
//   - The lent terminal: between two of its own writes the client lets the host write
//     one echo straight to its terminal. The echo wakes one process less on its way back.
//
// The client half is a [Line]: Write, Lend, TakeBack, Close. The host half is [Lines],
// all lines of one host (Deliver, Allow, Hold, Echo), with an [End] for each client
// (Offer, Done, Typed, Close).
//
// Contract of the direct line. The host stays the owner of the PTY:
//
//   - Order: the client writes only when the host has written every input that it
//     received from this client (End.Done).
//   - Atomicity: each side takes the turn before it writes a piece that must stay whole.
//     The host keeps the turn for whole transactions and long texts (Lines.Hold).
//   - Accounting: the client counts a text before it writes it, so the host knows that a
//     person typed when the echo arrives, or when it is about to write itself (End.Typed).
//   - The host may close all lines at any time (Lines.Allow), for example while the
//     application wants its keys encoded.
//
// Text that cannot take this way goes to the host over the connection. Nothing is lost
// without a line; a key only costs one more process switch.
//
// Contract of the lent terminal:
//
//   - The host writes only text that takes one cell per character on every terminal
//     (printable ASCII and simple alphabets), and only after the picture that the
//     terminal shows, which the client identifies by its number. It writes at the
//     cursor, or at the start of the next row if the cursor's row is full.
//   - One side writes at a time. The client takes its terminal back before it writes,
//     and learns what the host has written.
//   - A host that does not give the terminal back within holdWait never gets it again.
//
// Neither side trusts the page. A hostile client can delay the host by at most holdWait
// and pretend that a person typed; ordinary input lets it do both. The size of the page
// is sealed.
//
// It needs Linux (memfd_create). Elsewhere Offer and Dial return errors.ErrUnsupported.
package directline
