// Package launch says what a session runs: it checks a request for a new session, fills in
// the configuration, and keeps the result as a Spec (session.json), which restarts use
// again. ShimLauncher starts the host process for it.
//
// Errors are for people: the API passes them on as they are.
package launch
