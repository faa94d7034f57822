package daemon

import (
	"context"
	"time"

	"ccdir/api"
)

// usageView is the API's view of limits and sums.
type usageView struct{ d *daemon }

// Windows implements httpapi.Usage.
func (v usageView) Windows() []api.UsageWindow { return v.d.limits.Windows() }

// Rows implements httpapi.Usage.
func (v usageView) Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error) {
	if v.d.sums == nil {
		return nil, nil
	}
	return v.d.sums.Rows(ctx, by, since)
}

// sums knows what sessions and tasks have used.
type sums interface {
	// Rows are sorted as people read them; by "" is api.UsageByDay.
	Rows(ctx context.Context, by api.UsageBy, since time.Time) ([]api.UsageRow, error)
}
