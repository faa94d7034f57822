package daemon

import (
	"context"

	"ccdir/api"
)

// docsView is the API's view of the documentation.
type docsView struct{ d *daemon }

// Lookup implements httpapi.Docs.
func (v docsView) Lookup(ctx context.Context, q api.DocsQuestion) (api.DocsAnswer, error) {
	return v.d.docs.Lookup(ctx, q, nil)
}

// Read implements httpapi.Docs.
func (v docsView) Read(ctx context.Context, dir, id string) (api.DocsHit, error) {
	return v.d.docs.Read(ctx, dir, id, nil)
}
