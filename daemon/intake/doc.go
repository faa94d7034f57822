// Package intake is where work comes in by itself, and what goes on from events: schedules, watches
// (issues that become tasks), and reactions (commands that events start).
//
// Contract: a schedule is on disk before Add returns. A due time is dealt with once: before a task
// is added, or a prompt kept, the record says that it will be (the claim), and what is added has a
// key made of schedule and due time, by which the queue finds it when the daemon died in between.
// Due times at which no daemon ran are told, and made up for by one run or skipped. Every run, and
// every due time without one, is an event (api.EventSchedule).
//
// An event starts the command of a reaction at most once; commands begin in the order of the log, and
// may overlap. Before one begins it is recorded that it was started. Events while no daemon ran the command start it later, up to
// ten minutes late. Its processes may call nothing of ccdir's, and end after its time; at most four
// commands run at once, and the log keeps what happens meanwhile. A failure is told once, until a
// run has succeeded (api.EventReactionFailed).
//
// An issue that a watch finds becomes one task: before that it is recorded, with its text, and the
// task has a key made of watch and issue, by which the queue finds it when the daemon died in between.
// At the issue it is said once at most. What people wrote is text between marks in the prompt.
//
// One mutex covers the records of schedules, also while a task is added: calls wait for that.
package intake
