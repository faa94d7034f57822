package reviews

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// directories bounds the directories whose snapshots are tidied.
const directories = 200

// Tidy forgets the snapshots of sessions that are neither listed nor have a history, and what is too old or too much.
func (r *Reviews) Tidy(ctx context.Context) {
	kept := map[string]bool{}
	archived, err := r.o.Store.ArchivedSessions(ctx)
	if err != nil {
		r.o.Logger.Warn("snapshots are not tidied now", "error", err)
		return
	}
	for _, id := range archived {
		kept[id] = true
	}
	for _, s := range r.o.Journal.Sessions() {
		kept[s.ID] = true
	}
	if err := r.o.Store.PruneComments(ctx, func(id string) bool { return kept[id] }); err != nil {
		r.o.Logger.Warn("comments of sessions that are forgotten are not deleted now", "error", err)
	}
	if err := r.o.Files.tidy(kept); err != nil {
		r.o.Logger.Warn("files of sessions that are forgotten are not deleted now", "error", err)
	}
	dirs, _ := r.o.Store.Directories(ctx, directories) // without them, those of sessions
	for _, s := range r.o.Journal.Sessions() {
		dirs = append(dirs, s.CWD)
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		if ctx.Err() != nil {
			return
		}
		o, _, done, err := r.open(ctx, dir)
		if err != nil {
			continue // it has gone, or is no repository
		}
		if !seen[o.Common] {
			seen[o.Common] = true
			if err := o.Tidy(ctx, func(id string) bool { return kept[id] }, time.Now()); err != nil && ctx.Err() == nil {
				r.o.Logger.Warn("snapshots are not tidied now", "repository", o.Common, "error", err)
			}
		}
		done()
	}
}

// tidy forgets the files of sessions that are forgotten.
func (f *Files) tidy(kept map[string]bool) error {
	dir := filepath.Dir(f.dir("x"))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if kept[e.Name()] {
			continue
		}
		f.mu.Lock()
		delete(f.named, e.Name())
		f.mu.Unlock()
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
