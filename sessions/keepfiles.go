package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"ccdir/internal/disk/atomicfile"
	"ccdir/internal/disk/paths"
	"ccdir/internal/proc"
)

// KeepFiles writes the files of running sessions again whose directory somebody removed, so
// that the next daemon can adopt their hosts. It returns how many directories it restored.
// It costs one look at a file per session.
func (r *Registry) KeepFiles(ctx context.Context) (restored int, err error) {
	for _, s := range r.all() {
		if !s.filesRemoved() {
			continue
		}
		var done bool
		var failed error
		if err := s.do(ctx, func() { done, failed = s.restoreFiles() }); err != nil {
			return restored, err
		}
		if done {
			restored++
		}
		err = errors.Join(err, failed)
	}
	return restored, err
}

// filesRemoved reports whether the session's directory has no host.json.
func (s *session) filesRemoved() bool {
	_, err := os.Lstat(filepath.Join(s.dir, paths.HostFile))
	return errors.Is(err, fs.ErrNotExist)
}

// restoreFiles writes the files by which a daemon adopts a running host; in the actor. done
// is false if there is no such host, or the files are there again.
func (s *session) restoreFiles() (done bool, err error) {
	if s.outside || s.fold.State.Ended() || !proc.Alive(s.host.PID, s.host.Start) || !s.filesRemoved() {
		return false, nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return false, err
	}
	err = s.saveSpec()
	err = errors.Join(err, atomicfile.Write(filepath.Join(s.dir, paths.TokenFile), []byte(s.seen().token)))
	err = errors.Join(err, s.r.saveLoss(s.dir, s.r.onLoss(s.spec.CWD)))
	if err == nil { // last: it makes the directory that of a running session
		err = writeJSON(filepath.Join(s.dir, paths.HostFile), s.host)
	}
	return err == nil, err
}
