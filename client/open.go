package client

import (
	"context"
	"errors"
	"io"

	"ccdir/api"
	"ccdir/internal/contain"
)

// Opening is a Connect in flight.
type Opening struct {
	done chan struct{}
	srv  api.Server
	err  error
}

// Open is a Connect for callers that then call Watch: it opens the watch stream, whose
// snapshot has the daemon's version too, and the next Watch continues that stream. It does
// not block: the caller does other work and then calls Wait. ctx bounds the stream too.
func (c *Client) Open(ctx context.Context) *Opening {
	o := &Opening{done: make(chan struct{})}
	contain.Go(nil, func() {
		defer close(o.done)
		if o.srv, o.err = c.open(ctx); o.err != nil && !errors.Is(o.err, errHung) {
			o.srv, o.err = c.Connect(ctx) // starts a daemon, or returns the error for people
		}
	})
	return o
}

// Wait returns the results of Connect.
func (o *Opening) Wait() (api.Server, error) {
	<-o.done
	return o.srv, o.err
}

// openedStream is a watch stream whose first event was read.
type openedStream struct {
	first  api.WatchMessage
	events *eventStream
	body   io.Closer
}

func (c *Client) open(ctx context.Context) (api.Server, error) {
	stream, err := c.watchInTime(ctx)
	if err != nil {
		return api.Server{}, err
	}
	body := newQuietBody(stream, c.quiet)
	events := newEventStream(body, c.mostEvent())
	data, err := events.next()
	if err != nil {
		body.Close()
		return api.Server{}, err
	}
	m, err := watchMessage(data)
	if err == nil && m.Snapshot == nil {
		err = errors.New("no snapshot")
	}
	if err == nil {
		err = c.checkVersion(m.Snapshot.Server)
	}
	if err != nil {
		body.Close()
		return api.Server{}, err
	}
	c.meet(m.Snapshot.Server)
	c.closeOpened()
	c.opened.Store(&openedStream{first: m, events: events, body: body})
	return m.Snapshot.Server, nil
}

// closeOpened closes a stream that no Watch has taken.
func (c *Client) closeOpened() {
	if o := c.opened.Swap(nil); o != nil {
		o.body.Close()
	}
}

// read is stream for the opened stream: first gets the message that was read already, fn
// the data of the following ones.
func (o *openedStream) read(ctx context.Context, first func(api.WatchMessage) error, fn func(data []byte) error) error {
	stop := context.AfterFunc(ctx, func() { o.body.Close() })
	defer stop()
	defer o.body.Close()
	if err := first(o.first); err != nil {
		return streamError(ctx, callbackError{err})
	}
	o.first = api.WatchMessage{}
	return streamError(ctx, o.events.each(fn))
}
