package page

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"ccdir/api"
	"ccdir/daemon/journal"
	"ccdir/daemon/reviews"
	"ccdir/internal/disk/atomicfile"
	"ccdir/sessions"
	"ccdir/web"
)

// pageSessions is the registry as the page needs it.
type pageSessions struct {
	*sessions.Registry
	o Options
}

// Create implements web.Sessions, on this machine. A start is completed even if the browser leaves.
func (p pageSessions) Create(ctx context.Context, n api.NewSession) (api.Session, error) {
	n.Env = p.o.Env
	v, _, err := p.CreateOnce(context.WithoutCancel(ctx), n)
	return v, err
}

// ownQueue is the queue of tasks.
type ownQueue interface{ web.Queue }

// pageQueue is the queue as the page needs it: a browser has no environment, its tasks have the daemon's.
type pageQueue struct {
	ownQueue
	o Options
}

// Add implements web.Queue.
func (q pageQueue) Add(ctx context.Context, list []api.NewTask) ([]api.Task, error) {
	list = slices.Clone(list)
	for i := range list {
		list[i].Env = q.o.Env
	}
	return q.ownQueue.Add(ctx, list)
}

// Offers implements web.Sessions.
func (p pageSessions) Offers(ctx context.Context, _ string) ([]api.AgentInfo, []api.Directory, error) {
	return p.o.Offers(ctx)
}

// pageReviews are the reviews as the page needs them.
type pageReviews struct{ *reviews.Reviews }

// SendComments implements web.Reviews. It is completed even if the browser leaves.
func (p pageReviews) SendComments(ctx context.Context, ref string, in api.SendComments) (api.SentComments, error) {
	return p.Send(context.WithoutCancel(ctx), ref, in)
}

// Bounds of what is attached to the prompts of a session: a file in bytes, and their number.
const (
	maxAttached      = 10 << 20
	maxAttachedFiles = 100
)

// pageFiles keeps files that were attached in the directories of their sessions, with which they go.
type pageFiles struct{ o Options }

// Attach implements web.Files.
func (p pageFiles) Attach(ctx context.Context, session, name string, data []byte) (string, error) {
	v, err := p.o.Registry.Get(ctx, session)
	switch {
	case err != nil:
		return "", err
	case v.Sandbox != nil:
		return "", api.Errorf(api.CodeConflict, "the walls around %s hide attached files from it: put the file into its directory", v.Name)
	case len(data) > maxAttached:
		return "", api.Errorf(api.CodeTooLarge, "a file of more than %d MiB cannot be attached", maxAttached>>20)
	}
	dir := filepath.Join(p.o.Paths.SessionDir(v.ID), "attached")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if len(there) >= maxAttachedFiles {
		return "", api.Errorf(api.CodeLimit, "%d files are attached to %s: remove some from %s", len(there), v.Name, dir)
	}
	path := filepath.Join(dir, strconv.Itoa(len(there)+1)+"-"+plainName(name))
	return path, atomicfile.Replace(path, data)
}

// plainName is a file's name of letters, digits, '-', '_' and '.' alone, which begins with none of the last.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, filepath.Base(name))
	return cmp.Or(strings.TrimLeft(name[max(0, len(name)-60):], ".-"), "file")
}

// pageLog is the journal as the page needs it.
type pageLog struct{ *journal.Log }

// Watch implements web.Log.
func (l pageLog) Watch() (next func(context.Context) ([]api.WatchMessage, error), stop func()) {
	w := l.Log.Watch()
	return func(ctx context.Context) ([]api.WatchMessage, error) {
		messages, err := w.Next(ctx)
		out := make([]api.WatchMessage, 0, len(messages))
		for _, m := range messages {
			out = append(out, m.WatchMessage)
		}
		return out, err
	}, w.Close
}
