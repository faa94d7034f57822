// Package daemon is the composition root of the server: it opens the store,
// starts the event log and the registry, and serves the API on the user's
// socket.
//
// Contract: one daemon per state directory, by a lock on daemon.lock for as
// long as it runs. Before the socket accepts anything, running hosts are
// adopted, spooled hook calls are weighed and the states are true again. A stop
// (SIGTERM, SIGINT, POST /v1/shutdown) leaves hosts running unless it says
// otherwise, removes the socket and server.json, and waits for everything that
// was started. A killed daemon leaves both behind; the next one replaces them.
// SIGUSR1 makes a vanished socket again, SIGHUP reads the configuration again.
package daemon
