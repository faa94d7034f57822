// Package sandbox says what walls around a process let through: profiles as values, and plans,
// which are profiles resolved for one process to absolute paths. It is pure: it reads no file
// and knows no kernel. Package sandbox/wall puts a process behind a plan.
//
// Contract: a plan lists what is let through; whatever it does not list is not there for the
// process. What a mechanism cannot hold of a plan is named by Plan.Missing, and never passed
// over in silence.
package sandbox
