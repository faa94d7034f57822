package approvals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ccdir/api"
)

// TestEndsExactlyOnce: whatever happens at the same time, in whatever order,
// each request that was seen opens once, ends once and after that, with one row
// in the ledger; every waiter of it gets that end; nothing stays open.
func TestEndsExactlyOnce(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { interleave(t, seed) })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func interleave(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	k := &book{}
	b := New(Options{PerSession: 3, Ledger: k, Observer: k,
		Decider: deciders(func(_ context.Context, r api.Request) (api.Answer, bool) { return allow, r.Tool == "Read" }),
		Lead: deciders(func(ctx context.Context, r api.Request) (api.Answer, bool) {
			select {
			case <-time.After(time.Duration(len(r.ID)) * 700 * time.Millisecond):
				return api.Answer{Behavior: api.AnswerDeny}, r.ID[0] < 'h'
			case <-ctx.Done():
				return allow, true
			}
		})})
	var wg sync.WaitGroup
	var mu sync.Mutex
	given := map[string][]string{} // request → ends as its waiters saw them
	for i := range 12 {
		session, call := fmt.Sprint("s", rnd.IntN(2)), fmt.Sprint("c", i)
		r := bash(session, fmt.Sprint("cmd", rnd.IntN(3)))
		if rnd.IntN(6) == 0 {
			r.Tool = "Read"
		}
		start, patience := spread(rnd, 4*time.Second), spread(rnd, 20*time.Second)
		r.Deadline = time.Now().Add(time.Second + spread(rnd, 30*time.Second))
		for range 1 + rnd.IntN(2) { // some are called twice
			wg.Go(func() {
				time.Sleep(start)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				d, err := b.Hold(ctx, call, r)
				if err == nil {
					mu.Lock()
					given[d.Request.ID] = append(given[d.Request.ID], fmt.Sprint(d.Outcome, d.By, d.Answer))
					mu.Unlock()
				}
			})
		}
	}
	for range 20 {
		at, what, pick := spread(rnd, 15*time.Second), rnd.IntN(6), rnd.IntN(100)
		wg.Go(func() {
			time.Sleep(at)
			disturb(b, what, pick)
		})
	}
	wg.Wait()
	time.Sleep(time.Minute) // every deadline and hang-up
	synctest.Wait()
	if n := len(b.List()) + len(b.open); n != 0 {
		t.Errorf("%d requests stay open", n)
	}
	b.Close()
	check(t, k, given)
}

func spread(rnd *rand.Rand, d time.Duration) time.Duration {
	return time.Duration(rnd.Int64N(int64(d)))
}

// disturb does one thing to the broker.
func disturb(b *Broker, what, pick int) {
	session := fmt.Sprint("s", pick%2)
	switch list := b.List(); {
	case what < 2 && len(list) > 0:
		_, _ = b.Answer(list[pick%len(list)].ID, api.ByPerson, []api.Answer{allow, {Behavior: api.AnswerDeny}}[pick%2])
	case what == 2:
		b.Observe(session, api.Evidence{Source: api.SourceHook, Kind: api.KindTurnEnds, At: time.Now()}, nil)
	case what == 3:
		b.Observe(session, api.Evidence{Source: api.SourceProcess, Says: api.StateExited, At: time.Now()}, nil)
	case what == 4:
		e, input := fact{0, api.KindToolEnds, fmt.Sprint("cmd", pick%3), "", nil}.evidence(time.Now())
		b.Observe(session, e, input)
	default:
		b.Observe(session, api.Evidence{Source: api.SourcePSP, At: time.Now(), Fields: map[string]string{"state": []string{"blocked", "working"}[pick%2]}}, nil)
	}
}

func check(t *testing.T, k *book, given map[string][]string) {
	opened, ended := map[string]bool{}, map[string]bool{}
	for _, line := range k.all() {
		word := strings.Fields(line)
		switch id := word[1]; {
		case word[0] == "open" && (opened[id] || ended[id]):
			t.Errorf("%s: opened twice or after its end", id)
		case word[0] == "open":
			opened[id] = true
		case ended[id]:
			t.Errorf("%s: ended twice", id)
		default:
			ended[id] = true
		}
	}
	rows := map[string]string{}
	for _, d := range k.rows {
		if rows[d.Request.ID] != "" {
			t.Errorf("%s: two rows", d.Request.ID)
		}
		rows[d.Request.ID] = fmt.Sprint(d.Outcome, d.By, d.Answer)
	}
	for id := range opened {
		if !ended[id] {
			t.Errorf("%s: never ended", id)
		}
	}
	if len(rows) != len(ended) || len(rows) == 0 {
		t.Errorf("%d rows, %d ends", len(rows), len(ended))
	}
	for id, ends := range given {
		for _, end := range ends {
			if end != rows[id] {
				t.Errorf("%s: a hook was given %s, the ledger says %s", id, end, rows[id])
			}
		}
	}
}
