package realcli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ccdir/api"
)

// Entry is one thing that was seen of the CLI, in the vocabulary of the fold.
type Entry struct {
	// MS is when it was seen, in milliseconds since the CLI's start.
	MS int64 `json:"ms"`
	// Evidence's At is left out of recordings.
	api.Evidence
	// Prompt and Question as the hook told them.
	Prompt   string `json:"prompt,omitempty"`
	Question string `json:"question,omitempty"`
}

// String is one line for a person.
func (e Entry) String() string {
	s := fmt.Sprintf("%6d %-8s %-20s %-24s", e.MS, e.Source, e.Name, e.Says)
	return s + fmt.Sprint(e.Fields)
}

// Timeline collects entries in the order in which they were seen. Its methods
// may be called at the same time.
type Timeline struct {
	start time.Time

	mu      sync.Mutex
	entries []Entry
	changed chan struct{} // closed and replaced at each entry
}

// NewTimeline starts one now.
func NewTimeline() *Timeline {
	return &Timeline{start: time.Now(), changed: make(chan struct{})}
}

// Add appends an entry, stamped with the time of now.
func (tl *Timeline) Add(e Entry) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if e.At.IsZero() {
		e.At = time.Now()
	}
	e.MS = e.At.Sub(tl.start).Milliseconds()
	tl.entries = append(tl.entries, e)
	close(tl.changed)
	tl.changed = make(chan struct{})
}

// Entries are all so far.
func (tl *Timeline) Entries() []Entry {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return append([]Entry(nil), tl.entries...)
}

// Await blocks until an entry at or after position from fits, and returns it
// with its position.
func (tl *Timeline) Await(ctx context.Context, from int, fits func(Entry) bool) (Entry, int, error) {
	for {
		tl.mu.Lock()
		entries, changed := tl.entries, tl.changed
		tl.mu.Unlock()
		for ; from < len(entries); from++ {
			if fits(entries[from]) {
				return entries[from], from, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Entry{}, from, ctx.Err()
		}
	}
}

// Hook fits the hook of that name.
func Hook(name string) func(Entry) bool {
	return func(e Entry) bool { return e.Source == api.SourceHook && e.Name == name }
}

// PSP fits a report of the main state by OSC 7501.
func PSP(state string) func(Entry) bool {
	return func(e Entry) bool {
		return e.Source == api.SourcePSP && e.Fields["state"] == state && e.Fields["id"] == ""
	}
}
