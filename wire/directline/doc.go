// Package directline lets an attached terminal write plain text straight into a
// session's PTY, past the host: a key then wakes one process less on its way to
// the program, which is a sixth of its echo's time, and the echo one less on its way back.
//
// The host stays the owner of the PTY. It shares with the terminal a page of
// memory by which both agree, without a message, on who may write:
//
//   - Nothing is overtaken: the terminal writes only when the host has written
//     everything that it was sent before (Page.Done).
//   - Nothing is mixed: each side takes the turn before it writes what must stay
//     in one piece; the host holds it for whole transactions and long texts.
//   - Nothing is unnoticed: the terminal counts what it writes before it writes, so
//     that the host knows that somebody has typed when the echo arrives, or when it
//     is about to write itself.
//   - The host may close the line at any time, for an application that wants its
//     keys encoded, for example.
//
// Text that does not go this way, for whatever reason, goes to the host as ever;
// a terminal that has no line works the same, later by a process switch.
//
// The way back is lent: between two of its own writes a terminal lets the host write
// one echo to its display (Line.Lend, Page.Echo), which saves another switch:
//
//   - The host writes only text that takes as many cells as it has characters on
//     every terminal (Plain), and only after the picture that the display shows, which
//     the terminal names by its number. It writes where the cursor is, or, where the row is
//     full, at the beginning of the next one, whose place the terminal has told.
//   - One of them writes at a time. Before the terminal writes itself, it takes the
//     display back, and learns what is on it (TakeBack).
//   - A host that does not give it back within holdWait never gets it again.
//
// What a terminal puts into the page is not trusted: it can delay the host by at
// most holdWait and make it believe that somebody typed, both of which it may do
// by ordinary input too. The page's size is sealed.
//
// It needs Linux (memfd_create); elsewhere New and Open return
// errors.ErrUnsupported.
package directline
