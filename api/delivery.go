package api

import (
	"context"
	"sync"
	"time"
)

// deliveryKey is the key of a context's delivery.
type deliveryKey struct{}

// WithDelivery returns a context for a call whose answer is handed over after the call
// has returned. The caller calls delivered when that has happened, or when nobody waits
// for the answer any longer; further calls do nothing.
func WithDelivery(ctx context.Context) (with context.Context, delivered func()) {
	ch := make(chan struct{})
	return context.WithValue(ctx, deliveryKey{}, ch), sync.OnceFunc(func() { close(ch) })
}

// Delivery returns a channel that is closed when the answer to the call was handed over;
// nil if the caller does not report that.
func Delivery(ctx context.Context) <-chan struct{} {
	ch, _ := ctx.Value(deliveryKey{}).(chan struct{})
	return ch
}

// PendingPrompt is a prompt that ccdir keeps until its session can take it: one element of GET
// /v1/pending.
type PendingPrompt struct {
	// ID is "p" and a number; later prompts have greater numbers.
	ID string `json:"id"`
	// Session is the session's id, Name its name when the prompt was made.
	Session string `json:"session"`
	Name    string `json:"name,omitempty"`
	Text    string `json:"text"`
	// State is pending, delivered or failed.
	State PendingState `json:"state"`
	// Typing: the prompt is being typed, so it can no longer be changed or cancelled.
	Typing bool `json:"typing,omitempty"`
	// At is when the prompt was made, Ended when it was delivered or failed (zero while it is
	// pending).
	At    time.Time `json:"at"`
	Ended time.Time `json:"ended,omitzero"`
	// Reason is why it failed, in one line; "" if it did not.
	Reason string `json:"reason,omitempty"`
}

// PendingState is how far a pending prompt came.
type PendingState string

// The states of a pending prompt.
const (
	PendingWaits     PendingState = "pending"
	PendingDelivered PendingState = "delivered"
	PendingFailed    PendingState = "failed"
)

// NewPending is the body of POST /v1/sessions/ID/pending, and of POST /v1/pending/ID/edit.
type NewPending struct {
	Text string `json:"text"`
	// Request makes the call idempotent; it never comes over the wire.
	Request string `json:"-"`
}
