package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ccdir/api"
	"ccdir/internal/contain"
	"ccdir/orchestrator"
)

// Options are what a server needs.
type Options struct {
	Conn *nats.Conn
	// Name is the server's, for people.
	Name string
	// Replicas is that of the streams: 1, or 3 with three servers.
	Replicas int
	// Mark is a file beside the server's streams, by which lost commits are seen; "" for none.
	Mark  string
	Times orchestrator.Times
	Log   *slog.Logger
}

// errUnsafe: with such streams tasks are lost, or are lost already. Only a person can do something.
var errUnsafe = errors.New("the fleet's streams cannot be used")

// Lead decides for the fleet whenever no other server does, until ctx ends. It fails for a damaged log, and for
// streams with settings by which acknowledged tasks can be lost.
func Lead(ctx context.Context, o Options) error {
	if !ValidName(o.Name) {
		return fmt.Errorf("%q cannot be the name of a server: letters, digits, '-' and '_'", o.Name)
	}
	js, err := jetstream.New(o.Conn)
	if err != nil {
		return err
	}
	told := ""
	for ctx.Err() == nil {
		if err := Open(ctx, js, o.Replicas); errors.Is(err, errUnsafe) || ctx.Err() != nil {
			return err
		} else if err != nil { // servers that have only begun have nobody yet who makes streams
			o.Log.Warn("the fleet's streams, will try again", "error", err)
			pause(ctx, orderAgain)
			continue
		}
		key, err := takeKey(ctx, js, o.Name)
		if err != nil {
			o.Log.Warn("the leader's key", "error", err)
			pause(ctx, renewLeader)
			continue
		}
		if key == nil {
			return ctx.Err()
		}
		err = term(ctx, js, key, o)
		key.free()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errUnsafe) {
			return err
		}
		if why := fmt.Sprint(err); why != told { // of a queue that has moved it is the same for ever
			o.Log.Warn("this server leads no more", "why", err)
			told = why
		}
		pause(ctx, time.Second)
	}
	return ctx.Err()
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// leaderKey says who tries to lead; that only one does is safe by the log alone.
type leaderKey struct {
	kv   jetstream.KeyValue
	name string
	rev  uint64
}

const keyLeader = "leader"

// takeKey waits until nobody leads. It returns nil when ctx ends.
func takeKey(ctx context.Context, js jetstream.JetStream, name string) (*leaderKey, error) {
	kv, err := js.KeyValue(ctx, bucketLeader)
	if err != nil {
		return nil, err
	}
	for ctx.Err() == nil {
		rev, err := kv.Create(ctx, keyLeader, []byte(name))
		if err == nil {
			return &leaderKey{kv, name, rev}, nil
		}
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return nil, err
		}
		pause(ctx, renewLeader)
	}
	return nil, nil
}

// hold renews the key until that fails or ctx ends.
func (k *leaderKey) hold(ctx context.Context) error {
	for {
		pause(ctx, renewLeader)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		try, cancel := context.WithTimeout(ctx, renewLeader)
		rev, err := k.kv.Update(try, keyLeader, []byte(k.name), k.rev)
		cancel()
		if err != nil {
			return fmt.Errorf("its key could not be renewed: %w", err)
		}
		k.rev = rev
	}
}

func (k *leaderKey) free() {
	ctx, cancel := context.WithTimeout(context.Background(), renewLeader)
	defer cancel()
	_ = k.kv.Delete(ctx, keyLeader, jetstream.LastRevision(k.rev)) // else it expires
}

// unseat has whoever leads read the log again, and waits until that has noticed.
func unseat(ctx context.Context, js jetstream.JetStream) error {
	kv, err := js.KeyValue(ctx, bucketLeader)
	if err != nil {
		return err
	}
	if err := kv.Delete(ctx, keyLeader); err != nil {
		return err
	}
	pause(ctx, 2*renewLeader) // it looks at its key that often, and answers by the old log until then
	return ctx.Err()
}

// leader is one term.
type leader struct {
	o     Options
	js    jetstream.JetStream
	id    string // the fleet's
	queue *orchestrator.Queue
	seen  *seen
	wg    contain.Group
}

// term leads until it is deposed, cannot renew its key, or ctx ends.
func term(ctx context.Context, js jetstream.JetStream, key *leaderKey, o Options) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	log, set, records, err := OpenLog(ctx, js)
	if err != nil {
		return err
	}
	if err := log.closed(); err != nil {
		return err
	}
	if set.Mode == "" {
		set.Mode, set.Limit = api.QueueAuto, orchestrator.MaxLimit
	}
	id, err := fleetID(ctx, js)
	if err != nil {
		return err
	}
	if log.mark, err = openMark(o.Mark, id, log.last); err != nil {
		return err
	}
	defer log.mark.close()
	core := orchestrator.Restore(o.Times, set, records)
	core.WithPlaces()
	l := &leader{o: o, js: js, id: id, seen: newSeen(records, time.Now()), wg: contain.Group{Log: o.Log}}
	l.queue = orchestrator.NewQueue(core, orchestrator.Options{Store: log, Sessions: orders{js: js, log: o.Log}, Logger: o.Log})
	defer l.wg.Wait()
	defer stop(nil)
	run := func(what string, fn func(context.Context) error) {
		l.wg.Go(func() {
			if err := fn(ctx); err != nil && ctx.Err() == nil {
				stop(fmt.Errorf("%s: %w", what, err))
			}
		})
	}
	run("queue", func(ctx context.Context) error { l.queue.Run(ctx, nil); return nil })
	run("key", key.hold)
	run("log", func(ctx context.Context) error {
		select {
		case <-log.Deposed:
			return ErrDeposed
		case <-ctx.Done():
			return nil
		}
	})
	run("machines", l.watchNodes)
	run("claims", l.takeClaims)
	run("requests", l.takeRequests)
	run("reports", l.takeReports)
	o.Log.Info("this server leads", "tasks", len(records), "fleet", id)
	<-ctx.Done()
	return context.Cause(ctx)
}

// fleetID is the name of the fleet in requests to daemons. It is made with the stream.
func fleetID(ctx context.Context, js jetstream.JetStream) (string, error) {
	s, err := js.Stream(ctx, streamQueue)
	if err != nil {
		return "", err
	}
	id := s.CachedInfo().Config.Metadata[metaFleet]
	if !ValidName(id) {
		return "", fmt.Errorf("the stream %s has no %s: it was not made by `ccdir-fleet serve`", streamQueue, metaFleet)
	}
	return id, nil
}
