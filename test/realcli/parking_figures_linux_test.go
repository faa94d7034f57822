package realcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/internal/proc"
	"ccdir/test/fakeapi"
)

// pss is the proportional memory of a process and all below it, in MiB.
func pss(t *testing.T, root int) (sum float64) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if _, below := proc.Depth(pid, root); pid != root && !below {
			continue
		}
		data, err := os.ReadFile(filepath.Join("/proc", e.Name(), "smaps_rollup"))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(data)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
				sum += float64(kb) / 1024
			}
		}
	}
	return sum
}

// TestParkFigures measures what parking saves and what waking costs, for docs/parking.md: with
// CCDIR_PARK_FIGURES agents.
func TestParkFigures(t *testing.T) {
	agents, err := strconv.Atoi(os.Getenv("CCDIR_PARK_FIGURES"))
	if err != nil {
		t.Skip("CCDIR_PARK_FIGURES is the number of agents to measure with")
	}
	Claude(t)
	fake := fakeapi.New(nil)
	defer fake.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute+time.Duration(agents)*30*time.Second)
	defer cancel()
	p := Install(t, Home(t, fake.URL()))
	var ids []string
	for range agents {
		id := p.New(ctx)
		ids = append(ids, id)
		p.State(ctx, id, api.StateIdle)
		send(ctx, p, id, "hello")
		p.State(ctx, id, api.StateIdle)
	}
	time.Sleep(3 * time.Second) // memory of the start is given back
	before := 0.0
	for _, id := range ids {
		before += pss(t, p.Show(ctx, id).HostPID)
	}
	var ends, wakes []time.Duration
	for _, id := range ids {
		parks(ctx, p, id)
	}
	for n, id := range ids {
		began := time.Now()
		if n%2 == 0 {
			if _, err := p.Client.WakeSession(ctx, id); err != nil {
				t.Fatal(err)
			}
			ends = append(ends, time.Since(began))
			p.State(ctx, id, api.StateIdle)
			wakes = append(wakes, time.Since(began))
			continue
		}
		send(ctx, p, id, fmt.Sprintf("go on, %d", n))
		wakes = append(wakes, time.Since(began))
	}
	slices.Sort(wakes)
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d agents: %.0f MiB before, 0 after (no process); from wake to its prompt, or the prompt taken: p50 %s, all %s; the process runs after %s; load %s",
		agents, before, wakes[len(wakes)/2], wakes, ends, strings.TrimSpace(string(load)))
}
