package approvals

import (
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// Who answers hears of it when the agent's hook has the answer, or does not take it.
func TestAnswerIsDelivered(t *testing.T) {
	tests := map[string]func(delivered func()) time.Duration{
		"handed over": func(delivered func()) time.Duration {
			time.Sleep(time.Millisecond)
			delivered()
			return time.Millisecond
		},
		"nobody says so": func(func()) time.Duration { return deliverTime },
	}
	for name, act := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := New(Options{})
				defer b.Close()
				ctx, delivered := api.WithDelivery(t.Context())
				held := hold(ctx, b, "c", bash("s", "make"))
				r := one(t, b)
				began, answered := time.Now(), make(chan error, 1)
				go func() {
					_, err := b.Answer(r.ID, api.ByPerson, allow)
					answered <- err
				}()
				want(t, held, api.OutcomeAnswered)
				select {
				case err := <-answered:
					t.Fatalf("acknowledged before it was handed over (%v)", err)
				default:
				}
				after := act(delivered)
				if err := <-answered; err != nil || time.Since(began) != after {
					t.Errorf("acknowledged after %v (%v), want %v", time.Since(began), err, after)
				}
			})
		})
	}
}
