package api

import (
	"context"
	"sync"
)

// deliveryKey is the key of a context's delivery.
type deliveryKey struct{}

// WithDelivery returns a context for a call whose answer has to be handed over after
// the call has returned, and the function that says that it was, or that nobody wants it
// any more. The function may be called more than once.
func WithDelivery(ctx context.Context) (with context.Context, delivered func()) {
	ch := make(chan struct{})
	return context.WithValue(ctx, deliveryKey{}, ch), sync.OnceFunc(func() { close(ch) })
}

// Delivery is closed when the answer to the call of that context was handed over; nil
// if nobody will say so.
func Delivery(ctx context.Context) <-chan struct{} {
	ch, _ := ctx.Value(deliveryKey{}).(chan struct{})
	return ch
}
