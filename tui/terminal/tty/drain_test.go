package tty

import (
	"os"
	"testing"
	"time"
)

// drainable is a terminal that was asked that long ago, and what it sends is written to.
func drainable(t *testing.T, askedAgo time.Duration) (*Terminal, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	term := &Terminal{in: deadlineReader{r}, active: true, modes: Modes{Background: true}, asked: firstAsk{1, time.Now().Add(-askedAgo)}}
	term.backs.Ask(term.asked.at)
	return term, w
}

// nextReader is what the next reader of the terminal gets.
func nextReader(t *testing.T, term *Terminal, w *os.File) string {
	t.Helper()
	if _, err := w.WriteString("typed"); err != nil {
		t.Fatal(err)
	}
	if err := term.Reread(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	n, err := term.Input().Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

// TestDrain: answers that are under way when the terminal is given back reach
// nobody else; where none is to come nothing is read.
func TestDrain(t *testing.T) {
	const status, background = "\x1b[0n", "\x1b]11;rgb:0/0/0\x1b\\"
	for name, tt := range map[string]struct {
		ago           time.Duration
		answers, asks uint64
		comes         []string
		want          string
	}{
		"one of a frame":         {time.Hour, 1, 1, []string{status}, "typed"},
		"two, one after another": {time.Hour, 3, 4, []string{status[:3], status[3:] + status}, "typed"},
		"all were answered":      {time.Hour, 2, 1, []string{"keys"}, "keystyped"},
		"it never answers":       {time.Hour, 0, 0, []string{"keys"}, "keystyped"},
		"asked on focus":         {-time.Hour, 1, 0, []string{background}, "typed"},
		"a report is no answer":  {-time.Hour, 1, 0, []string{"\x1b[?997;1n", background}, "typed"},
		"just begun":             {-time.Hour, 0, 0, []string{"\x1b[?2026;2$y", status, background}, "typed"},
	} {
		t.Run(name, func(t *testing.T) {
			term, w := drainable(t, tt.ago)
			for _, piece := range tt.comes {
				_, _ = w.WriteString(piece)
			}
			term.Drain(time.Minute, tt.asks, tt.answers)
			if got := nextReader(t, term, w); got != tt.want {
				t.Errorf("the next reader gets %q, want %q", got, tt.want)
			}
		})
	}
}

// TestDrainGivesUp: an answer that does not come is waited for once.
func TestDrainGivesUp(t *testing.T) {
	term, _ := drainable(t, time.Hour)
	answers := 1 + term.Drain(time.Millisecond, 1, 1)
	if status, background, _ := term.underWay(time.Now(), time.Minute, 1, answers); status != 0 || background {
		t.Errorf("still waited for: %d, %v", status, background)
	}
}
