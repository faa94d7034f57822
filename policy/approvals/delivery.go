package approvals

import (
	"slices"
	"time"
)

// deliverTime bounds the wait for a hook process to be handed its answer, which takes
// less than a millisecond.
const deliverTime = time.Second

// promise notes that somebody who waits for the decision will say when it was handed
// over; nil: nobody will.
func (b *Broker) promise(h *held, delivery <-chan struct{}) {
	if delivery == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h.deliveries = append(slices.DeleteFunc(h.deliveries, closed), delivery)
}

// delivered waits until those that waited for the decision have it.
func (b *Broker) delivered(h *held) {
	b.mu.Lock()
	list := slices.Clone(h.deliveries)
	b.mu.Unlock()
	limit := time.NewTimer(deliverTime)
	defer limit.Stop()
	for _, delivery := range list {
		select {
		case <-delivery:
		case <-limit.C:
			return
		}
	}
}

// closed reports whether the channel, on which nothing is sent, is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
