package tty

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"ccdir/tui/terminal/input"
)

// AnswerWithin is how long answers of the terminal are waited for before somebody
// else gets it: longer than they take on most lines.
const AnswerWithin = 300 * time.Millisecond

// drainBytes is how much is read at once while answers are taken.
const drainBytes = 16 << 10

// Drain takes the answers that are under way from the terminal: what comes after it
// was given back would be typed into the shell or the editor. Nothing else reads the
// terminal meanwhile. It waits for a terminal that has answered before, and for one
// that was asked just now. asks and answers are how often frames asked for the
// status and how many answers came; what it returns is to be added to these: the
// answers that came now, and those that won't come any more.
func (t *Terminal) Drain(within time.Duration, asks, answers uint64) (more uint64) {
	in, ok := t.in.(deadlineReader)
	if !ok {
		return 0
	}
	status, background, until := t.underWay(time.Now(), within, asks, answers)
	if status == 0 && !background {
		return 0
	}
	defer func() { _ = in.f.SetReadDeadline(time.Unix(1, 0)) }() // as it was: cancelled
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
	return more + status // what does not come any more is waited for once
}

// underWay tells how many answers about the status and whether the one about the
// background may still come, and until when.
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
	case now.Before(early): // nobody knows yet whether it answers
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
