package daemon

import (
	"ccdir/internal/api"
	"ccdir/internal/approvals"
)

// newApprovals makes the broker of permission requests. It tells the registry,
// which is made after it.
func (d *daemon) newApprovals() *approvals.Broker {
	return approvals.New(approvals.Options{Decider: d.gate, Lead: d.gate, Prepare: d.gate.Prepare, Ledger: d.gate, Observer: requestObserver{d}, Logger: d.log})
}

// requestObserver passes on what becomes of requests: to the registry, and to
// those that watch.
type requestObserver struct{ d *daemon }

func (o requestObserver) RequestOpened(r api.Request) {
	o.d.registry.RequestOpened(r)
	if len(r.Input) > api.MaxWatchInput {
		r.Input = nil
	}
	o.d.events.Append(api.WatchMessage{Request: &r}, nil, "")
}

func (o requestObserver) RequestEnded(e api.Decision) {
	o.d.registry.RequestEnded(e)
	e.Request.Input = nil
	o.d.events.Append(api.WatchMessage{RequestEnded: &e}, nil, "")
}
