package approvals

import (
	"slices"
	"time"
)

// deliverTime bounds the wait for a hook process to take its answer, which usually takes less
// than a millisecond.
const deliverTime = time.Second

// promise registers a channel that is closed when a waiting hook process has the decision.
// Nil is ignored.
func (b *Broker) promise(h *held, delivery <-chan struct{}) {
	if delivery == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	h.deliveries = append(slices.DeleteFunc(h.deliveries, closed), delivery)
}

// delivered waits until the waiting hook processes have the decision.
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

// closed reports whether a channel without values is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
