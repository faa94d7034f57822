package daemon

import (
	"context"
	"errors"

	"ccdir/api"
)

// endBeside ends the scratch shells of sessions that were removed, if nothing runs in them,
// until ctx ends. Other tools of theirs stand for themselves from then on.
func (d *daemon) endBeside(ctx context.Context) {
	w := d.events.Watch()
	defer w.Close()
	for {
		messages, err := w.Next(ctx)
		if err != nil {
			return
		}
		for _, m := range messages {
			if m.Removed == "" && m.Snapshot == nil {
				continue
			}
			for _, s := range d.events.Sessions() {
				if b := s.Beside; b != nil && b.Floating && s.Plain == api.PlainShell && !s.State.Ended() {
					d.endIdleShell(ctx, s)
				}
			}
		}
	}
}

// endIdleShell ends a shell whose session was removed, if the shell has no process below it.
func (d *daemon) endIdleShell(ctx context.Context, s api.Session) {
	if _, there := d.events.Session(s.Beside.Session); there {
		return
	}
	if use, err := d.processUse(ctx, s.ID); err != nil || use.Processes != 1 {
		return
	}
	if _, err := d.registry.Kill(ctx, s.ID, api.Kill{}); err != nil && !errors.Is(err, context.Canceled) {
		d.log.Warn("the shell beside a removed session does not end", "session", s.ID, "error", err)
	}
}
