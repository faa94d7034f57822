package reviews

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/internal/text/patchtext"
	"ccdir/internal/text/toolinput"
	"ccdir/review"
)

// Files are the files that tools of sessions outside of git named. Make them with NewFiles; safe for concurrent use.
type Files struct {
	dir func(session string) string
	log *slog.Logger

	mu    sync.Mutex
	named map[string]*review.Names // by session
}

// NewFiles keeps what the files were in a directory for each session.
func NewFiles(dir func(session string) string, log *slog.Logger) *Files {
	return &Files{dir: dir, log: log, named: map[string]*review.Names{}}
}

// names are those of a session, nil if there are none; create begins with them.
func (f *Files) names(session string, create bool) (n *review.Names, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n = f.named[session]; n != nil {
		return n, nil
	}
	if n, err = review.OpenNames(f.dir(session), create); n != nil {
		f.named[session] = n
	}
	return n, err
}

// Before keeps what the files are that a tool is about to write, of a session in no repository of git. The hook's answer waits for
// ready, which is closed when they are read; when it is given without, answered is closed: from then on the tool may write.
func (f *Files) Before(c api.Caller, u api.ToolUse, answered <-chan struct{}) (ready <-chan struct{}) {
	done := make(chan struct{})
	paths := written(u)
	if len(paths) == 0 || c.Root == "" || inGit(c.Root) {
		close(done)
		return done
	}
	for i, p := range paths {
		if !filepath.IsAbs(p) {
			paths[i] = filepath.Join(c.CWD, p)
		}
	}
	contain.Go(f.log, func() {
		defer close(done)
		n, err := f.names(c.Session, true)
		if err == nil {
			err = n.Before(c.Root, paths, answered)
		}
		if err != nil {
			f.log.Warn("what a file was before a tool wrote it is not kept", "session", c.Session, "error", err)
		}
	})
	return done
}

// written are the files that a call is going to write, as its input names them.
func written(u api.ToolUse) (paths []string) {
	switch u.Tool {
	case api.ToolEdit, api.ToolMultiEdit, api.ToolWrite, api.ToolNotebookEdit:
		for _, key := range []string{"file_path", "notebook_path"} {
			if p := toolinput.Member(u.Input, key); p != "" {
				paths = append(paths, p)
			}
		}
	case api.ToolPatch:
		var in struct {
			Files []patchtext.File `json:"files"`
		}
		if json.Unmarshal(u.Input, &in) != nil {
			return nil
		}
		for _, f := range in.Files {
			paths = append(paths, f.Path)
			if f.MoveTo != "" {
				paths = append(paths, f.MoveTo)
			}
		}
	}
	return paths
}

// inGit reports whether a directory seems to be in a work tree of git: quick, without git.
func inGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// openNamed opens the snapshots of a session outside of git, if its tools have named files.
func (r *Reviews) openNamed(ctx context.Context, id string) (*review.Repo, error) {
	n, err := r.o.Files.names(id, false)
	if err == nil && n == nil {
		err = review.ErrNoWorkTree
	}
	if err != nil {
		return nil, err
	}
	return review.OpenNamed(ctx, n)
}

// begun notes the points of a session outside of git that were before its first file was named; inTurn: the beginning of a turn is one.
func begun(ctx context.Context, o *review.Repo, s api.Session, inTurn bool) error {
	if _, outside := o.Outside(); !outside {
		return nil
	}
	log, err := o.Log(ctx, s.ID)
	if err != nil {
		return err
	}
	if log.Start() == "" {
		var at review.Point
		commit, err := o.Empty(ctx, at.Subject())
		if err == nil {
			err = o.Keep(ctx, s.ID, at, commit)
		}
		if err != nil {
			return err
		}
		log = append(log, review.Shot{Point: at, Commit: commit})
	}
	open := log.Next(false)
	if log.Find(review.Point{Turn: open.Turn, Begin: true}) != "" || !inTurn {
		return nil
	}
	return o.Keep(ctx, s.ID, review.Point{Turn: open.Turn, Begin: true}, log.Newest())
}
