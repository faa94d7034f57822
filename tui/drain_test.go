package tui

import (
	"os"
	"testing"
	"time"

	"ccdir/tui/paint"
)

// drainable is a grid that has a terminal, which is the write end of a pipe.
func drainable(t *testing.T, askedAgo time.Duration, answers, asks uint64) (*ui, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	term := &terminal{in: deadlineReader{r}, active: true, askBG: true, asked: firstAsk{1, time.Now().Add(-askedAgo)}}
	term.backs.ask(term.asked.at)
	p := newPainter(nil, paint.Caps{}, &router{})
	p.answers.Store(answers)
	p.asks.Store(asks)
	return &ui{term: term, painter: p}, w
}

// nextReader is what the next reader of the terminal gets.
func nextReader(t *testing.T, g *ui, w *os.File) string {
	t.Helper()
	if _, err := w.WriteString("typed"); err != nil {
		t.Fatal(err)
	}
	if err := g.term.reread(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, err := g.term.in.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

// TestDrain: answers that are under way when the terminal is given back reach
// nobody else; where none is to come nothing is read.
func TestDrain(t *testing.T) {
	const sync, background = "\x1b[?2026;2$y", "\x1b]11;rgb:0/0/0\x1b\\"
	for name, tt := range map[string]struct {
		ago           time.Duration
		answers, asks uint64
		comes         []string
		want          string
	}{
		"one of a frame":         {time.Hour, 1, 1, []string{sync}, "typed"},
		"two, one after another": {time.Hour, 3, 4, []string{sync[:5], sync[5:] + sync}, "typed"},
		"all were answered":      {time.Hour, 2, 1, []string{"keys"}, "keystyped"},
		"it never answers":       {time.Hour, 0, 0, []string{"keys"}, "keystyped"},
		"asked on focus":         {-time.Hour, 1, 0, []string{background}, "typed"},
		"a report is no answer":  {-time.Hour, 1, 0, []string{"\x1b[?997;1n", background}, "typed"},
		"just begun":             {-time.Hour, 0, 0, []string{sync, background}, "typed"},
	} {
		t.Run(name, func(t *testing.T) {
			g, w := drainable(t, tt.ago, tt.answers, tt.asks)
			for _, piece := range tt.comes {
				_, _ = w.WriteString(piece)
			}
			g.drain(time.Minute)
			if got := nextReader(t, g, w); got != tt.want {
				t.Errorf("the next reader gets %q, want %q", got, tt.want)
			}
		})
	}
}

// TestDrainGivesUp: an answer that does not come is waited for once.
func TestDrainGivesUp(t *testing.T) {
	g, _ := drainable(t, time.Hour, 1, 1)
	g.drain(time.Millisecond)
	if sync, background, _ := g.underWay(time.Now(), time.Minute); sync != 0 || background {
		t.Errorf("still waited for: %d, %v", sync, background)
	}
}
