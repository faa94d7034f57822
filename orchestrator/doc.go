// Package orchestrator is the queue of tasks.
//
// Contract: Core is the scheduling core. It has no clock and no goroutine and does no
// I/O: Apply takes one event with its time, changes tasks, and collects the effects to
// carry out. The same events give the same tasks. A refused event changes nothing. Undo
// reverts the events since a mark, for changes that could not be saved. Effects may be
// carried out only after the changes are saved.
//
// A task holds a slot from its start until its session has ended (or was left open with
// Keep). The slots in use never exceed the limit, except that lowering the limit ends
// nothing. A report names task and attempt; reports of earlier attempts are ignored.
//
// A core with places (WithPlaces) is that of a fleet: each attempt is given to a machine, which claims it
// before it starts it, and whose own queue does the steps. An attempt is claimed once, by that machine; an
// attempt that was given anew is not claimed any more, and its late end changes nothing.
//
// Queue is the goroutine that owns a Core. Messages that arrive while the disk is busy
// form one batch: applied, saved in one transaction, and only then published, carried
// out (Sessions) and answered. Callers block while the inbox is full. A command whose
// changes cannot be saved fails and changes nothing. A report is never lost: it is
// applied again until it is saved, and while too many are unsaved the inbox is not read.
package orchestrator
