package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ccdir/api"
	"ccdir/wire"
)

// hostMost bounds a host's memory after floods, in MB: rings, histories and frames are
// bounded.
const hostMost = 48

// memory is a process's resident set in MB, 0 where the system does not tell.
func memory(t *testing.T, pid int) float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	for line := range bytes.Lines(data) {
		var kb float64
		if n, _ := fmt.Sscanf(string(line), "VmRSS: %f kB", &kb); n == 1 {
			return kb / 1024
		}
	}
	return 0
}

// TestFlood: an agent that prints 100 MB, and one that prints 10 MB without a newline,
// affect no other session: one beside them echoes meanwhile, their hosts stay small,
// and their final screens are right.
func TestFlood(t *testing.T) {
	w := newWorld(t, "", "")
	w.start()
	w.sh("cat", "exec cat")
	flood := w.sh("flood", `i=0; l=$(head -c 9999 /dev/zero | tr '\0' x | fold -w 77); while [ $i -lt 10000 ]; do i=$((i+1)); echo "$l"; done; echo FLOOD-END; exec cat`)
	long := w.sh("long", `head -c 10000000 /dev/zero | tr '\0' y; echo LONG-END; exec cat`)
	w.echoes("cat", "beside-floods")
	for name, s := range map[string]api.Session{"FLOOD-END": flood, "LONG-END": long} {
		w.until(name, func() bool {
			out, err := w.client.Output(t.Context(), s.ID, wire.OutputParams{Format: "text"})
			return err == nil && strings.Contains(out.Text, name)
		})
		if mb := memory(t, s.HostPID); mb > hostMost {
			t.Errorf("the host of %s has %.0f MB", s.Name, mb)
		} else {
			t.Logf("the host of %s has %.0f MB", s.Name, mb)
		}
		w.echoes(s.Name, "still-there")
	}
	raw, err := w.client.Output(t.Context(), flood.ID, wire.OutputParams{Format: "raw"})
	if err != nil || raw.End < 100_000_000 || !bytes.Contains(raw.Raw, []byte("FLOOD-END")) {
		t.Errorf("the ring is at %d, %v", raw.End, err)
	}
}

// TestNeverReads: a program that never reads its input gets as much as the terminal
// buffers. Then input is refused with a message, and no other session is affected.
func TestNeverReads(t *testing.T) {
	w := newWorld(t, "", "")
	w.start()
	w.sh("cat", "exec cat")
	w.sh("deaf", "stty raw -echo; echo DEAF; exec sleep 1000")
	w.until("deaf to be so", func() bool { return strings.Contains(w.text("deaf"), "DEAF") })
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var err error
	var wg sync.WaitGroup
	wg.Go(func() {
		for err == nil {
			err = w.client.Input(ctx, "deaf", api.RawInput{Data: bytes.Repeat([]byte("z"), 1<<20)})
		}
	})
	w.echoes("cat", "beside-the-deaf")
	wg.Wait()
	w.says(err, "") // one line; which one depends on which side gives up first
	w.echoes("cat", "afterwards")
	w.verb(true, "kill", "--force", "deaf")
}

// TestManySessions: 64 sessions are started at once; each runs and answers, one more is
// refused with a message, and all end.
func TestManySessions(t *testing.T) {
	const many = 64
	w := newWorld(t, "", fmt.Sprintf("max_sessions = %d\n", many))
	w.start()
	began := time.Now()
	errs := make([]error, many)
	var wg sync.WaitGroup
	for i := range many {
		wg.Go(func() { _, errs[i] = w.try(fmt.Sprintf("s%d", i), "echo up; exec cat") })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d sessions run after %s", many, time.Since(began).Round(time.Millisecond))
	list, err := w.client.Sessions(t.Context())
	if err != nil || len(list) != many {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	for _, v := range list {
		if v.State.Ended() || v.PID == 0 {
			t.Errorf("%s: %+v", v.Name, v)
		}
	}
	for _, name := range []string{"s0", "s31", "s63"} {
		w.echoes(name, "one-of-many")
	}
	_, err = w.try("more", "exec cat")
	w.says(err, "64 sessions run already", "max_sessions")
}

// TestNoPseudoTerminals: the system has no pseudo-terminal left. The session is refused
// with a message, leaves nothing behind, and the others continue; once one is free, it
// can be started.
func TestNoPseudoTerminals(t *testing.T) {
	w := newWorld(t, "", "")
	w.start()
	w.sh("cat", "exec cat")
	point := filepath.Join(w.faults, "pty")
	if err := os.WriteFile(point, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := w.try("none", "exec cat")
	w.says(err, "pseudo-terminals")
	w.says(said(w.verb(false, "new", "-n", "none", "--", "cat")), "out of", "pseudo-terminals")
	w.echoes("cat", "meanwhile")
	if list, err := w.client.Sessions(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("sessions: %v, %v", list, err)
	}
	dirs, err := os.ReadDir(filepath.Dir(w.paths.SessionDir("x")))
	if err != nil || len(dirs) != 1 {
		t.Errorf("directories of sessions: %v, %v", dirs, err)
	}
	if err := os.Remove(point); err != nil {
		t.Fatal(err)
	}
	w.sh("none", "exec cat")
	w.echoes("none", "at-last")
}
