// Package api is the wire vocabulary of the daemon: what its HTTP API, its
// event log and the command line's --json say. It holds data types and their
// names, no logic beyond parsing and printing them, and it imports the standard
// library alone, because the shim links it.
//
// Compatibility: fields are added, never renamed or given another meaning;
// readers ignore fields and enumeration values that they don't know. JSON
// names are snake_case. Times are RFC 3339 with nanoseconds, UTC.
package api
