package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"ccdir/internal/proc"
	"ccdir/wire"
)

// remakeTime bounds the wait for a host to make its vanished socket again.
const remakeTime = time.Second

// remakeSockets has all hosts whose sockets vanished (something cleaned up in /tmp) make
// them again; the daemon's own connections need none. It does not wait for them.
func (r *Registry) remakeSockets() {
	for _, s := range r.all() {
		if !s.running.Load() || s.outside {
			continue
		}
		var hf wire.HostFile
		if s.do(r.ctx, func() { hf = s.host }) == nil && vanished(hf.Socket) {
			_ = proc.Signal(hf.PID, hf.Start, sigUSR1)
		}
	}
}

func vanished(socket string) bool {
	_, err := os.Lstat(socket)
	return errors.Is(err, fs.ErrNotExist)
}

// dialable sees to it that a host's socket is there for who is told of it: where one is
// gone others are. A host that does not make it in time is told of by the dial that fails.
func (r *Registry) dialable(ctx context.Context, socket string) {
	if vanished(socket) {
		r.remakeSockets()
		pollUntil(ctx, remakeTime, func() bool { return !vanished(socket) })
	}
}
