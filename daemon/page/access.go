package page

import (
	"context"
	"net/http"
	"time"

	"ccdir/api"
	"ccdir/daemon/callers"
	"ccdir/daemon/httpapi/access"
)

// callRate bounds the calls of paired devices together, per second.
const callRate = 50

// pageAccess implements web.Access.
type pageAccess struct {
	callers *callers.Callers
	rates   access.Rates
}

func (a *pageAccess) Admit(h http.Header, known bool) error {
	if err := a.rates.Admit(h, known, callRate, time.Now()); err != nil {
		return err
	}
	return nil
}

func (a *pageAccess) Caller(ctx context.Context, looks bool) (api.Origin, error) {
	if err := access.OtherUser(ctx); err != nil {
		return api.Origin{}, err
	}
	if looks {
		return access.OriginAtFirst(ctx, a.callers)
	}
	return access.OriginOf(ctx, a.callers)
}

func (a *pageAccess) Known(ctx context.Context) error {
	if err := access.Authenticated(ctx); err != nil {
		return err
	}
	return nil
}

func (a *pageAccess) Dismiss(w http.ResponseWriter) { access.Dismiss(w) }
