package tui

import (
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ccdir/tui/input"
)

// answerWithin is how long answers of the terminal are waited for before somebody
// else gets it: longer than they take on most lines.
const answerWithin = 300 * time.Millisecond

// drain takes the answers that are under way from the terminal: what comes after it
// was given back would be typed into the shell or the editor. Nothing else reads the
// terminal meanwhile. It waits for a terminal that has answered before, and for one
// that was asked just now.
func (g *ui) drain(within time.Duration) {
	in, ok := g.term.in.(deadlineReader)
	if !ok {
		return
	}
	sync, background, until := g.underWay(time.Now(), within)
	if sync == 0 && !background {
		return
	}
	defer func() { _ = in.f.SetReadDeadline(time.Unix(1, 0)) }() // as it was: cancelled
	if in.f.SetReadDeadline(until) != nil {
		return
	}
	var d input.Decoder
	buf := make([]byte, readBytes)
	for sync > 0 || background {
		n, err := in.f.Read(buf)
		d.Feed(buf[:n], func(e input.Event) {
			switch ev := e.Event.(type) {
			case uv.ModeReportEvent:
				if ev.Mode == ansi.ModeSynchronizedOutput {
					g.painter.answers.Add(1)
					sync = max(sync, 1) - 1
				}
			case uv.BackgroundColorEvent:
				if !input.Unasked(ev) {
					g.term.backs.answered.Add(1)
					background = g.term.backs.open()
				}
			}
		})
		if err != nil {
			break
		}
	}
	g.painter.answers.Add(sync) // these won't come any more: they are waited for once
}

// underWay tells how many answers about mode 2026 and whether the one about the
// background may still come, and until when.
func (g *ui) underWay(now time.Time, within time.Duration) (sync uint64, background bool, until time.Time) {
	g.term.mu.Lock()
	asked, active := g.term.asked, g.term.active
	g.term.mu.Unlock()
	if !active {
		return 0, false, time.Time{}
	}
	answered := g.painter.answers.Load()
	open := asked.sync + g.painter.asks.Load()
	switch early := asked.at.Add(within); {
	case open <= answered:
	case now.Before(early): // nobody knows yet whether it answers
		sync, until = open-answered, early
	case answered > 0:
		sync, until = open-answered, now.Add(within)
	}
	if late := g.term.backs.asked().Add(within); g.term.backs.open() && now.Before(late) {
		background = true
		if late.After(until) {
			until = late
		}
	}
	return sync, background, until
}
