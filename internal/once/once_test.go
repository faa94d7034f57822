package once

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// naive is Memory by its contract: a key is known until limit newer ones were put.
type naive struct {
	limit int
	order []naiveEntry // every put of a new key, forgotten ones included
}

type naiveEntry struct {
	key, value byte
	gone       bool
}

func (n *naive) find(key byte) *naiveEntry {
	first := max(0, len(n.order)-n.limit)
	for i := range n.order[first:] {
		if e := &n.order[first+i]; e.key == key && !e.gone {
			return e
		}
	}
	return nil
}

func (n *naive) put(key, value byte) bool {
	if e := n.find(key); e != nil {
		e.value = value
		return false
	}
	n.order = append(n.order, naiveEntry{key: key, value: value})
	return true
}

// FuzzMemory: any sequence of operations has the same effect as on the contract.
func FuzzMemory(f *testing.F) {
	f.Add(uint8(1), []byte{0, 1, 0, 2, 3, 1, 0, 1})
	f.Add(uint8(3), []byte("0a0b2a0c0d0e1a2e0a0a0f0g0h"))
	f.Fuzz(func(t *testing.T, limit uint8, ops []byte) {
		n := int(limit%7) + 1
		m, want := NewMemory[byte, byte](n), &naive{limit: n}
		for i := 0; i+1 < len(ops); i += 2 {
			key, value := ops[i+1]%16, byte(i)
			switch ops[i] % 4 {
			case 0, 3:
				if got, fresh := m.Put(key, value), want.put(key, value); got != fresh {
					t.Fatalf("step %d: Put(%d) is %t, want %t", i, key, got, fresh)
				}
			case 1:
				m.Update(key, value)
				if e := want.find(key); e != nil {
					e.value = value
				}
			case 2:
				m.Forget(key)
				if e := want.find(key); e != nil {
					e.gone = true
				}
			}
			known := 0
			for key := range byte(16) {
				e := want.find(key)
				if e != nil {
					known++
				}
				if got, ok := m.Get(key); ok != (e != nil) || ok && got != e.value {
					t.Fatalf("step %d: Get(%d) is %d %t, want %+v", i, key, got, ok, e)
				}
			}
			if m.Len() != known || m.Len() > n || len(m.ring) > n {
				t.Fatalf("step %d: %d known, want %d; the ring has %d of %d", i, m.Len(), known, len(m.ring), n)
			}
		}
	})
}

func TestMemoryNeedsRoom(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a memory without room was made")
		}
	}()
	NewMemory[int, int](0)
}

// TestFlightExcludes: at most one holds a key, each comes in, and keys do not hold up
// one another.
func TestFlightExcludes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Flight[string]
		first, err := f.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := f.Enter(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		var inside, entered int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				leave, err := f.Enter(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				inside, entered = inside+1, entered+1
				if inside != 1 {
					t.Errorf("%d hold the key", inside)
				}
				mu.Unlock()
				synctest.Wait() // let every other one try
				mu.Lock()
				inside--
				mu.Unlock()
				leave()
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		refused := make(chan error, 1)
		go func() { _, err := f.Enter(ctx, "a"); refused <- err }()
		synctest.Wait()
		if entered != 0 {
			t.Errorf("%d entered beside the holder", entered)
		}
		cancel()
		if err := <-refused; !errors.Is(err, context.Canceled) {
			t.Errorf("one that gave up got %v", err)
		}
		first()
		wg.Wait()
		other()
		if entered != 8 || len(f.busy) != 0 {
			t.Errorf("%d entered, %d keys are held", entered, len(f.busy))
		}
	})
}

var errFailed = errors.New("failed")

// TestGroupRunsOnce: of callers at the same time one runs, the others get its value,
// also later.
func TestGroupRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup[string, int](2)
		runs, release := 0, make(chan struct{})
		run := func() (int, error) { runs++; <-release; return runs, nil }
		var replays int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				v, replayed, err := g.Do(t.Context(), "a", Print{1}, run)
				mu.Lock()
				defer mu.Unlock()
				if replayed {
					replays++
				}
				if v != 1 || err != nil {
					t.Errorf("got %d %v", v, err)
				}
			})
		}
		synctest.Wait()
		if _, _, err := g.Do(t.Context(), "a", Print{2}, run); !errors.Is(err, ErrReused) {
			t.Errorf("another operation under the key in flight: %v", err)
		}
		close(release)
		wg.Wait()
		if _, _, err := g.Do(t.Context(), "a", Print{2}, run); !errors.Is(err, ErrReused) {
			t.Errorf("another operation under the key: %v", err)
		}
		if v, replayed, err := g.Do(t.Context(), "a", Print{1}, run); v != 1 || !replayed || err != nil || replays != 4 || runs != 1 {
			t.Errorf("a retry got %d %t %v; %d replays of %d runs", v, replayed, err, replays, runs)
		}
		for _, key := range []string{"b", "c"} { // a is evicted
			if _, replayed, _ := g.Do(t.Context(), key, Print{}, run); replayed {
				t.Errorf("%s was replayed", key)
			}
		}
		if v, replayed, _ := g.Do(t.Context(), "a", Print{2}, run); v != 4 || replayed {
			t.Errorf("an evicted key got %d, replayed %t", v, replayed)
		}
	})
}

// TestGroupAfterFailure: of those that wait for a run that fails, panics or is left, the
// next one runs, until one succeeds.
func TestGroupAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup[string, int](2)
		var mu sync.Mutex
		runs := 0
		run := func() (int, error) {
			mu.Lock()
			runs++
			n := runs
			mu.Unlock()
			synctest.Wait() // every other one waits
			switch n {
			case 1:
				return n, errFailed
			case 2:
				panic("failed")
			}
			return n, nil
		}
		var got []string
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				said := "panic"
				defer func() {
					_ = recover()
					mu.Lock()
					got = append(got, said)
					mu.Unlock()
				}()
				v, replayed, err := g.Do(t.Context(), "a", Print{}, run)
				switch {
				case errors.Is(err, errFailed):
					said = "failed"
				case err == nil && v == 3 && replayed:
					said = "replayed"
				case err == nil && v == 3:
					said = "ran"
				default:
					said = "wrong"
				}
			})
		}
		wg.Wait()
		slices.Sort(got)
		if want := []string{"failed", "panic", "ran", "replayed", "replayed", "replayed"}; !slices.Equal(got, want) || runs != 3 || len(g.running) != 0 {
			t.Errorf("%v after %d runs, %d in flight", got, runs, len(g.running))
		}
	})
}

// TestGroupGivesUp: who waits gives up when its context ends, and the run goes on.
func TestGroupGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup[string, int](1)
		release, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			_, _, _ = g.Do(t.Context(), "a", Print{}, func() (int, error) { <-release; return 1, nil })
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := g.Do(ctx, "a", Print{}, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(release)
		<-done
		if v, replayed, err := g.Do(ctx, "a", Print{}, nil); v != 1 || !replayed || err != nil {
			t.Errorf("got %d %t %v", v, replayed, err)
		}
	})
}
