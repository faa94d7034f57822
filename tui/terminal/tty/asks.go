package tty

import (
	"sync/atomic"
	"time"
)

// BackgroundAsks counts the questions for the colour of the background, and the
// answers. Safe for use by several goroutines.
type BackgroundAsks struct {
	asks, answered atomic.Uint64
	at             atomic.Int64 // of the last question
	told           atomic.Bool  // it reports by itself (mode 2031)
}

// answerLost is how long after a question no answer is expected any more.
const answerLost = 10 * time.Second

// Ask notes a question.
func (b *BackgroundAsks) Ask(now time.Time) {
	if b.Open() && now.Sub(b.Asked()) > answerLost {
		b.answered.Store(b.asks.Load())
	}
	b.asks.Add(1)
	b.at.Store(now.UnixNano())
}

// Asked is when the last question was put.
func (b *BackgroundAsks) Asked() time.Time { return time.Unix(0, b.at.Load()) }

// Open reports whether an answer may still come.
func (b *BackgroundAsks) Open() bool { return b.asks.Load() > b.answered.Load() }

// Answer notes an answer, if one may still come.
func (b *BackgroundAsks) Answer() {
	if b.Open() {
		b.answered.Add(1)
	}
}

// Answers reports whether the terminal has ever answered.
func (b *BackgroundAsks) Answers() bool { return b.answered.Load() > 0 }

// Tells notes that the terminal tells by itself when it becomes dark or light.
func (b *BackgroundAsks) Tells() { b.told.Store(true) }

// askAgainAfter is how long after a question for the background the next one is put.
const askAgainAfter = time.Second

// Due reports whether it is worth to ask again: only a terminal that has answered
// before and does not tell by itself, one question at a time.
func (b *BackgroundAsks) Due(now time.Time) bool {
	if b.told.Load() || !b.Answers() {
		return false
	}
	since := now.Sub(b.Asked())
	return since >= askAgainAfter && (!b.Open() || since > answerLost)
}
