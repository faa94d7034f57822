package process

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRepeats: what repeats is one line a minute, with its number; what differs is logged.
func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		h := newRepeats(slog.NewTextHandler(&out, nil))
		log := slog.New(h)
		lines := func() int { return strings.Count(out.String(), "\n") }
		for i := range 150 { // two and a half minutes, one a second
			log.Error("cannot save events", "waiting", i, "error", errors.New("read-only"))
			if i == 0 {
				time.Sleep(time.Second / 2) // so that none is logged just when a minute ends
			}
			time.Sleep(time.Second)
		}
		if lines() != 3 || !strings.Contains(out.String(), "waiting=59 error=read-only repeated=59") {
			t.Errorf("after 150 s:\n%s", out.String())
		}
		if err := h.close(); err != nil || lines() != 4 || !strings.Contains(out.String(), "waiting=149 error=read-only repeated=30") {
			t.Errorf("%v, at the end:\n%s", err, out.String())
		}
		log.Error("cannot save events", "waiting", 1, "error", errors.New("read-only"))
		if lines() != 5 {
			t.Errorf("after the end:\n%s", out.String())
		}
	})
}

// TestRepeatsApart: other texts, attributes of With and levels are other lines; once its
// time is over, a line is logged at once.
func TestRepeatsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(newRepeats(slog.NewTextHandler(&out, nil)))
		log.Warn("a", "session", "x")
		log.Warn("a", "session", "y")
		log.With("session", "z").Warn("a")
		log.WithGroup("g").Warn("a", "session", "x")
		log.Info("a", "session", "x")
		if n := strings.Count(out.String(), "\n"); n != 5 {
			t.Errorf("%d lines:\n%s", n, out.String())
		}
		time.Sleep(repeatEvery)
		log.Warn("a", "session", "x")
		if n := strings.Count(out.String(), "\n"); n != 6 {
			t.Errorf("%d lines:\n%s", n, out.String())
		}
	})
}

// TestRepeatsBounded: with too many different lines none is held back.
func TestRepeatsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		h := newRepeats(slog.NewTextHandler(&out, nil))
		log := slog.New(h)
		for i := range 2 * maxRepeats {
			log.Warn(fmt.Sprint("line ", i))
		}
		if n := strings.Count(out.String(), "\n"); n != 2*maxRepeats || len(h.lines) > maxRepeats {
			t.Errorf("%d lines, %d remembered", n, len(h.lines))
		}
		time.Sleep(repeatEvery)
		log.Warn("new")
		if len(h.lines) != 1 {
			t.Errorf("%d remembered", len(h.lines))
		}
	})
}
