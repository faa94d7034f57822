// Package intake is where work comes in by itself: schedules.
//
// Contract: a schedule is on disk before Add returns. A due time is dealt with once: before a task
// is added, or a prompt kept, the record says that it will be (the claim), and what is added has a
// key made of schedule and due time, by which the queue finds it when the daemon died in between.
// Due times at which no daemon ran are told, and made up for by one run or skipped. Every run, and
// every due time without one, is an event (api.EventSchedule).
//
// One mutex covers the records, also while a task is added: calls wait for that.
package intake
