package tty

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/terminal/input"
)

// AnswerWithin is how long pending replies are waited for before another program gets the
// terminal: longer than the round trip of most lines.
const AnswerWithin = 300 * time.Millisecond

// drainBytes is the size of one read while replies are drained.
const drainBytes = 16 << 10

// Drain reads the replies in flight from the terminal: those that came after the terminal
// was given back would be typed into the shell or the editor. Nothing else may read the
// terminal meanwhile. It waits only for a terminal that has replied before, or that was
// asked just now. asks counts the status queries in frames, answers the replies. It
// returns how many to add to answers: replies that it read, and replies that are no
// longer expected.
func (t *Terminal) Drain(within time.Duration, asks, answers uint64) (more uint64) {
	in, ok := t.in.(deadlineReader)
	if !ok {
		return 0
	}
	status, background, until := t.underWay(time.Now(), within, asks, answers)
	if status == 0 && !background {
		return 0
	}
	defer func() { _ = in.f.SetReadDeadline(time.Unix(1, 0)) }() // cancelled, as before
	if in.f.SetReadDeadline(until) != nil {
		return 0
	}
	var d input.Decoder
	buf := make([]byte, drainBytes)
	for status > 0 || background {
		n, err := in.f.Read(buf)
		d.Feed(buf[:n], func(e input.Event) {
			switch ev := e.Event.(type) {
			case uv.UnknownCsiEvent:
				if input.Status(ev) {
					more++
					status = max(status, 1) - 1
				}
			case uv.BackgroundColorEvent:
				if !input.Unasked(ev) {
					t.backs.answered.Add(1)
					background = t.backs.Open()
				}
			}
		})
		if err != nil {
			break
		}
	}
	return more + status // a missing reply is waited for once
}

// underWay returns how many status replies may still come, whether the background's may,
// and until when to wait.
func (t *Terminal) underWay(now time.Time, within time.Duration, asks, answers uint64) (status uint64, background bool, until time.Time) {
	t.mu.Lock()
	asked, active := t.asked, t.active
	t.mu.Unlock()
	if !active {
		return 0, false, time.Time{}
	}
	open := asked.status + asks
	switch early := asked.at.Add(within); {
	case open <= answers:
	case now.Before(early): // it is not known yet whether it replies
		status, until = open-answers, early
	case answers > 0:
		status, until = open-answers, now.Add(within)
	}
	if late := t.backs.Asked().Add(within); t.backs.Open() && now.Before(late) {
		background = true
		if late.After(until) {
			until = late
		}
	}
	return status, background, until
}
