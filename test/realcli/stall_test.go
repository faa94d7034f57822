package realcli

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// On a machine that stalls or is overloaded the CLI reports late; a failure there is
// retried. On any other machine one failure counts.
const (
	// stood is how long a machine stands still that a state may be wrong on.
	stood = 100 * time.Millisecond
	// crowded is how much of its processors' time one spends that has more to do than
	// it can.
	crowded = 0.85
	// plays is how often a scenario is played at most.
	plays = 3
)

// playAgain plays until there is no failure, or the machine is not to blame; it returns
// the last failures. Late reports on an overloaded machine are no wrong state, so each
// retry has more slack; a state that stays wrong fails with any slack.
func playAgain(t *testing.T, watch func() (tooSlow func() string), play func(slack int64) (wrong []string)) (wrong []string) {
	t.Helper()
	for n := 1; ; n++ {
		tooSlow := watch()
		wrong = play(int64(n) * liveSlack)
		why := tooSlow()
		if len(wrong) == 0 || why == "" || n == plays {
			return wrong
		}
		t.Logf("played once more, %s and the state was wrong:\n%s", why, strings.Join(wrong, "\n"))
	}
}

// watchMachine looks at the machine until what it returns is called, which says why
// the machine was too slow, or "".
func watchMachine() func() string {
	var (
		watcher     sync.WaitGroup
		end         = make(chan struct{})
		most        time.Duration
		busy, total = processorTime()
	)
	watcher.Go(func() {
		const nap = 10 * time.Millisecond
		for {
			began := time.Now()
			select {
			case <-time.After(nap):
				most = max(most, time.Since(began)-nap)
			case <-end:
				return
			}
		}
	})
	return func() string {
		close(end)
		watcher.Wait()
		busyNow, totalNow := processorTime()
		switch share := float64(busyNow-busy) / float64(max(totalNow-total, 1)); {
		case most > stood:
			return fmt.Sprintf("the machine stood still for %v", most)
		case share > crowded:
			return fmt.Sprintf("its processors were busy for %.0f %% of the time", 100*share)
		}
		return ""
	}
}

// processorTime is what all processors have spent, and how much of it not at rest, in
// the system's ticks; 0 where that is not told.
func processorTime() (busy, total int64) {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	return parseProcessorTime(string(data), nice() > 0)
}

// nice is this process's own niceness.
func nice() int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return 0
	}
	if runtime.GOOS == "linux" {
		n = 20 - n // so does the kernel tell it
	}
	return n
}

// parseProcessorTime reads /proc/stat. Processes with a nice value yield, so a
// processor that runs only those counts as idle: it is no excuse for being late.
// (niced: this process itself has one.)
func parseProcessorTime(stat string, niced bool) (busy, total int64) {
	var user, nice, system, idle, wait, irq, soft, steal int64
	if _, err := fmt.Sscanf(stat, "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); err != nil {
		return 0, 0
	}
	busy = user + nice + system + irq + soft + steal
	total = busy + idle + wait
	if !niced {
		busy -= nice
	}
	return busy, total
}

func TestParseProcessorTime(t *testing.T) {
	const stat = "cpu  100 1 20 400 30 2 3 4 0 0\ncpu0 1 1 1 1"
	for _, c := range []struct {
		stat  string
		niced bool
		want  [2]int64
	}{
		{stat, false, [2]int64{129, 560}}, {stat, true, [2]int64{130, 560}},
		{"intr 1 2 3", false, [2]int64{0, 0}}, {"", false, [2]int64{0, 0}},
	} {
		if busy, total := parseProcessorTime(c.stat, c.niced); [2]int64{busy, total} != c.want {
			t.Errorf("%q, ourselves niced %v: %d of %d", c.stat, c.niced, busy, total)
		}
	}
}

// TestPlayAgain: what is wrong is played again only where the machine is to blame, and
// what is wrong every time stays wrong.
func TestPlayAgain(t *testing.T) {
	for _, c := range []struct {
		why           string // the machine was too slow
		wrongs        int    // that many plays are wrong
		times         int
		wrongInTheEnd bool
	}{
		{"", 0, 1, false}, {"", 1, 1, true}, {"it stood still", 0, 1, false}, {"it stood still", 1, 2, false},
		{"it stood still", plays - 1, plays, false}, {"it stood still", plays, plays, true},
	} {
		n := 0
		wrong := playAgain(t, func() func() string { return func() string { return c.why } }, func(slack int64) []string {
			if n++; slack != int64(n)*liveSlack {
				t.Errorf("play %d has slack %d", n, slack)
			}
			if n <= c.wrongs {
				return []string{"wrong"}
			}
			return nil
		})
		if n != c.times || len(wrong) > 0 != c.wrongInTheEnd {
			t.Errorf("%+v: %d plays, %q", c, n, wrong)
		}
	}
	stop := watchMachine()
	time.Sleep(30 * time.Millisecond)
	_ = stop() // whatever it says of this machine
}
