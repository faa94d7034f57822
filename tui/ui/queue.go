package ui

import (
	"context"

	"ccdir/api"
)

// Queue is the part of a client that has a queue of tasks.
type Queue interface {
	TaskAdder
	// Task returns a task with everything; ref is its id.
	Task(ctx context.Context, ref string) (api.Task, error)
	StartTask(ctx context.Context, ref string) (api.Task, error)
	CancelTask(ctx context.Context, ref string) (api.Task, error)
	// EditTask changes a queued task.
	EditTask(ctx context.Context, ref string, change api.EditTask) (api.Task, error)
	// MoveTask puts a queued task before another, or last ("").
	MoveTask(ctx context.Context, ref, before string) (api.Task, error)
	// ClearTasks cancels what is queued on a machine, "" this one.
	ClearTasks(ctx context.Context, node string) ([]api.Task, error)
	// SeenTasks notes that a person has looked at tasks that have ended.
	SeenTasks(ctx context.Context, ids ...string) ([]api.Task, error)
	ChangeQueue(ctx context.Context, c api.QueueChange) (api.Queue, error)
}

// TaskAdder is the part of a client that takes tasks.
type TaskAdder interface {
	// AddTasks puts tasks into the queue, all or none.
	AddTasks(ctx context.Context, list []api.NewTask) ([]api.Task, error)
}

// QueueCall is a call of the queue. Keys may come faster than the daemon answers: such
// calls are made one after the other, each worked out from what the ones before have
// made of the queue.
type QueueCall struct {
	What string
	// Plan works the call out when its turn has come; nil is nothing to do.
	Plan func(Work) QueueRun
	// Failed says what stands before the reason if it fails; "" is What, and that it has.
	Failed string
}

// QueueRun is such a call, away from the program. It returns the tasks that it changed,
// and the queue if it changed that.
type QueueRun func(ctx context.Context, c Queue) ([]api.Task, *api.Queue, error)

func (QueueCall) effect() {}

// Queued tells the grid that a task was added: the queue opens with it chosen.
type Queued struct{ Task string }
