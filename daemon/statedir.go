package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"ccdir/api"
	"ccdir/daemon/store"
)

// stateLook is the interval of looks at the state directory.
const stateLook = 4 * time.Second

// guardState notices within stateLook when somebody removes or damages files of the state
// directory, and writes again all that the daemon still has, until ctx ends: so that the
// next daemon finds it.
func (d *daemon) guardState(ctx context.Context) {
	tick := d.alarms.NewTicker(stateLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		d.lookAtState(ctx)
	}
}

func (d *daemon) lookAtState(ctx context.Context) {
	problem := ""
	if err := d.store.Look(); err != nil { // first: it makes the directory again
		problem = err.Error()
	}
	if old := d.storeProblem.Swap(&problem); problem != "" && (old == nil || *old != problem) {
		d.note(api.EventStoreHeld, problem)
	}
	d.lookAside()
	d.events.Look()
	n, err := d.registry.KeepFiles(ctx)
	if n > 0 {
		d.log.Warn("the files of running sessions were removed and are written again", "sessions", n)
	}
	if err == nil {
		err = d.keepFiles()
	}
	text := ""
	if err != nil && ctx.Err() == nil {
		if text = err.Error(); text != d.stateError {
			d.log.Error("files of the state directory were removed and cannot be written again; it is tried again", "error", err)
		}
	}
	d.stateError = text
}

// lookAside looks for databases that were put aside. It returns those that were replaced.
func (d *daemon) lookAside() (kept []string) {
	kept, damaged := store.Aside(d.o.Paths.Database())
	all := slices.Concat(kept, damaged)
	d.aside.Store(&all)
	return kept
}

// keepFiles makes the daemon's own files again: the lock, server.json and the layout.
func (d *daemon) keepFiles() error {
	var failed error
	if !d.lock.InPlace() {
		failed = errors.Join(failed, d.lock.Remake())
	}
	if missing(d.o.Paths.ServerFile()) {
		failed = errors.Join(failed, d.writeServerFile())
	}
	if g := d.grid.Grid(); missing(d.o.Paths.GridFile()) && (len(g.Order) > 0 || len(g.Hidden) > 0 || g.Layout != "") {
		failed = errors.Join(failed, d.grid.save(g))
	}
	return failed
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// removeServerFile removes server.json.
func removeServerFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
