package daemon

import (
	"ccdir/api"
	"ccdir/policy/approvals"
)

// newApprovals makes the broker of permission requests. Its observer calls the registry,
// which is made later.
func (d *daemon) newApprovals() *approvals.Broker {
	return approvals.New(approvals.Options{Decider: d.enforcer, Lead: d.enforcer, Prepare: d.enforcer.Prepare, Ledger: requestLedger{d}, Observer: requestObserver{d}, Logger: d.log})
}

// pauseRecorded is the point (Options.Pause) after an answer is durable and before it
// takes effect.
const pauseRecorded = "recorded"

// requestLedger records the ends of requests. Row and event are two commits, the row
// first, so that every permission in effect is on record. If the daemon dies between the
// two, the answer had no effect: the hook opens the request again, under the same id, and
// its next answer is another row.
type requestLedger struct{ d *daemon }

func (l requestLedger) Record(e api.Decision) error {
	err := l.d.enforcer.Record(e)
	l.d.pause(pauseRecorded)
	return err
}

// requestObserver passes requests and their ends to the registry and to watchers.
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
