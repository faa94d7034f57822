package fleet

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ccdir/orchestrator"
)

// orders gives out attempts: the machine's own queue does what is in them.
type orders struct {
	js  jetstream.JetStream
	log *slog.Logger
}

// orderAgain is the pause between tries to give out an order while the servers are away.
const orderAgain = 2 * time.Second

// Do publishes an order. An order that comes twice is one: a claim is.
func (s orders) Do(ctx context.Context, e orchestrator.Effect, task orchestrator.Record, report func(orchestrator.Event)) {
	o := order{Kind: string(e.Kind), Task: e.Task, Attempt: e.Attempt}
	switch e.Kind {
	case orchestrator.DoStart:
		o.What = task.NewTask
	case orchestrator.DoEnd:
	default:
		s.log.Error("an effect that no machine of a fleet has", "effect", string(e.Kind), "task", e.Task)
		return
	}
	data := encode(o)
	for {
		try, cancel := context.WithTimeout(ctx, commitTry)
		_, err := s.js.Publish(try, subjectOrder+e.Place, data, jetstream.WithExpectStream(streamOrders),
			jetstream.WithMsgID(fmt.Sprintf("%s-%d-%s-%d", e.Task, e.Attempt, e.Kind, time.Now().UnixNano()/int64(time.Minute))))
		cancel()
		if err == nil {
			return
		}
		s.log.Warn("an order could not be given out, will try again", "task", e.Task, "error", err)
		if pause(ctx, orderAgain); ctx.Err() != nil {
			return // the next leader repeats it
		}
	}
}

// Adopt has nothing to do: machines report by themselves.
func (orders) Adopt(context.Context, orchestrator.Found, func(orchestrator.Event)) {}
