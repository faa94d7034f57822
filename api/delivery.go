package api

import (
	"context"
	"sync"
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
