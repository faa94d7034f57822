package intake

import (
	"context"
	"fmt"
)

// PausePulled is the point at which it is recorded that an issue's pull request will be said there.
const PausePulled = "watch-pulled"

// Pulled says at the issue that became a task which pull request is made of it: at most once, and nothing for other tasks.
func (w *Watches) Pulled(ctx context.Context, task, url string) {
	key, rec := w.takenAs(task)
	c, err := w.find(rec.Watch)
	if key == "" || rec.Pulled || url == "" || err != nil {
		return
	}
	rec.Pulled = true
	if err := w.save(key, rec); err != nil {
		w.o.Logger.Warn("a pull request is not said at its issue", "watch", c.Name, "issue", rec.Item.ID, "error", err)
		return
	}
	w.o.Pause(PausePulled)
	within, cancel := context.WithTimeout(ctx, trackerTime)
	defer cancel()
	t, err := w.tracker(within, c)
	if err == nil {
		err = t.taken(within, rec.Item, "A pull request is made of it: "+url)
	}
	if err != nil {
		w.tell(fmt.Sprintf("%s could not say at issue %s which pull request is made of it: %s", c.Name, rec.Item.ID, err), rec.value())
	}
}

// takenAs is the issue that became a task; key is "" if none did.
func (w *Watches) takenAs(task string) (key string, rec taken) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, rec := range w.taken {
		if rec.Task == task {
			return key, *rec
		}
	}
	return "", taken{}
}
