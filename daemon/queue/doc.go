// Package queue runs tasks: it joins the scheduler (orchestrator) with sessions, store
// and journal.
//
// Contract:
//
//   - A change of the queue is in the store before a session is touched or anybody sees
//     it. Effects are idempotent by task, attempt and step, so that the next daemon
//     repeats those that a killed one may not have finished. A prompt's delivery has the
//     same id in every repetition.
//   - Each step of a task becomes exactly one event, also across a kill (steps.go).
//   - Each session of a task has one follower, which derives its reports from the
//     session's record alone: followers before and after a restart report the same.
//   - Calls block for the store; the scheduler is one goroutine.
package queue
