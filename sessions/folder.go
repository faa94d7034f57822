package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"ccdir/agents"
	"ccdir/api"
)

// folderLook is the pause between two looks whether a session's folder is there. Moving a folder
// above it sends no event.
const folderLook = 2 * time.Second

// watchFolder says when the folder is gone in which the agent starts its hooks, and when it is back,
// until ctx ends. It runs in a goroutine of its own: a look at a file system that is away may take
// for ever.
func (s *session) watchFolder(ctx context.Context) {
	if _, ok := s.adapter.(agents.FolderBound); !ok {
		return
	}
	var dir string
	if s.do(ctx, func() { dir = s.spec.CWD }) != nil {
		return
	}
	tick := s.r.o.Alarms.NewTicker(folderLook)
	defer tick.Stop()
	for {
		why := ""
		if noFolder(dir) {
			why = "its folder " + agents.Visible(dir, agents.MaxField) + " is gone: the agent's hooks do not run, so no policy holds and its state is known from the screen alone"
		}
		if s.do(ctx, func() { s.setUnguarded(why) }) != nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// setUnguarded publishes why no policy holds, "" that one can hold again; in the actor.
func (s *session) setUnguarded(why string) {
	if why == s.cur.Unguarded {
		return
	}
	s.cur.Unguarded = why
	message := why
	if why == "" {
		message = "its folder is there: the agent's hooks run again, and the policy holds"
	}
	s.publish(s.plain(api.EventSessionPolicy, message), true)
}

// noFolder reports whether there is certainly no directory at the path.
func noFolder(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir()
}
