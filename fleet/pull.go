package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pullWait is how long one request for messages stands: a server that has lost it is asked again.
const pullWait = 30 * time.Second

// pull waits for a message of a consumer, and takes with it what is there already, at most most in all. It
// returns none, without an error, when there was none for pullWait, or ctx ends.
func pull(ctx context.Context, c jetstream.Consumer, most int) (list []jetstream.Msg, err error) {
	wait, cancel := context.WithTimeout(ctx, pullWait)
	defer cancel()
	first, err := c.Fetch(1, jetstream.FetchContext(wait))
	if list, err = taken(list, first, err); err != nil || len(list) == 0 || most == 1 {
		return list, err
	}
	more, err := c.FetchNoWait(most - 1)
	return taken(list, more, err)
}

// taken adds a batch to a list. That there was no message, or no time, is no error.
func taken(list []jetstream.Msg, batch jetstream.MessageBatch, err error) ([]jetstream.Msg, error) {
	if err == nil {
		for m := range batch.Messages() {
			list = append(list, m)
		}
		err = batch.Error()
	}
	for _, usual := range []error{context.Canceled, context.DeadlineExceeded, nats.ErrTimeout, jetstream.ErrNoMessages} {
		if errors.Is(err, usual) {
			err = nil
		}
	}
	if len(list) > 0 {
		err = nil // what came counts; the next request tells of the fault again
	}
	return list, err
}
