package idle

import (
	"context"
	"errors"

	"ccdir/api"
)

// endBeside ends the scratch shells of sessions that were removed, if nothing runs in them,
// until ctx ends. Other tools of theirs stand for themselves from then on.
func (k *Keeper) endBeside(ctx context.Context) {
	w := k.o.Journal.Watch()
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
			for _, s := range k.o.Journal.Sessions() {
				if b := s.Beside; b != nil && b.Floating && s.Plain == api.PlainShell && !s.State.Ended() {
					k.endIdleShell(ctx, s)
				}
			}
		}
	}
}

// endIdleShell ends a shell whose session was removed, if the shell has no process below it.
func (k *Keeper) endIdleShell(ctx context.Context, s api.Session) {
	if _, there := k.o.Journal.Session(s.Beside.Session); there {
		return
	}
	if use, err := k.o.Processes(ctx, s.ID); err != nil || use.Processes != 1 {
		return
	}
	if _, err := k.o.Sessions.Kill(ctx, s.ID, api.Kill{}); err != nil && !errors.Is(err, context.Canceled) {
		k.o.Logger.Warn("the shell beside a removed session does not end", "session", s.ID, "error", err)
	}
}
