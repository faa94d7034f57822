// Package daemon is the composition root of the server: it opens the store, starts
// journal, registry, queue and tools, and serves the API on the user's socket.
//
// Contract: one daemon per state directory, by a lock on daemon.lock while it runs.
// Before the socket accepts connections, running hosts are adopted, spooled hook calls
// are applied, and all states are true. A stop (SIGTERM, SIGINT, POST /v1/shutdown)
// leaves hosts running unless it asks to kill them, removes the socket and server.json,
// and waits for everything that was started. A killed daemon leaves both files; the next
// one replaces them. SIGUSR1 makes a removed socket again, SIGHUP reloads the
// configuration.
package daemon
