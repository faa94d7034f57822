package host

import (
	"fmt"
	"syscall"

	"ccdir/sessions/screen"
	"ccdir/sessions/screen/vt"
	"ccdir/sessions/screen/vt10x"
	"ccdir/wire"
)

// Names of engines.
const (
	engineVT    = "vt"
	engineVT10x = "vt10x"
)

// NewEngine makes the named terminal engine; unknown names and "" give vt.
func NewEngine(name string, o screen.Options) screen.Engine {
	if name == engineVT10x {
		return vt10x.New(o)
	}
	return vt.New(o)
}

// checkEngine refuses unknown engine names.
func checkEngine(name string) error {
	switch name {
	case "", engineVT, engineVT10x:
		return nil
	}
	return fmt.Errorf("there is no terminal engine %q: use vt or vt10x", name)
}

// newEngine starts with an empty screen. h.mu is held, or h is not shared yet.
func (h *host) newEngine(cols, rows int) {
	h.eng = h.opts.Engine(h.spec.Engine, screen.Options{
		Cols: cols, Rows: rows,
		HistoryLines:  h.spec.Scrollback,
		Listener:      &h.osc,
		Name:          "ccdir",
		Version:       h.opts.Version,
		KittyKeyboard: h.spec.KittyKeyboard,
	})
	h.engEpoch++
	h.direct.Allow(true)
}

// guard calls fn, which calls the engine. If that panics, a fresh engine replaces it, the
// evidence says why, and the application is asked to redraw. h.mu is held.
func (h *host) guard(what string, fn func()) (ok bool) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		ok = false
		h.record(wire.EvidenceEngine, field{"error", fmt.Sprintf("terminal engine failed in %s: %v; the screen was reset", what, r)})
		h.newEngine(h.size.cols, h.size.rows)
		if !h.reaped {
			h.child.Signal(syscall.SIGWINCH)
		}
		h.wakeAll()
	}()
	fn()
	return true
}
