package daemon

import (
	"ccdir/internal/api"
	"ccdir/internal/approvals"
)

// newApprovals makes the broker of permission requests. It tells the registry,
// which is made after it.
func (d *daemon) newApprovals() *approvals.Broker {
	return approvals.New(approvals.Options{Observer: requestObserver{d}, Logger: d.log})
}

// requestObserver passes on what becomes of requests.
type requestObserver struct{ d *daemon }

func (o requestObserver) RequestOpened(r api.Request) { o.d.registry.RequestOpened(r) }
func (o requestObserver) RequestEnded(e api.Decision) { o.d.registry.RequestEnded(e) }
