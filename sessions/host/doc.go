// Package host is the process that owns one session: its PTY, its screen, its
// scrollback, the last bytes it printed and the way in for input. One host per
// session, so that nothing that happens to the daemon, to an attached terminal
// or to another session touches an agent.
//
// Contract:
//
//   - Run returns when the session's process has ended, its last output was
//     read, its final state is on disk and every client was told (or did not
//     listen); no goroutine is left then.
//   - One goroutine reads the PTY, one writes it. What clients and the terminal
//     write goes through the writer one piece at a time, encoded for the modes
//     that the application has set at that moment. Plain text of an attached
//     terminal may go past it by a direct line (wire/directline), in turns with
//     it, and is accounted for here.
//   - What the process prints goes through the engine, and to clients as frames. Its
//     echo of a key may be written to the terminal of a client that lends it, too;
//     the frame follows.
//   - A client that is slow gets fewer frames, one that is stuck is
//     disconnected; neither slows the process or another client.
//   - An idle session costs no wake-ups: there is no ticker, timers run only
//     while something is due.
//   - A panic of the terminal engine is contained: the screen starts afresh,
//     evidence tells of it, and the application is asked to draw again.
package host
