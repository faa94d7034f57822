package vt

import (
	"strings"
	"testing"
	"time"

	"ccdir/sessions/screen"
)

// hostile are short inputs that ask for much work.
var hostile = []string{
	"\x1b#8", "\x1bc", "\x1b[2J", "\x1b[3J", "\x1b[65535b", "x\x1b[65535b", "日\x1b[9999b", "\x1b[65535L", "\x1b[65535M", "\x1b[65535S", "\x1b[65535T", "\x1b[999 @", "\x1b[999 A", "\x1b['}",
	"\x1b[999@", "\x1b[999P", "\x1b[65535X", "\x1b[65535I", "\x1b[65535Z", "\x1b[?2J", "\x1b[?1049h\x1b[?1049l", "\x1b[6n", "\x1b[?69$p", "\x1bP$qm\x1b\\", "\x1b[22t", "\x1b[>1u",
	"\x1b]0;" + strings.Repeat("t", 2000) + "\x07", "\x1b]8;;http://a/" + strings.Repeat("l", 2000) + "\x07x", "\x1b[" + strings.Repeat("1;", 100) + "m", "e" + strings.Repeat("\u0301", 50), "\n", "\x1bM", "👩\u200d💻",
	"\x1bP+q" + strings.Repeat("00;", 100) + "\x1b\\", "\x1b]4;" + strings.Repeat("1;?;", 100) + "\x07",
}

// TestHostileCost: 16 KiB of anything on a large screen with a history take well
// under a second of a processor; the bound is wide for slow ones and the race detector.
func TestHostileCost(t *testing.T) {
	for _, s := range hostile {
		term := New(screen.Options{Cols: 200, Rows: 50, HistoryLines: 10000, Name: "x"})
		data := []byte(strings.Repeat(s, max(1, (16<<10)/len(s))))
		start := cpuTime()
		feed(term, data, 4096)
		took := cpuTime() - start
		if took > 10*time.Second {
			t.Errorf("16 KiB of %.40q took %v", s, took)
		}
		if took > 500*time.Millisecond {
			t.Logf("16 KiB of %.40q took %v", s, took)
		}
		checkInvariants(t, term)
	}
}
