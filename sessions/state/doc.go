// Package state decides a session's state from evidence: hook calls, program status
// (OSC 7501), session file, title, screen, keys, process facts and permission requests.
//
// Fold is the whole memory. Apply weighs one more piece of evidence by the table in
// rules.go, whose first matching row decides, and returns the next Fold with the rule
// and its reason, which `ccdir explain` prints. All times are in times.go, with their
// reasons; waits.go has the kinds of waiting.
//
// Requests is the table of the permission requests that are held; what evidence ends them is in
// retire.go. TurnFacts is what a task has to know of its turn.
//
// The package is pure: no clock, no I/O, no goroutines. Equal evidence in equal order
// gives an equal Fold. A Fold is a value (Requests is not): Apply never changes the old one,
// and its slices and maps are copied before they are changed. It is saved as JSON with the
// session, so names of JSON fields and of evidence stay as they are.
package state
