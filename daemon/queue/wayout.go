package queue

import (
	"context"

	"ccdir/orchestrator"
)

// Staged says what became of a stage of a task's way out, and returns when that is saved.
func (q *Queue) Staged(ctx context.Context, e orchestrator.Staged) error { return q.queue.Save(ctx, e) }

// Dealt are the keys of what came back to a task.
func (q *Queue) Dealt(ctx context.Context, id string) ([]string, error) {
	return q.queue.Dealt(ctx, id)
}
