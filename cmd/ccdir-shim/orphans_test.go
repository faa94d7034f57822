package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ccdir/internal/proc"
	"ccdir/wire"
)

// children are the processes below pid, by their state's letter (proc(5)).
func children(t testing.TB, pid int) (out map[int]string) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("no processes: %v", err)
	}
	out = map[int]string{}
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			out[n] = fields[0]
		}
	}
	return out
}

// TestOrphans: what the session leaves behind in sessions of their own becomes
// the host's, and is reaped; the exit code is the session's own.
func TestOrphans(t *testing.T) {
	if !adopts {
		t.Skip("this system has no subreapers")
	}
	h := startHost(t, nil, "sh", "-c", `
for i in 1 2 3 4 5 6 7 8; do (setsid sh -c 'exit '$i &); done
(setsid sh -c 'kill -STOP $$; exec sleep 1000' &)
read x; exit 7`)
	host := h.cmd.Process.Pid
	var left int
	eventually(t, "the orphans to be reaped, and the stopped one to be there", func() bool {
		all := children(t, host)
		left = 0
		for pid, state := range all {
			if state == "Z" {
				return false
			}
			if pid != h.ready.PID {
				left = pid
			}
		}
		return len(all) == 2 && all[left] == "T"
	})
	chain, err := proc.Ancestors(left)
	if err != nil || len(chain) < 2 || chain[1].PID != host || !strings.HasPrefix(chain[1].Name, "ccdir-shim") {
		t.Errorf("the chain is %+v, %v", chain, err)
	}
	defer func() { _ = kill(left) }()
	c := h.dial()
	if err := c.Send(&wire.Input{Type: wire.InputRaw, Text: []byte("\r")}); err != nil {
		t.Fatal(err)
	}
	_ = h.cmd.Wait()
	final, err := os.ReadFile(filepath.Join(h.spec.Dir, "final.json"))
	if err != nil || !strings.Contains(string(final), `"code":7`) {
		t.Errorf("the end: %.200s, %v", final, err)
	}
	if !proc.Alive(left, "") {
		t.Error("the orphan ended with the host")
	}
}
