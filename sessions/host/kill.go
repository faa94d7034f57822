package host

import (
	"fmt"
	"sync"
	"syscall"
	"time"

	"ccdir/sessions/host/keyenc"
	"ccdir/wire"

	"golang.org/x/sys/unix"
)

// keysTimeout bounds the wait for a kill's keys to be written: a process that reads nothing
// is signalled without them.
const keysTimeout = 200 * time.Millisecond

// kill starts to end the process: keys, then a signal to its group, then KILL after the
// grace. It does not block.
func (h *host) kill(p wire.KillParams) error {
	keys, err := keyenc.ParseAll(p.Keys)
	if err != nil {
		return err
	}
	sig, err := signalNamed(p.Signal)
	if err != nil {
		return err
	}
	var once sync.Once
	next := func() {
		once.Do(func() {
			h.signal(sig)
			if p.GraceMS > 0 {
				h.after(time.Duration(p.GraceMS)*time.Millisecond, func() { h.signal(syscall.SIGKILL) })
			}
		})
	}
	if len(keys) == 0 {
		next()
		return nil
	}
	h.after(keysTimeout, next)
	h.tryEnqueue(func() {
		h.mu.Lock()
		var b []byte
		m := h.state().Modes
		for _, k := range keys {
			b = keyenc.Append(b, k, m)
		}
		h.mu.Unlock()
		_ = h.write(b)
		next()
	})
	return nil
}

// rest ends the process gently unless somebody has used it meanwhile. The writer calls it, so that
// nothing typed is under way.
func (h *host) rest(p wire.RestParams) wire.RestResult {
	defer h.hold()()
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.person.count != p.Typed:
		return wire.RestResult{Kept: wire.KeptTyped}
	case p.Unwatched && h.watched():
		return wire.RestResult{Kept: wire.KeptWatched}
	}
	if !h.reaped {
		h.rested = resting{until: time.Now().Add(restLimit), typed: p.Typed, screen: h.saved(), title: h.titles.now}
		h.child.Signal(syscall.SIGTERM)
	}
	return wire.RestResult{}
}

// resting is the screen of a process that was asked to end by rest. What the process paints on its
// way out (it leaves its screen and takes its leave) is neither shown nor saved.
type resting struct {
	until  time.Time // until when it counts; zero: no rest
	typed  uint64    // the count of a person's inputs: another one means that it goes on
	screen []byte    // in its saved form
	title  string
}

// restLimit is how long a process may take to end by a rest.
const restLimit = 10 * time.Second

// rests reports whether the process is on its way out by a rest. h.mu is held.
func (h *host) rests() bool {
	return !h.rested.until.IsZero() && h.person.count == h.rested.typed && (h.reaped || time.Now().Before(h.rested.until))
}

// signalNamed returns the signal of a name such as "HUP"; 0 for "".
func signalNamed(name string) (syscall.Signal, error) {
	if name == "" {
		return 0, nil
	}
	if s := unix.SignalNum("SIG" + name); s != 0 {
		return s, nil
	}
	return 0, fmt.Errorf("%q is not the name of a signal", name)
}

// signal sends sig to the process group, unless the process was reaped.
func (h *host) signal(sig syscall.Signal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if sig != 0 && !h.reaped {
		h.child.Signal(sig)
	}
}

// after runs fn later, unless the host ends first.
func (h *host) after(d time.Duration, fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopping {
		h.timers = append(h.timers, time.AfterFunc(d, fn))
	}
}

// stopTimers stops all timers at the host's end.
func (h *host) stopTimers() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.size.timer.Stop()
	h.tidy.timer.Stop()
	h.titles.stop()
	if h.resume != nil {
		h.resume.Stop()
	}
	for _, t := range h.timers {
		t.Stop()
	}
}
