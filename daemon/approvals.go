package daemon

import (
	"ccdir/api"
	"ccdir/policy/approvals"
)

// newApprovals makes the broker of permission requests. It tells the registry,
// which is made after it.
func (d *daemon) newApprovals() *approvals.Broker {
	return approvals.New(approvals.Options{Decider: d.enforcer, Lead: d.enforcer, Prepare: d.enforcer.Prepare, Ledger: requestLedger{d}, Observer: requestObserver{d}, Logger: d.log})
}

// pauseRecorded is the point (Options.Pause) after an answer became durable and
// before anybody acts on it.
const pauseRecorded = "recorded"

// requestLedger keeps the ends of requests. Row and event are two commits, the row
// first: what is given is on record, and a daemon that dies between the two has
// given nothing. The request is opened again then, under the same id, and its next
// answer is a row of its own.
type requestLedger struct{ d *daemon }

func (l requestLedger) Record(e api.Decision) error {
	err := l.d.enforcer.Record(e)
	l.d.pause(pauseRecorded)
	return err
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
