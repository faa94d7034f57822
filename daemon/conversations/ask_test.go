package conversations

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// TestAsksAPerson: a question that the policy answers at once is none to a person.
func TestAsksAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		state := func(s api.State) api.Session { return api.Session{State: s, Since: time.Now(), Asks: "ls"} }
		changes := make(chan api.Session)
		go func() {
			changes <- state(api.StateWorking)
			changes <- state(api.StatePermission) // the policy answers
			time.Sleep(ownAnswer / 2)
			changes <- state(api.StateWorking)
			time.Sleep(ownAnswer)
			changes <- state(api.StatePermission) // a person is asked
		}()
		now := api.Session{}
		c := New(Options{Wait: func(ctx context.Context, _ string, ok func(api.Session) bool) (api.Session, error) {
			for !ok(now) {
				select {
				case now = <-changes:
				case <-ctx.Done():
					return api.Session{}, ctx.Err()
				}
			}
			return now, nil
		}})
		what, err := c.asks(t.Context(), "a")
		if took := time.Since(began); what != "ls" || err != nil || took != ownAnswer*5/2 {
			t.Errorf("%q, %v after %v", what, err, took)
		}
	})
}
