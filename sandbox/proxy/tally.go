package proxy

import (
	"sync"
	"time"
)

// tally counts what was refused, so that a process that tries without end is told of seldom.
type tally struct {
	report func(host string, count int)

	mu    sync.Mutex
	known map[string]*refusals
}

// refusals are those of one host.
type refusals struct {
	told  time.Time
	since int // not told yet
}

const (
	tellPause = time.Minute
	// maxTold is how many hosts are told by their names; the others are told together.
	maxTold = 64
	// Others stands for them.
	Others = "other hosts"
)

// add counts one, and tells it if it is time.
func (t *tally) add(host string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.known[host]
	if r == nil && len(t.known) >= maxTold {
		host = Others
		r = t.known[host]
	}
	if r == nil {
		if r = (&refusals{}); t.known == nil {
			t.known = map[string]*refusals{}
		}
		t.known[host] = r
	}
	r.since++
	if now := time.Now(); now.Sub(r.told) >= tellPause {
		t.tell(host, r, now)
	}
}

func (t *tally) tell(host string, r *refusals, now time.Time) {
	if t.report != nil && r.since > 0 {
		t.report(host, r.since)
	}
	r.told, r.since = now, 0
}

// flush tells what is left.
func (t *tally) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for host, r := range t.known {
		t.tell(host, r, time.Now())
	}
}
