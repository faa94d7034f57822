// Package statusfile follows the session file in which an agent writes its own status.
//
// The file is untrusted: the agent, or anything that runs as the user, may replace it by
// another file or leave it half-written. Follow reads it when the system reports a change,
// and every ten seconds without one. Only the newest content counts: states between two
// reads are lost.
package statusfile

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ccdir/agents"
	"ccdir/internal/contain"
	"ccdir/internal/disk/untrusted"
	"ccdir/internal/proc"
	"ccdir/wire"
)

const (
	// maxFile bounds a status file, in bytes.
	maxFile = 1 << 20
	// firstPause and maxPause are the pauses between attempts to watch a directory that
	// the agent has not made yet.
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
	// tornPause is the time after which a half-written file is read again.
	tornPause = 20 * time.Millisecond
)

// Follow passes the agent's status to each, whenever it has changed, until ctx ends. The
// agent is the host's child or a descendant: the child may be a wrapper script that did
// not become the agent, or that starts it again.
func (f *Watcher) Follow(ctx context.Context, signs agents.Signs, hf wire.HostFile, each func(agents.FileStatus)) {
	path := signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	if path == "" {
		return
	}
	var wg contain.Group
	defer wg.Wait()
	dir := filepath.Dir(path)
	wake := make(chan struct{}, 1)
	stop := f.keepWatching(ctx, &wg, dir, "", wake)
	defer func() { stop() }()
	var last agents.FileStatus
	for now := (agent{}); ; {
		if now.pid != hf.ChildPID && !now.current() {
			if now = find(signs, hf); now.pid != 0 {
				last = agents.FileStatus{}
			}
			if now.pid == hf.ChildPID {
				// For good: changes of other agents' files need not wake this one.
				all := stop
				stop = f.keepWatching(ctx, &wg, dir, filepath.Base(now.path), wake)
				all()
			}
		}
		if now.pid != 0 {
			if status, ok := f.read(signs, now, last); ok {
				last = status
				each(status)
			}
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return
		}
	}
}

// keepWatching is watch for a directory that may not exist yet, and for systems without a
// free watcher: it retries until ctx ends or stop is called. Each retry sends to wake.
func (f *Watcher) keepWatching(ctx context.Context, wg *contain.Group, dir, name string, wake chan<- struct{}) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	wg.Go(func() {
		for pause := firstPause; ; pause = min(2*pause, maxPause) {
			unwatch, err := f.watch(dir, name, wake)
			if err == nil {
				defer unwatch()
				nudge(wake) // the file may exist already
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

// read decodes the agent's file; ok is false if it says the same as last, or nothing that
// can be used.
func (f *Watcher) read(signs agents.Signs, a agent, last agents.FileStatus) (now agents.FileStatus, ok bool) {
	data, err := untrusted.Read(a.path, maxFile)
	if err != nil {
		return now, false // not written yet, or removed
	}
	now, ok = signs.DecodeStatus(data, a.pid)
	if !ok && len(data) > 0 && data[len(data)-1] != '}' {
		time.AfterFunc(tornPause, func() { f.tell(a.path) })
		return now, false
	}
	same := now.Status == last.Status && now.WaitingFor == last.WaitingFor && now.At.Equal(last.At)
	return now, ok && !same && sameStart(now.Start, a.start)
}

// agent is an agent's process and its status file; the zero value is none.
type agent struct {
	pid         int
	start, path string
}

// current reports whether the process runs and its file exists.
func (a agent) current() bool {
	if a.pid == 0 {
		return false
	}
	_, err := os.Lstat(a.path)
	return err == nil && proc.Alive(a.pid, a.start)
}

// wrote reports whether the file exists and was not left by an earlier process with the
// same pid.
func (a agent) wrote(signs agents.Signs) bool {
	data, err := untrusted.Read(a.path, maxFile)
	if err != nil {
		return false
	}
	told, ok := signs.DecodeStatus(data, a.pid)
	return !ok || sameStart(told.Start, a.start)
}

// find finds the agent among the processes with a status file: the host's child, or the
// descendant with the fewest generations between (an agent may start others).
func find(signs agents.Signs, hf wire.HostFile) (found agent) {
	path := signs.StatusFile(hf.Spec.Env, hf.ChildPID)
	if child := (agent{hf.ChildPID, hf.ChildStart, path}); child.wrote(signs) {
		return child
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return found
	}
	least := 0
	for _, e := range entries {
		pid, ok := PIDOf(e.Name())
		if !ok {
			continue
		}
		depth, ok := proc.Depth(pid, hf.ChildPID)
		if !ok || found.pid != 0 && depth >= least {
			continue
		}
		start, err := proc.StartTime(pid)
		if a := (agent{pid, start, filepath.Join(filepath.Dir(path), e.Name())}); err == nil && a.wrote(signs) {
			found, least = a, depth
		}
	}
	return found
}

// Running returns the processes that say, in the status files of that environment, that they run a
// conversation, and do run.
func Running(signs agents.Signs, env []string, conversation string) (pids []int) {
	path := signs.StatusFile(env, 1)
	if path == "" {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // there is none
	}
	for _, e := range entries {
		pid, ok := PIDOf(e.Name())
		if !ok {
			continue
		}
		start, err := proc.StartTime(pid)
		if err != nil {
			continue
		}
		data, err := untrusted.Read(filepath.Join(filepath.Dir(path), e.Name()), maxFile)
		if err != nil {
			continue
		}
		if told, ok := signs.DecodeStatus(data, pid); ok && told.Conversation == conversation && sameStart(told.Start, start) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// PIDOf is the process that a status file is about, by the file's name.
func PIDOf(name string) (pid int, ok bool) {
	digits, ok := strings.CutSuffix(name, ".json")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	pid, err := strconv.Atoi(digits)
	return pid, err == nil && pid > 1
}

// sameStart compares the start time of a process that the agent reports with ours, which
// has the boot's mark in front. Times that cannot be compared count as equal: the pid is
// that of a running child.
func sameStart(told, ours string) bool {
	_, ticks, ok := strings.Cut(ours, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return !ok || !digits(told) || !digits(ticks) || told == ticks
}
