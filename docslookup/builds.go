package docslookup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"ccdir/docslookup/scan"
	"ccdir/internal/text/textsafe"
)

// builders is how many modules are indexed at a time.
var builders = min(3, runtime.NumCPU())

// buildTime bounds the build of one module.
const buildTime = 2 * time.Minute

// build is one index file that is being made.
type build struct {
	m    *module
	path string
	done chan struct{} // closed when it has ended
}

// request starts the build of a file, or returns the one under way; nil: the queue is full
// or the library closed.
func (l *Library) request(m *module, path string) *build {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.builds[path]; b != nil {
		return b
	}
	if l.closed {
		return nil
	}
	b := &build{m: m, path: path, done: make(chan struct{})}
	select {
	case l.queue <- b:
		l.builds[path] = b
		return b
	default:
		return nil
	}
}

// work builds what is requested until the library is closed.
func (l *Library) work() {
	for {
		select {
		case <-l.ctx.Done():
			return
		case b := <-l.queue:
			began := time.Now()
			err := l.make(b)
			l.mu.Lock()
			delete(l.builds, b.path)
			if err != nil && l.ctx.Err() == nil {
				if len(l.failed) > 1000 {
					clear(l.failed)
				}
				l.failed[b.path] = fmt.Sprintf("%s@%s could not be indexed: %s", b.m.name, b.m.version, textsafe.Line(err.Error()))
			}
			l.mu.Unlock()
			close(b.done)
			l.log.Debug("documentation was indexed", "package", b.m.name, "version", b.m.version, "took", time.Since(began), "error", err)
		}
	}
}

// make scans a module and writes its index file. A scanner that panics fails its module
// alone.
func (l *Library) make(b *build) (err error) {
	ctx, cancel := context.WithTimeout(l.ctx, buildTime)
	defer cancel()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a fault of ccdir: %v", r)
		}
	}()
	t, err := b.m.open()
	if err != nil {
		return err
	}
	defer t.close()
	entries := b.m.scan(ctx, b.m, t)
	if err := ctx.Err(); err != nil {
		return err
	}
	notes := t.notes
	if t.left > len(notes) {
		notes = append(notes, fmt.Sprintf("%d more files were left out", t.left-len(notes)))
	}
	if len(entries) > scan.MaxEntries {
		notes = append(notes, fmt.Sprintf("%d of %d entries were left out", len(entries)-scan.MaxEntries, len(entries)))
		entries = entries[:scan.MaxEntries]
	}
	for i := range entries {
		entries[i].Bound(b.m.name)
	}
	for i, n := range notes {
		notes[i] = textsafe.Line(b.m.name + ": " + n)
	}
	return b.m.write(ctx, b.path, entries, notes)
}

// opened returns the open index of a module, opening it if it is built; nil: it is not.
func (l *Library) opened(ctx context.Context, path string) *index {
	l.mu.Lock()
	x := l.open[path]
	if x != nil && x.acquire() {
		l.uses++
		x.used = l.uses
		l.mu.Unlock()
		return x
	}
	l.mu.Unlock()
	x, err := openIndex(ctx, path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) && ctx.Err() == nil {
			l.drop(path, err)
		}
		return nil
	}
	x.acquire()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.uses++
	x.used = l.uses
	if l.closed {
		x.release() // the question that has it closes it
		return x
	}
	if other := l.open[path]; other != nil {
		other.release()
	}
	l.open[path] = x
	if len(l.open) > maxOpen {
		oldest := ""
		for p, o := range l.open {
			if oldest == "" || o.used < l.open[oldest].used {
				oldest = p
			}
		}
		l.open[oldest].release()
		delete(l.open, oldest)
	}
	return x
}

// drop deletes a damaged file, so that it is built again.
func (l *Library) drop(path string, why error) {
	l.log.Warn("an index of documentation is built again", "file", path, "error", why)
	l.mu.Lock()
	if x := l.open[path]; x != nil {
		x.release()
		delete(l.open, path)
	}
	l.mu.Unlock()
	_ = os.Remove(path)
}

// ready returns the indexes of modules that are built, in their order (nil for others),
// after waiting for builds until the deadline; first are built before the others.
func (l *Library) ready(ctx context.Context, list []*module, until time.Time) (indexes []*index, paths, notes []string) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	indexes, paths = make([]*index, len(list)), make([]string, len(list))
	pending := make([]*build, len(list))
	for i, m := range list {
		path, err := l.path(ctx, m)
		if err != nil {
			if ctx.Err() == nil {
				notes = append(notes, fmt.Sprintf("%s@%s cannot be read: %s", m.name, m.version, textsafe.Line(err.Error())))
			}
			continue
		}
		paths[i] = path
		if indexes[i] = l.opened(context.WithoutCancel(ctx), path); indexes[i] == nil {
			l.mu.Lock()
			why := l.failed[path]
			l.mu.Unlock()
			if why != "" {
				notes = append(notes, why)
				continue
			}
			pending[i] = l.request(m, path)
		}
	}
	waiting := 0
	for i, b := range pending {
		if b == nil {
			continue
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			select {
			case <-b.done:
			default:
				waiting++
				continue
			}
		}
		if indexes[i] = l.opened(context.WithoutCancel(ctx), paths[i]); indexes[i] == nil {
			l.mu.Lock()
			if why := l.failed[paths[i]]; why != "" {
				notes = append(notes, why)
			}
			l.mu.Unlock()
		}
	}
	if waiting > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d packages are still being indexed: ask again for a complete answer", waiting, len(list)))
	}
	return indexes, paths, notes
}
