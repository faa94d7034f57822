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

// NewEngine makes the terminal engine of that name; "" and names that are not
// known are our own.
func NewEngine(name string, o screen.Options) screen.Engine {
	if name == engineVT10x {
		return vt10x.New(o)
	}
	return vt.New(o)
}

// checkEngine refuses a name that NewEngine does not know.
func checkEngine(name string) error {
	switch name {
	case "", engineVT, engineVT10x:
		return nil
	}
	return fmt.Errorf("there is no terminal engine %q: use vt or vt10x", name)
}

// newEngine starts a fresh screen. h.mu is held or h not shared yet.
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

// guard calls fn, which calls the engine. When that panics, the engine is
// replaced by a fresh one, evidence tells why, and the application is asked to
// draw again. h.mu is held.
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
			h.child.signal(syscall.SIGWINCH)
		}
		h.wakeAll()
	}()
	fn()
	return true
}
