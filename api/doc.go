// Package api has the types of the daemon's HTTP API, of its event log and of the
// command line's --json. It parses and prints them and has no other logic. It imports
// the standard library alone, because the shim links it.
//
// Compatibility: fields are added, never renamed or given another meaning;
// readers ignore fields and enumeration values that they don't know. JSON
// names are snake_case. Times are RFC 3339 with nanoseconds, UTC.
package api
