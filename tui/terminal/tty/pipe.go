package tty

import "time"

// A link such as SSH buffers megabytes on the way to the terminal: without a bound, a key's
// echo would wait behind all of them. So frames carry a query to which every terminal
// replies when it gets there (DSR, ECMA-48), and the bytes written since the last reply are
// bounded. Frames that a person waits for are never held up. Frames that are held up are
// not queued: the next one is newer.
const (
	// probeEvery is how many bytes go out between two queries: a key's echo carries
	// none.
	probeEvery = 2 << 10
	// The bound grows while replies come as quickly as on an empty link. It shrinks
	// when they take longer by queueing, or by a quarter of a long round trip.
	leastUnderWay = 4 << 10
	firstUnderWay = 16 << 10
	mostUnderWay  = 1 << 20
	queueing      = 50 * time.Millisecond
	// A terminal counts as one that does not reply after noAnswer, plus the time that the
	// slowest line (slowest bytes a second) needs for the bytes in flight, but after
	// mostSilence at the latest.
	noAnswer    = 5 * time.Second
	slowest     = 1 << 10
	mostSilence = 30 * time.Second
	// baseFor is how long the shortest round trip is believed.
	baseFor = 10 * time.Second
)

// Pipe bounds the bytes in flight to the terminal. The painter owns it. The zero value
// bounds nothing until the terminal has replied.
type Pipe struct {
	// answers: the terminal has replied to the first query.
	answers bool
	// answered counts the replies that were taken into account.
	answered uint64
	asked    []question    // without a reply, oldest first
	total    uint64        // bytes written
	acked    uint64        // of these, certainly shown
	bound    uint64        // most bytes in flight
	base     time.Duration // the shortest round trip lately
	baseAt   time.Time
	held     bool // the bound has held up a frame since the last reply
}

// question is a query without a reply yet: how many bytes had been written with it, and
// how many of these were in flight.
type question struct {
	at           time.Time
	total, under uint64
}

// Ask reports whether a frame of that many bytes should carry a query.
func (p *Pipe) Ask(frame int) bool {
	last := p.acked
	if n := len(p.asked); n > 0 {
		last = p.asked[n-1].total
	}
	return p.answers && p.total+uint64(frame)-last >= probeEvery
}

// Wrote counts n bytes that were written; asked: with a query at their end.
func (p *Pipe) Wrote(now time.Time, n int, asked bool) {
	p.total += uint64(n)
	if asked {
		p.asked = append(p.asked, question{now, p.total, p.total - p.acked})
	}
}

// Take learns from replies; n counts those since the grid began.
func (p *Pipe) Take(now time.Time, n uint64) {
	if n == 0 {
		return
	}
	if !p.answers { // the first one, to the query of Terminal.Enter
		p.answers, p.answered, p.acked, p.bound = true, n, p.total, firstUnderWay
		p.asked = p.asked[:0]
		return
	}
	for ; p.answered < n; p.answered++ {
		if len(p.asked) == 0 {
			continue // late, after noAnswer
		}
		q := p.asked[0]
		p.asked = append(p.asked[:0], p.asked[1:]...)
		p.acked = q.total
		p.learn(now, q)
	}
}

// learn adapts the bound to one round trip. Only replies to queries that were sent while
// the bound was full make it grow: earlier ones had less in front of them.
func (p *Pipe) learn(now time.Time, q question) {
	took := now.Sub(q.at)
	if p.base == 0 || took <= p.base || now.Sub(p.baseAt) > baseFor {
		p.base, p.baseAt = took, now
	}
	switch {
	case took > p.base+max(queueing, p.base/4):
		p.bound = max(p.bound/2, leastUnderWay)
	case p.held && q.under >= p.bound:
		p.bound = min(p.bound*2, mostUnderWay)
		p.held = false
	}
}

// Full reports whether a frame that nobody waits for has to wait, and how long at most.
func (p *Pipe) Full(now time.Time) (wait time.Duration, full bool) {
	if !p.answers || len(p.asked) == 0 || p.total-p.acked < p.bound {
		return 0, false
	}
	wait = min(noAnswer+time.Duration(p.asked[0].total-p.acked)*time.Second/slowest, mostSilence) - now.Sub(p.asked[0].at)
	if wait <= 0 {
		// It no longer replies (another terminal behind tmux or ssh, perhaps). The
		// next reply, to any query, starts anew.
		p.answers, p.asked = false, p.asked[:0]
		return 0, false
	}
	p.held = true
	return wait, true
}
