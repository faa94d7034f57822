package tty

import "time"

// A link like SSH buffers megabytes between us and the terminal: without a
// bound a key's echo would wait behind all that was written before it. So the
// frames carry a question that every terminal answers when it has got so far (DSR,
// ECMA-48), and what is written beyond the last answer is bounded. Frames that a person waits for are not held up, and frames that are
// held are not queued: what is written later is newer.
const (
	// probeEvery is how many bytes go out from one question to the next: a key's
	// echo asks nothing.
	probeEvery = 2 << 10
	// The bound grows while answers come as quickly as on an empty link and
	// shrinks when they take queueing longer, or a quarter where the way is long.
	leastUnderWay = 4 << 10
	firstUnderWay = 16 << 10
	mostUnderWay  = 1 << 20
	queueing      = 50 * time.Millisecond
	// noAnswer is after how long the terminal counts as one that doesn't answer, beside
	// what the slowest line takes for what is under way: slowest bytes a second. What
	// nobody waits for is held up for mostSilence at most.
	noAnswer    = 5 * time.Second
	slowest     = 1 << 10
	mostSilence = 30 * time.Second
	// baseFor is how long the shortest answer time is believed.
	baseFor = 10 * time.Second
)

// Pipe bounds what is under way to the terminal. The painter owns it. The zero
// value bounds nothing until answers says that the terminal answers.
type Pipe struct {
	// answers: the terminal has answered the first question.
	answers bool
	// answered counts the answers that were taken into account.
	answered uint64
	asked    []question // without an answer, oldest first
	total    uint64     // bytes written
	acked    uint64     // of these, certainly shown
	bound    uint64
	base     time.Duration // the shortest answer time lately
	baseAt   time.Time
	held     bool // the bound held a frame up since the last answer
}

// question is one that is under way: what was written when it was, and how much of
// that was under way.
type question struct {
	at           time.Time
	total, under uint64
}

// Ask reports whether the frame that is about to be written should carry a
// question.
func (p *Pipe) Ask(frame int) bool {
	last := p.acked
	if n := len(p.asked); n > 0 {
		last = p.asked[n-1].total
	}
	return p.answers && p.total+uint64(frame)-last >= probeEvery
}

// Wrote takes note of a frame, with a question at its end or not.
func (p *Pipe) Wrote(now time.Time, n int, asked bool) {
	p.total += uint64(n)
	if asked {
		p.asked = append(p.asked, question{now, p.total, p.total - p.acked})
	}
}

// Take learns from the answers that came: n is how many there were since the
// grid began.
func (p *Pipe) Take(now time.Time, n uint64) {
	if n == 0 {
		return
	}
	if !p.answers { // the first one, to what entering the terminal asked
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

// learn adapts the bound to one answer's time. It grows by the answers to what filled it:
// those before had not as much in front of them.
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

// Full reports whether a frame that nobody waits for has to wait, and until when
// at the latest.
func (p *Pipe) Full(now time.Time) (wait time.Duration, full bool) {
	if !p.answers || len(p.asked) == 0 || p.total-p.acked < p.bound {
		return 0, false
	}
	wait = min(noAnswer+time.Duration(p.asked[0].total-p.acked)*time.Second/slowest, mostSilence) - now.Sub(p.asked[0].at)
	if wait <= 0 {
		// It answers no more (another terminal behind tmux or ssh, perhaps). The
		// next answer, to whatever question, starts anew.
		p.answers, p.asked = false, p.asked[:0]
		return 0, false
	}
	p.held = true
	return wait, true
}
