package sessions

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/proc"
	"ccdir/sessions/state"
	"ccdir/wire"
)

const (
	// maxStatusFile bounds an agent's status file, in bytes.
	maxStatusFile = 1 << 20
	// statusDirFirst and statusDirMax are the pauses between looks for a
	// directory that the agent has not made yet.
	statusDirFirst = 100 * time.Millisecond
	statusDirMax   = 5 * time.Second
	// statusTorn is when a file that was read half-written is read again.
	statusTorn = 20 * time.Millisecond
	// statusAgain is when files are read although nothing told of a change: the
	// system drops such news when there is too much of it, and has none when a
	// directory further up is moved away. One timer serves all sessions, so that many
	// idle ones wake the daemon no oftener than one.
	statusAgain = 10 * time.Second
	// statusGone is how often a directory is looked for that was removed or moved away.
	statusGone = 2 * time.Second
)

// watchStatus weighs the agent's own status file as long as its process runs. The
// agent is the host's child, or below it: a wrapper script that did not become the
// agent, or one that starts it again.
func (s *session) watchStatus(ctx context.Context, hf wire.HostFile) {
	signs, ok := s.adapter.(agents.Signs)
	if !ok {
		return
	}
	path := signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	if path == "" {
		return
	}
	dir := filepath.Dir(path)
	wake := make(chan struct{}, 1)
	stop := s.watchFiles(ctx, dir, "", wake)
	defer func() { stop() }()
	var last agents.FileStatus
	for agent := (statusOf{}); ; {
		if agent.pid != hf.ChildPID && !agent.current() {
			if agent = findStatus(signs, hf); agent.pid != 0 {
				last = agents.FileStatus{}
			}
			if agent.pid == hf.ChildPID {
				// For good: what the others write need not wake this one any more.
				all := stop
				stop = s.watchFiles(ctx, dir, filepath.Base(agent.path), wake)
				all()
			}
		}
		if agent.pid != 0 {
			s.readStatus(ctx, signs, agent, &last)
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// watchFiles has wake told of changes of a file, or of all files of a directory
// (name ""), until ctx ends or stop is called. Until the directory is there, and
// where the system has no watcher left, it tries again, and wakes all the same.
func (s *session) watchFiles(ctx context.Context, dir, name string, wake chan<- struct{}) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.r.wg.Go(func() {
		for pause := statusDirFirst; ; pause = min(2*pause, statusDirMax) {
			unwatch, err := s.r.files.watch(dir, name, wake)
			if err == nil {
				defer unwatch()
				nudge(wake) // it may be there already
				break
			}
			nudge(wake)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
		}
		<-ctx.Done()
	})
	return cancel
}

// statusOf is an agent's process and its status file; the zero value is none.
type statusOf struct {
	pid         int
	start, path string
}

// current reports whether the process runs and has its file.
func (a statusOf) current() bool {
	if a.pid == 0 {
		return false
	}
	_, err := os.Lstat(a.path)
	return err == nil && proc.Alive(a.pid, a.start)
}

// wrote reports whether the file is there and not left by another process of that
// number.
func (a statusOf) wrote(signs agents.Signs) bool {
	data, err := untrusted.Read(a.path, maxStatusFile)
	if err != nil {
		return false
	}
	told, ok := signs.DecodeStatus(data, a.pid)
	return !ok || sameStart(told.Start, a.start)
}

// findStatus finds the agent among those with a status file: the host's child, or
// what is the fewest generations below it (an agent may call others).
func findStatus(signs agents.Signs, hf wire.HostFile) (found statusOf) {
	path := signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	if child := (statusOf{hf.ChildPID, hf.ChildStart, path}); child.wrote(signs) {
		return child
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return found
	}
	least := 0
	for _, e := range entries {
		pid, ok := statusPID(e.Name())
		if !ok {
			continue
		}
		depth, ok := proc.Depth(pid, hf.ChildPID)
		if !ok || found.pid != 0 && depth >= least {
			continue
		}
		start, err := proc.StartTime(pid)
		if a := (statusOf{pid, start, filepath.Join(filepath.Dir(path), e.Name())}); err == nil && a.wrote(signs) {
			found, least = a, depth
		}
	}
	return found
}

// statusPID is the process that a status file is about, by the file's name.
func statusPID(name string) (pid int, ok bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	pid, err := strconv.Atoi(digits)
	return pid, err == nil && pid > 1
}

// readStatus weighs what the file says, if that is new.
func (s *session) readStatus(ctx context.Context, signs agents.Signs, agent statusOf, last *agents.FileStatus) {
	data, err := untrusted.Read(agent.path, maxStatusFile)
	if err != nil {
		return // not there yet, or not any more
	}
	now, ok := signs.DecodeStatus(data, agent.pid)
	if !ok && len(data) > 0 && data[len(data)-1] != '}' {
		time.AfterFunc(statusTorn, func() { s.r.files.tell(agent.path) })
		return
	}
	if !ok || now.Status == last.Status && now.WaitingFor == last.WaitingFor && now.At.Equal(last.At) || !sameStart(now.Start, agent.start) {
		return
	}
	*last = now
	s.tell(ctx, func() { s.fileStatus(now) })
}

// fileStatus weighs what the agent's own file says.
func (s *session) fileStatus(st agents.FileStatus) {
	e := st.Evidence(s.r.now())
	if e.Says.NeedsPerson() && e.Fields["question"] == state.PanelOpen {
		e.Fields["question"] = "a panel or dialog is open"
	}
	s.weigh(e, change{})
}

// sameStart compares a process's start time as the agent tells it with ours,
// which has the boot's mark before it. What cannot be compared is believed: the
// process id is that of a child that runs.
func sameStart(told, ours string) bool {
	_, ticks, ok := strings.Cut(ours, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return !ok || !digits(told) || !digits(ticks) || told == ticks
}
