package orchestrator

import (
	"container/heap"
	"strings"
)

// readyKey groups tasks that may start under the same condition: the limits of their agent's
// accounts, what the queue may use, the machines that it may use, and in manual mode only approved tasks start.
type readyKey struct {
	classes  string // api.Task.LimitClasses, joined by NUL
	approved bool
	where    string
	labels   string // those that a hold can name, joined by NUL
	set      string // api.Task.Set, where that has a bound
}

func (c *Core) keyOf(r *Record) readyKey {
	key := readyKey{classes: strings.Join(r.LimitClasses(), "\x00"), approved: r.Approved, where: where(r)}
	for _, l := range r.Labels {
		if c.heldLabels[l] {
			key.labels += l + "\x00"
		}
	}
	if r.MaxCostAll > 0 {
		key.set = r.Set()
	}
	return key
}

// heapOf is the heap of a task, nil for none.
func (c *Core) heapOf(r *Record) *readyHeap {
	if r.State != "queued" || len(r.Unmet) > 0 || r.Hold || r.HasSlot || r.Ending {
		return nil
	}
	if !r.NotBefore.IsZero() {
		return &c.timed
	}
	key := c.keyOf(r)
	h := c.ready[key]
	if h == nil {
		h = &readyHeap{}
		c.ready[key] = h
	}
	return h
}

// readyHeap is a heap of tasks by rank, or by time.
type readyHeap struct {
	list   []*Record
	at     map[string]int
	byTime bool
}

// before is the order in which tasks start.
func before(a, b *Record) bool {
	if a.First != b.First {
		return a.First
	}
	if a.Rank != b.Rank {
		return a.Rank < b.Rank
	}
	return a.Seq < b.Seq
}

func (h *readyHeap) Len() int { return len(h.list) }
func (h *readyHeap) Less(i, j int) bool {
	a, b := h.list[i], h.list[j]
	if h.byTime && !a.NotBefore.Equal(b.NotBefore) {
		return a.NotBefore.Before(b.NotBefore)
	}
	return before(a, b)
}
func (h *readyHeap) Swap(i, j int) {
	h.list[i], h.list[j] = h.list[j], h.list[i]
	h.at[h.list[i].ID], h.at[h.list[j].ID] = i, j
}

// Push and Pop are heap.Interface's; use add and remove.
func (h *readyHeap) Push(x any) {
	r := x.(*Record)
	h.at[r.ID] = len(h.list)
	h.list = append(h.list, r)
}

// Pop is heap.Interface's.
func (h *readyHeap) Pop() any {
	r := h.list[len(h.list)-1]
	h.list[len(h.list)-1] = nil
	h.list = h.list[:len(h.list)-1]
	delete(h.at, r.ID)
	return r
}

func (h *readyHeap) add(r *Record) {
	if h.at == nil {
		h.at = map[string]int{}
	}
	heap.Push(h, r)
}

func (h *readyHeap) remove(r *Record) {
	if i, ok := h.at[r.ID]; ok {
		heap.Remove(h, i)
	}
}

// top is the first task, nil if there is none.
func (h *readyHeap) top() *Record {
	if len(h.list) == 0 {
		return nil
	}
	return h.list[0]
}
