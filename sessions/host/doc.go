// Package host is the process that owns one session: its PTY, its screen, its scrollback,
// the ring of its last output bytes, and its input. There is one host per session, so that
// no failure of the daemon, of an attached terminal or of another session affects an agent.
//
// Contract:
//
//   - Run returns when the session's process has ended, its last output was read, its final
//     state is on disk, and every client was told or has timed out. No goroutine is left.
//   - One goroutine reads the PTY, one writes it. Input of clients and replies of the
//     terminal pass the writer one at a time, encoded for the modes that the application has
//     set at that moment. Plain text of an attached terminal may bypass the writer by a
//     direct line (wire/directline), in turns with it; it is accounted for here.
//   - Output goes through the engine, and to clients as frames. The echo of a key may also be
//     written to the terminal of a client that lends it; the frame follows.
//   - A slow client gets fewer frames, a blocked one is disconnected. Neither slows the
//     process or another client.
//   - An idle session causes no wake-ups: timers run only while something is due.
//   - A panic of the terminal engine is contained: the screen is reset, evidence says so, and
//     the application is asked to redraw.
package host
