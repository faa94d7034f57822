package sessions

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/api"
	"ccdir/internal/disk/paths"
)

const (
	// spoolStale is how long a hook process certainly doesn't take to write a file.
	spoolStale = time.Minute
	// maxSpooled bounds one spooled call, in bytes.
	maxSpooled = 24 << 20
	// spoolLook is how often spools are looked at while the daemon runs: hooks that
	// it did not answer in time, because the machine was busy or the database
	// locked, leave their calls there. spoolSettled is how old a file must be then:
	// its hook asks once more after it has written it. More often would cost a daemon at
	// rest its sleep.
	spoolLook    = 10 * time.Second
	spoolSettled = 2 * time.Second
)

// DrainSpools weighs what is in the spools now, and returns when it is durable.
func (r *Registry) DrainSpools() {
	for _, s := range r.all() {
		if !s.outside {
			_ = s.do(r.ctx, s.drain) // a session that is gone has no spool
		}
	}
}

// followSpools takes in what hooks leave in spools while the daemon runs, until the
// registry is closed.
func (r *Registry) followSpools() {
	tick := r.o.Alarms.NewTicker(spoolLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			return
		}
		for _, s := range r.all() {
			if s.outside {
				continue
			}
			entries, err := os.ReadDir(filepath.Join(s.dir, paths.SpoolDir))
			if err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return r.settled(e, spoolSettled) }) {
				s.post(s.drainLate)
			}
		}
	}
}

// isCall reports whether a file of a spool is a call, and whole.
func isCall(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), paths.SpoolSuffix) && !strings.HasPrefix(e.Name(), ".")
}

// settled reports whether a file of a spool is a call that is so old. One of the
// future is: the clock was set.
func (r *Registry) settled(e fs.DirEntry, age time.Duration) bool {
	if !isCall(e) {
		return false
	}
	info, err := e.Info()
	return age == 0 || err == nil && r.now().Sub(info.ModTime()).Abs() >= age
}

// drain weighs the hook calls that found no daemon, oldest first, and removes
// their files once they are durable. In the actor.
func (s *session) drain() { s.drainOlder(0) }

// drainLate takes in what hooks have left in the spool while this daemon ran; in
// the actor. It costs one look at the directory if nothing was.
func (s *session) drainLate() {
	info, err := os.Stat(filepath.Join(s.dir, paths.SpoolDir))
	if err != nil || info.ModTime().Equal(s.spoolAt) {
		return
	}
	// The clock of files is coarse: what is written right after a look must not have
	// the time of before.
	old := s.r.now().Sub(info.ModTime()).Abs() > time.Second
	if s.drainOlder(spoolSettled) && old {
		s.spoolAt = info.ModTime()
	}
}

// drainOlder is drain for the calls that are so old. It reports whether there were
// no others.
func (s *session) drainOlder(age time.Duration) (all bool) {
	dir := filepath.Join(s.dir, paths.SpoolDir)
	entries, err := os.ReadDir(dir) // sorted; names begin with the time
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		s.r.log.Error("cannot read a spool", "session", s.id, "error", err)
		return false
	}
	var calls []takenCall
	fresh := 0
	all = true
	for _, e := range entries {
		s.removeStale(dir, e)
		if !s.r.settled(e, age) {
			all = all && !isCall(e)
			continue
		}
		path := filepath.Join(dir, e.Name())
		done, known, err := s.spooled(path)
		var unread *fs.PathError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // taken back by its hook, which found a daemon after all
		case errors.As(err, &unread):
			// Too many open files, for example: it stays for the next time.
			s.r.log.Warn("a spooled hook call cannot be read now", "session", s.id, "error", err)
			all = false
			continue
		case err != nil:
			s.r.log.Warn("a spooled hook call was refused", "session", s.id, "file", path, "error", err)
			s.r.rejectHook(s.id, "spool", err.Error())
		}
		if !known {
			fresh++
		}
		calls = append(calls, takenCall{path, done})
	}
	all = s.removeTaken(calls) && all
	s.tellDrained(fresh, age > 0)
	return all
}

// takenCall is a file whose call was weighed; done is the journal's answer, nil if
// nothing had to be written.
type takenCall struct {
	path string
	done <-chan error
}

// removeTaken removes files once their calls are durable, and reports whether all are.
func (s *session) removeTaken(calls []takenCall) (all bool) {
	all = true
	for _, c := range calls {
		if c.done != nil {
			if err := <-c.done; err != nil {
				all = false
				continue // stays, and is known by its id next time
			}
		}
		s.r.pause(PauseSpool)
		if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.r.log.Warn("cannot remove a spooled hook call", "file", c.path, "error", err)
		}
	}
	return all
}

// removeStale removes an unfinished file whose hook process was killed.
func (s *session) removeStale(dir string, e fs.DirEntry) {
	if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), paths.SpoolUnfinished) && s.r.now().Sub(info.ModTime()) > spoolStale {
		os.Remove(filepath.Join(dir, e.Name()))
	}
}

// tellDrained leaves an event of n calls that were taken in; late: while a daemon
// ran.
func (s *session) tellDrained(n int, late bool) {
	overflow := filepath.Join(s.dir, paths.SpoolDir, paths.SpoolOverflow)
	_, whole := os.Stat(overflow)
	if n == 0 && whole != nil {
		return
	}
	calls := strconv.Itoa(n) + " hook calls"
	if n == 1 {
		calls = "1 hook call"
	}
	message := calls + " came while no daemon ran"
	if late {
		message = calls + " came late, by the spool: the daemon was too busy to answer"
	}
	if whole == nil {
		message += "; further ones were dropped, because the spool was full"
		os.Remove(overflow)
	}
	s.publish(s.plain(api.EventSpoolDrained, message), false)
}

// spooled weighs one file. known: its call had come another way, too.
func (s *session) spooled(path string) (done <-chan error, known bool, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpooled {
		return nil, false, errors.New("it is no regular file or too large")
	}
	var call api.SpooledHook
	if err := readJSON(path, &call); err != nil {
		return nil, false, err
	}
	if !s.knows(call.Token) {
		return nil, false, errors.New("its token is not that of the session")
	}
	at, err := time.Parse(time.RFC3339Nano, call.At)
	if err != nil {
		at = info.ModTime()
	}
	h, err := s.adapter.DecodeHook(call.Hook, clampTime(at, s.r.now()), call.Payload)
	if err != nil || h.Skip {
		return nil, false, err
	}
	if known = s.seenKeys.has(call.ID); call.Answered != "" && !known {
		s.missed(h, call.Answered)
	}
	return s.hook(h, call.ID), known, nil
}
