package tui

import (
	"context"
	"time"

	"ccdir/api"
)

// keepWithin bounds one call that keeps an arrangement: at the end the person waits
// for the shell meanwhile.
const keepWithin = time.Second

// gridKeeper sends arrangements to the daemon one after the other. The end of the
// grid does not cancel one that is on its way: the daemon might carry it out after
// the last one, which would then be lost. It has one slot: who puts.
type gridKeeper chan struct{}

func newGridKeeper() gridKeeper { return make(gridKeeper, 1) }

// put sends g when what was sent before is over. It is for goroutines that may block.
func (k gridKeeper) put(ctx context.Context, c interface {
	SetGrid(context.Context, api.Grid) error
}, g api.Grid) error {
	k <- struct{}{}
	defer func() { <-k }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	return c.SetGrid(ctx, g)
}
