package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/internal/api"
	"ccdir/internal/paths"
)

// Names in a spool directory, as the hook process makes them.
const (
	spoolSuffix   = ".json"
	spoolOverflow = "overflow"
	// spoolUnfinished ends the name of a file that is being written, which takes
	// far less than spoolStale.
	spoolUnfinished = ".tmp"
	spoolStale      = time.Minute
	// maxSpooled bounds one spooled call, in bytes.
	maxSpooled = 24 << 20
)

// DrainSpools weighs what is in the spools of running sessions now, and
// returns when it is durable.
func (r *Registry) DrainSpools() {
	for _, s := range r.all() {
		if s.running.Load() {
			_ = s.do(r.ctx, s.drain) // a session that is gone has no spool
		}
	}
}

// drain weighs the hook calls that found no daemon, oldest first, and removes
// their files once they are durable. In the actor.
func (s *session) drain() {
	dir := filepath.Join(s.dir, paths.SpoolDir)
	entries, err := os.ReadDir(dir) // sorted; names begin with the time
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.r.log.Error("cannot read a spool", "session", s.id, "error", err)
		return
	}
	type taken struct {
		path string
		done <-chan error
	}
	var calls []taken
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), spoolUnfinished) && s.r.now().Sub(info.ModTime()) > spoolStale {
			os.Remove(filepath.Join(dir, e.Name())) // its hook process was killed
		}
		if !strings.HasSuffix(e.Name(), spoolSuffix) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		done, err := s.spooled(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // taken back by its hook, which found a daemon after all
		}
		if err != nil {
			s.r.log.Warn("a spooled hook call was refused", "session", s.id, "file", path, "error", err)
			s.r.rejectHook(s.id, "spool", err.Error())
		}
		calls = append(calls, taken{path, done})
	}
	_, overflow := os.Stat(filepath.Join(dir, spoolOverflow))
	for _, c := range calls {
		if c.done != nil {
			if err := <-c.done; err != nil {
				continue // stays, and is known by its id next time
			}
		}
		s.r.pause(PauseSpool)
		if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.r.log.Warn("cannot remove a spooled hook call", "file", c.path, "error", err)
		}
	}
	if len(calls) == 0 && overflow != nil {
		return
	}
	message := strconv.Itoa(len(calls)) + " hook calls came while no daemon ran"
	if len(calls) == 1 {
		message = "1 hook call came while no daemon ran"
	}
	if overflow == nil {
		message += "; further ones were dropped, because the spool was full"
		os.Remove(filepath.Join(dir, spoolOverflow))
	}
	s.publish(s.plain(api.EventSpoolDrained, message), false)
}

// spooled weighs one file.
func (s *session) spooled(path string) (<-chan error, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpooled {
		return nil, errors.New("it is no regular file or too large")
	}
	var call api.SpooledHook
	if err := readJSON(path, &call); err != nil {
		return nil, err
	}
	if !s.knows(call.Token) {
		return nil, errors.New("its token is not that of the session")
	}
	at, err := time.Parse(time.RFC3339Nano, call.At)
	if err != nil {
		at = info.ModTime()
	}
	h, err := s.adapter.DecodeHook(call.Hook, clampTime(at, s.r.now()), call.Payload)
	if err != nil || h.Skip {
		return nil, err
	}
	if call.Answered != "" && !s.seen.has(call.ID) {
		s.missed(h, call.Answered)
	}
	return s.hook(h, call.ID), nil
}
