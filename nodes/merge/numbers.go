package merge

import (
	"ccdir/api"
)

// origin is where an event has its number from.
type origin struct {
	node string
	seq  int64
}

// maxNumbers bounds the numbers that are remembered. Older ones are computed again.
const maxNumbers = 50_000

// numbers gives the events of all machines numbers in one order. An event that was told once
// keeps its number.
type numbers struct {
	merged  map[origin]int64
	origins map[int64]origin
	last    int64
}

func newNumbers() numbers { return numbers{map[origin]int64{}, map[int64]origin{}, 0} }

// of returns the number of an event: by its time, and in the order of its machine. past: it is
// from the log, so it may be before those that were told.
func (n *numbers) of(node string, e api.Event, past bool) int64 {
	from := origin{node, e.Seq}
	if seq, ok := n.merged[from]; ok {
		return seq
	}
	seq := max(e.At.UnixMicro(), 1)*1000 + e.Seq%1000
	if !past {
		seq = max(seq, n.last+1)
	}
	for {
		if _, taken := n.origins[seq]; !taken {
			break
		}
		seq++
	}
	if len(n.merged) >= maxNumbers {
		clear(n.merged)
		clear(n.origins)
	}
	n.merged[from], n.origins[seq] = seq, from
	n.last = max(n.last, seq)
	return seq
}

// event returns a machine's event as it is shown.
func (m *Merger) event(c *machine, e api.Event, past bool) api.Event {
	e.Seq, e.Node = m.numbers.of(c.name, e, past), c.name
	if c.idOK(e.Session) {
		e.Session = c.id(e.Session)
	} else {
		e.Session = ""
	}
	return e
}

// Past returns events that were read from a machine's log as they are shown.
func (m *Merger) Past(node string, list []api.Event) []api.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.machines[node]
	if c == nil {
		return nil
	}
	out := make([]api.Event, len(list))
	for i, e := range list {
		out[i] = m.event(c, e, true)
	}
	return out
}

// Origin returns the machine of an event that was passed on, and the event's number there.
func (m *Merger) Origin(seq int64) (node string, own int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, ok := m.numbers.origins[seq]
	return from.node, from.seq, ok
}
