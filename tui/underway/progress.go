package underway

import (
	"cmp"
	"fmt"
	"time"

	"ccdir/internal/cells"
	"ccdir/tui/paint"
	"ccdir/tui/ui"
	"ccdir/tui/widget/format"
	"ccdir/tui/widget/modal"
	"ccdir/tui/widget/sgr"
	"ccdir/tui/widget/theme"
)

// Item is one thing under way that can be cancelled, for people; Far is how far it is.
type Item struct {
	ID        string
	Text, Far string
	Cancel    func()
}

// Items are the batches and calls under way that a person began.
func (w *Work) Items(now time.Time) (all []Item) {
	for _, b := range w.batches {
		all = append(all, Item{fmt.Sprint("batch ", b.id), b.What + " " + format.Plural(len(b.Steps), b.Noun, b.Noun+"s"), fmt.Sprintf("%d/%d", b.done, len(b.Steps)), b.cancel})
	}
	for _, c := range w.calls {
		all = append(all, Item{fmt.Sprint("call ", c.id), c.what, fmt.Sprintf("%ds", now.Sub(c.began)/time.Second), c.Cancel})
	}
	return all
}

// Busy reports whether there is any of them.
func (w *Work) Busy() bool { return len(w.batches)+len(w.calls) > 0 }

// Step is how long until what is shown of it changes; very long for never.
func (w *Work) Step(now time.Time) time.Duration {
	next := time.Duration(1<<63 - 1)
	for _, c := range w.calls {
		age := now.Sub(c.began)
		next = min(next, max(Slow, age.Truncate(time.Second)+time.Second)-age)
	}
	return next
}

// Progress shows a batch in the status line, or something of which nobody knows how far it is:
// its total is 0.
type Progress struct {
	What        string
	Done, Total int
	Unit        string // of both numbers, "" for things
	More        int    // other things under way
	Cancel      string // the key that cancels it, "" for none
	Effect      string // the key's effect in words; "" is "cancels"
}

// Progress shows the oldest batch, or the oldest call that takes long, else paste, with the
// key that cancels it; nil if there is none.
func (w *Work) Progress(now time.Time, paste *Progress, key string) *Progress {
	slow := w.slowCall(now, key)
	switch {
	case slow == nil:
		slow = paste
	case paste != nil:
		slow.More += 1 + paste.More
	}
	if len(w.batches) == 0 {
		return slow
	}
	b := w.batches[0]
	p := &Progress{What: b.What, Done: b.done, Total: len(b.Steps), More: len(w.batches) - 1, Cancel: key}
	if b.cancelled {
		p.What, p.Effect = fmt.Sprintf("cancelled, %d still under way:", b.begun-b.done)+" "+b.What, "leaves them"
	}
	if slow != nil {
		p.More += 1 + slow.More
	}
	return p
}

// slowCall shows the oldest call that takes long, nil if none does.
func (w *Work) slowCall(now time.Time, key string) (p *Progress) {
	for _, c := range w.calls {
		switch {
		case now.Sub(c.began) < Slow:
		case p == nil:
			p = &Progress{What: fmt.Sprintf("%s… %ds", c.what, now.Sub(c.began)/time.Second), Cancel: key}
		default:
			p.More++
		}
	}
	return p
}

// barWidth is the width of the bar.
const barWidth = 20

// Draw shows the progress in w columns and returns how many it took.
func (p *Progress) Draw(env ui.Env, s *paint.Surface, x, y, w int) int {
	t := env.Theme
	from, end := x, x+w
	put := func(text string, st cells.Style) {
		if x < end {
			x += s.Text(x, y, end-x, paint.Cut(text, end-x), st)
		}
	}
	if p.Total == 0 {
		put(p.What+" ", theme.Bold(t.Accent))
	} else {
		put(fmt.Sprintf("%s %d/%d%s ", p.What, p.Done, p.Total, p.Unit), theme.Bold(t.Accent))
	}
	if width := min(barWidth, w/3); width >= 4 && p.Total > 0 {
		x += sgr.Draw(s, x, y, min(width, end-x), modal.ProgressBar(t, p.Done, p.Total, width)) + 1
	}
	if p.More > 0 {
		put(fmt.Sprintf("and %d more ", p.More), theme.Bold(t.Accent))
	}
	if p.Cancel != "" {
		put(p.Cancel+" "+cmp.Or(p.Effect, "cancels")+" ", theme.FG(t.Dim))
	}
	return x - from
}
