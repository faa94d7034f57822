package sessions

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/api"
	"ccdir/internal/disk/paths"
	"ccdir/internal/disk/untrusted"
	"ccdir/sessions/adopt"
)

const (
	// spoolStale is the age at which an unfinished file is certainly abandoned by its hook.
	spoolStale = time.Minute
	// maxSpooled bounds one spooled call, in bytes.
	maxSpooled = 24 << 20
	// maxHookName bounds the name of a hook, in runes.
	maxHookName = 64
	// spoolLook is the interval between looks at the spools while the daemon runs: hooks
	// that it did not answer in time (busy machine, locked database) leave their calls
	// there. A shorter interval would wake an idle daemon too often. spoolSettled is the
	// minimum age of a file: after writing it, its hook tries the daemon once more.
	spoolLook    = 10 * time.Second
	spoolSettled = 2 * time.Second
)

// DrainSpools weighs the calls in the spools and returns when they are durable.
func (r *Registry) DrainSpools() {
	for _, s := range r.all() {
		if !s.outside {
			_ = s.do(r.ctx, s.drain) // a removed session has no spool
		}
	}
}

// followSpools weighs calls that hooks spool while the daemon runs, until the registry is
// closed.
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
			if err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == paths.SpoolGate || r.settled(e, spoolSettled) }) {
				s.post(s.drainLate)
			}
		}
	}
}

// isCall reports whether a file of a spool is a complete call.
func isCall(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), paths.SpoolSuffix) && !strings.HasPrefix(e.Name(), ".")
}

// settled reports whether a file of a spool is a call of that age. A time in the future
// counts as old: the clock was set.
func (r *Registry) settled(e fs.DirEntry, age time.Duration) bool {
	if !isCall(e) {
		return false
	}
	info, err := e.Info()
	return age == 0 || err == nil && r.now().Sub(info.ModTime()).Abs() >= age
}

// drain weighs the spooled calls, oldest first, and removes their files once they are
// durable. In the actor.
func (s *session) drain() { s.drainOlder(0) }

// drainLate weighs calls that were spooled while this daemon ran; in the actor. An empty
// spool costs one stat.
func (s *session) drainLate() {
	info, err := os.Stat(filepath.Join(s.dir, paths.SpoolDir))
	if err != nil || info.ModTime().Equal(s.spoolAt) {
		return
	}
	// File times are coarse: a call written right after this look must not leave the
	// directory's time unchanged.
	old := s.r.now().Sub(info.ModTime()).Abs() > time.Second
	if s.drainOlder(spoolSettled) && old {
		s.spoolAt = info.ModTime()
	}
}

// drainOlder is drain for calls of at least that age. It reports whether none are left.
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
	s.takeGate(dir)
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
			continue // its hook reached a daemon after all and removed it
		case errors.As(err, &unread):
			// For example out of file descriptors: retried later.
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

// maxGate bounds the notes of a gate that are read, in bytes.
const maxGate = 64 << 10

// takeGate records the calls that did not run because their hooks had failed, as the gates have
// noted. In the actor.
func (s *session) takeGate(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return // the spool has gone
	}
	defer root.Close()
	if _, err := root.Lstat(paths.SpoolGateTaken); err != nil && root.Rename(paths.SpoolGate, paths.SpoolGateTaken) != nil {
		return // there are none
	}
	data, err := untrusted.ReadIn(root, paths.SpoolGateTaken, maxGate)
	if err != nil { // only the session's own programs can have put it there
		s.r.log.Warn("what a gate has noted cannot be read", "session", s.id, "error", err)
	}
	refused := map[string]int{}
	for line := range strings.Lines(string(data)) {
		refused[agents.Visible(strings.TrimSpace(line), maxHookName)]++
	}
	for _, hook := range slices.Sorted(maps.Keys(refused)) {
		const why = "the hook failed or was late, so the call did not run"
		message := "a call did not run: ccdir's hook " + hook + " failed or was late"
		if n := refused[hook]; n > 1 {
			message = strconv.Itoa(n) + " calls did not run: ccdir's hook " + hook + " failed or was late"
		}
		if s.r.o.Policy != nil {
			s.r.o.Policy.Refused(s.id, hook, why)
		}
		s.r.log.Warn("a hook failed", "session", s.id, "hook", hook, "calls", refused[hook])
		<-s.publish(s.plain(api.EventHookFailed, message), false)
	}
	if err := root.RemoveAll(paths.SpoolGateTaken); err != nil {
		s.r.log.Warn("what a gate has noted cannot be removed", "session", s.id, "error", err)
	}
}

// takenCall is the file of a weighed call; done is the journal's answer, nil if nothing had
// to be written.
type takenCall struct {
	path string
	done <-chan error
}

// removeTaken removes the files whose calls are durable, and reports whether all are.
func (s *session) removeTaken(calls []takenCall) (all bool) {
	all = true
	for _, c := range calls {
		if c.done != nil {
			if err := <-c.done; err != nil {
				all = false
				continue // the file stays; the call's id is known next time
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

// tellDrained publishes an event about n weighed calls; late: they were spooled while a
// daemon ran.
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

// spooled weighs one file. known: the call has arrived by another way already.
func (s *session) spooled(path string) (done <-chan error, known bool, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSpooled {
		return nil, false, errors.New("it is not a regular file, or too large")
	}
	var call api.SpooledHook
	if err := adopt.ReadJSON(path, &call); err != nil {
		return nil, false, err
	}
	if !s.knows(call.Token) {
		return nil, false, errors.New("its token is not the session's")
	}
	at, err := time.Parse(time.RFC3339Nano, call.At)
	if err != nil {
		at = info.ModTime()
	}
	h, err := s.adapter.DecodeHook(call.Hook, clampTime(at, s.r.now()), call.Payload)
	if err != nil {
		return nil, false, err
	}
	if known = s.seenKeys.has(call.ID); !known {
		s.wrote(h)
		if call.Answered != "" {
			s.missed(h, call.Answered)
		}
	}
	if h.Skip {
		s.seenKeys.add(call.ID)
		return nil, known, nil
	}
	return s.hook(h, call.ID), known, nil
}
