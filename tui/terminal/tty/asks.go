package tty

import (
	"sync/atomic"
	"time"
)

// BackgroundAsks counts the queries for the background colour, and the replies. Safe for
// use by several goroutines.
type BackgroundAsks struct {
	asks, answered atomic.Uint64
	at             atomic.Int64 // time of the last query, in Unix nanoseconds
	told           atomic.Bool  // the terminal reports changes unasked (mode 2031)
}

// answerLost is how long after a query no reply is expected any more.
const answerLost = 10 * time.Second

// Ask counts a query.
func (b *BackgroundAsks) Ask(now time.Time) {
	if b.Open() && now.Sub(b.Asked()) > answerLost {
		b.answered.Store(b.asks.Load())
	}
	b.asks.Add(1)
	b.at.Store(now.UnixNano())
}

// Asked is the time of the last query.
func (b *BackgroundAsks) Asked() time.Time { return time.Unix(0, b.at.Load()) }

// Open reports whether a reply may still come.
func (b *BackgroundAsks) Open() bool { return b.asks.Load() > b.answered.Load() }

// Answer counts a reply, if one may still come.
func (b *BackgroundAsks) Answer() {
	if b.Open() {
		b.answered.Add(1)
	}
}

// Answers reports whether the terminal has ever replied.
func (b *BackgroundAsks) Answers() bool { return b.answered.Load() > 0 }

// Tells records that the terminal reports by itself when it becomes dark or light.
func (b *BackgroundAsks) Tells() { b.told.Store(true) }

// askAgainAfter is the shortest time between two queries.
const askAgainAfter = time.Second

// Due reports whether another query makes sense: the terminal has replied before, does
// not report changes by itself, and owes no reply.
func (b *BackgroundAsks) Due(now time.Time) bool {
	if b.told.Load() || !b.Answers() {
		return false
	}
	since := now.Sub(b.Asked())
	return since >= askAgainAfter && (!b.Open() || since > answerLost)
}
