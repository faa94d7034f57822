package terminal

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"ccdir/internal/keymap"
	"ccdir/tui/pane"
)

// Route is where the reader may send input without asking the program: to Pane, unless
// that is nil or the key is the prefix key.
type Route struct {
	Pane   *pane.Pane
	Prefix string // the key's name
}

// Router is shared by the reader and the program: it holds the route and counts the inputs
// in flight to the program. While there are any, the reader hands everything to the
// program, so that no input overtakes another. The zero value routes everything to the
// program. Its methods may be called from any goroutine.
type Router struct {
	route     atomic.Pointer[Route]
	pending   atomic.Int64
	lastInput atomic.Int64
	prefix    atomic.Uint32
}

// Set changes the route.
func (r *Router) Set(to Route) {
	if old := r.route.Load(); old == nil || *old != to {
		r.route.Store(&to)
	}
}

// Route is the route of the last Set.
func (r *Router) Route() Route {
	if at := r.route.Load(); at != nil {
		return *at
	}
	return Route{}
}

// direct is the pane to which a key of that name goes at once, nil if the program has to
// decide.
func (r *Router) direct(name string) *pane.Pane {
	if r.pending.Load() != 0 {
		return nil
	}
	at := r.route.Load()
	if at == nil || name == at.Prefix {
		return nil
	}
	return at.Pane
}

// Handled says that the program has dealt with one input.
func (r *Router) Handled() { r.pending.Add(-1) }

// Busy reports whether an input is in flight to the program.
func (r *Router) Busy() bool { return r.pending.Load() > 0 }

// NoteInput says that the person gave an input at that time.
func (r *Router) NoteInput(at time.Time) { r.lastInput.Store(at.UnixNano()) }

// LastInput is when the person gave the last input, in Unix nanoseconds; 0: none yet.
func (r *Router) LastInput() int64 { return r.lastInput.Load() }

// SetKeys takes the prefix key from the table of keys.
func (r *Router) SetKeys(k *keymap.Map) { r.prefix.Store(uint32(prefixByte(k))) }

// PrefixByte is the byte that the terminal sends for the prefix key, see prefixByte.
func (r *Router) PrefixByte() byte { return byte(r.prefix.Load()) }

// prefixByte is the byte that a terminal sends for the prefix key, 0 if that key is sent
// as a sequence, or is bound with Alt too.
func prefixByte(k *keymap.Map) byte {
	name := k.Prefix()
	if len(name) != len("C-b") || !strings.HasPrefix(name, "C-") {
		return 0
	}
	alt := keymap.Join(true, true, false, name[2:])
	if slices.ContainsFunc(k.Bindings(), func(b keymap.Binding) bool { return slices.Contains(b.Keys, alt) }) {
		return 0
	}
	return name[2] & 0x1f
}
