package tty

import (
	"testing"
	"time"
)

// wire is a simulated link: rate bytes a second, and a delay each way.
type wire struct {
	rate  int
	delay time.Duration
	free  time.Time // when what is under way has gone through
}

// send returns when the answer to a question at the end of n bytes is back.
func (l *wire) send(now time.Time, n int) time.Time {
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(n) * time.Second / time.Duration(l.rate))
	return l.free.Add(2 * l.delay)
}

// play writes frames of that size as often as the pipe lets, at most 60 a
// second, and returns what came through and the longest time that a byte took.
func play(l *wire, p *Pipe, frame int, length time.Duration) (rate int, worst time.Duration) {
	now := time.Unix(1000, 0)
	begin := now
	var answers []time.Time
	answered := uint64(1)
	p.Take(now, answered)
	for now.Sub(begin) < length {
		for len(answers) > 0 && !answers[0].After(now) {
			answers = answers[1:]
			answered++
		}
		p.Take(now, answered)
		if _, full := p.Full(now); !full {
			asks := p.Ask(frame)
			back := l.send(now, frame)
			if asks {
				answers = append(answers, back)
			}
			p.Wrote(now, frame, asks)
			if now.Sub(begin) > length/2 {
				worst = max(worst, back.Sub(now)-l.delay)
			}
		}
		now = now.Add(time.Second / 60)
	}
	return int(float64(p.acked) / length.Seconds()), worst
}

// TestPipe: a slow link carries what it can with little under way, a quick one
// is not held up, near or far.
func TestPipe(t *testing.T) {
	for _, test := range []struct {
		name  string
		line  wire
		frame int
		rate  int // at least, in bytes a second
		worst time.Duration
	}{
		{"slow", wire{rate: 250 << 10, delay: 5 * time.Millisecond}, 8 << 10, 200 << 10, 200 * time.Millisecond},
		{"very slow and far", wire{rate: 5 << 10, delay: 150 * time.Millisecond}, 2 << 10, 4 << 10, 3 * time.Second},
		{"slow and far", wire{rate: 250 << 10, delay: 150 * time.Millisecond}, 8 << 10, 120 << 10, 500 * time.Millisecond},
		{"local", wire{rate: 1 << 30, delay: 50 * time.Microsecond}, 8 << 10, 440 << 10, 30 * time.Millisecond},
		{"far", wire{rate: 100 << 20, delay: 150 * time.Millisecond}, 8 << 10, 400 << 10, 200 * time.Millisecond},
	} {
		rate, worst := play(&test.line, &Pipe{}, test.frame, 20*time.Second)
		t.Logf("%s: %d KB/s, worst %v", test.name, rate>>10, worst)
		if rate < test.rate {
			t.Errorf("%s: %d bytes a second came through, of %d", test.name, rate, test.rate)
		}
		if worst > test.worst {
			t.Errorf("%s: a frame took %v, more than %v", test.name, worst, test.worst)
		}
	}
}

// TestPipeSilent: a terminal that never answered is not asked, and one that
// answers no more holds nothing up for longer than noAnswer.
func TestPipeSilent(t *testing.T) {
	var p Pipe
	now := time.Unix(1000, 0)
	for range 100 {
		if p.Ask(1 << 20) {
			t.Fatal("a terminal of which nothing is known was asked")
		}
		p.Wrote(now, 1<<20, false)
		if _, full := p.Full(now); full {
			t.Fatal("it was held up")
		}
	}
	p.Take(now, 1)
	for i := 0; ; i++ {
		wait, full := p.Full(now)
		if full {
			if wait <= 0 || wait > mostSilence {
				t.Fatalf("waits %v", wait)
			}
			now = now.Add(wait)
			break
		}
		if i > 1000 {
			t.Fatal("nothing bounds what is under way")
		}
		p.Wrote(now, 8<<10, p.Ask(8<<10))
	}
	if _, full := p.Full(now); full || p.Ask(1<<20) {
		t.Error("a terminal that answers no more is still waited for")
	}
	p.Take(now, 2)
	if !p.Ask(1 << 20) {
		t.Error("an answer does not begin anew")
	}
}
