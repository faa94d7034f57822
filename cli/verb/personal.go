package verb

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"ccdir/api"
	"ccdir/client"
	"ccdir/wire/ancestry"
)

// Personal fails if this process runs inside a session, before a verb changes something by
// itself that only the person may change (what). A running daemon decides that and records
// a refusal; without one the parents of this process are searched for a host.
func (a *App) Personal(ctx context.Context, what string) error {
	c, err := a.NewClient("cli")
	if err != nil {
		return err
	}
	err = c.Personal(ctx, what)
	if err == nil || api.CodeOf(err) == api.CodeForbidden {
		return err
	}
	if !errors.Is(err, client.ErrNotRunning) {
		return err
	}
	if where, inside := ancestry.Inside(os.Getpid(), filepath.Dir(c.Paths().SessionDir("x"))); inside {
		return api.Errorf(api.CodeForbidden, "this process runs inside a session of ccdir (%s): only the person may do that (%s), from a terminal of their own", where, what)
	}
	return nil
}
