// Package start prepares the process before nearly all other packages are
// initialised. Importing it does two things:
//
//   - It hides from packages that the program runs inside tmux, until ShowTmux is
//     called. lipgloss looks up the colours of standard output in its init function and
//     runs `tmux info` for it, without a time limit: every verb paid for that, and a
//     hanging tmux server stopped them all. The grid asks tmux itself.
//   - It sets GOMAXPROCS to 1, until AllProcessors is called. The grid stays with one
//     (see tui.Run). To start with several and go down to one later starts threads that
//     it does not need and returns their caches: a seventh of the page faults and a third
//     of the context switches of attaching.
//
// Go initialises packages that are ready in the order of their paths. This package
// imports only os and runtime, and its path sorts before that of lipgloss.
package start
