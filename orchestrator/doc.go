// Package orchestrator is the queue of tasks.
//
// Contract: Core is the scheduling core. It has no clock, no goroutine and does
// no I/O: each call of Apply takes one event with its time, changes tasks, and
// returns what has to be done (effects). The same events give the same tasks.
// A refused event changes nothing. Undo takes the last events back, for when
// their changes could not be saved. Effects may be carried out only after the
// changes were saved.
//
// A task holds a slot from its start until its session has ended (or was left
// open with Keep); slots in use never exceed the limit, except that a limit set
// below the number in use ends nothing. Reports carry task and attempt: those
// of an earlier attempt are ignored.
//
// Queue is the goroutine that owns a Core. What gathered while the disk was busy is
// one batch: applied, saved in one transaction, and only then published, carried
// out (Sessions) and answered. Callers wait while its inbox is full. A call whose
// changes cannot be saved fails and changes nothing; a report is kept and saved
// later, and the inbox is read no further while too many wait for that.
package orchestrator
