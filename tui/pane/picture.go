package pane

import (
	"ccdir/internal/cells"
	"ccdir/tui/widget/sgr"
	"ccdir/wire"
)

// Picture is the screen that a pane shows: a *wire.Mirror while the session runs, a *Still
// afterwards.
type Picture interface {
	Size() (cols, rows int)
	Row(y int) cells.Row
	Table() *cells.Table
	Gen() uint64
	Cursor() wire.Cursor
	Flags() wire.FrameFlags
}

// Still is a screen that no longer changes.
type Still struct{ sgr.Screen }

// ParseStill parses the last screen of a session, as the daemon returns it.
func ParseStill(text string, cols, rows int) *Still {
	return &Still{sgr.Parse(text, cols, rows)}
}

// Size is the screen's, in cells.
func (s *Still) Size() (cols, rows int) { return s.Cols, len(s.Rows) }

// Row is line y, from 0.
func (s *Still) Row(y int) cells.Row { return s.Rows[y] }

// Table has the styles and texts of the cells.
func (s *Still) Table() *cells.Table { return s.Screen.Table }

// Gen never changes.
func (s *Still) Gen() uint64 { return 1 }

// Cursor is hidden.
func (s *Still) Cursor() wire.Cursor { return wire.Cursor{} }

// Flags are none: no program reads input.
func (s *Still) Flags() wire.FrameFlags { return 0 }

// Show replaces the picture by a [*Still].
func (p *Pane) Show(pic Picture) {
	p.mu.Lock()
	p.pic, p.number = pic, 0
	p.mu.Unlock()
	p.arrived.Store(true)
	cols, rows := pic.Size()
	p.change(func(s *State) { s.Cols, s.Rows, s.Flags = cols, rows, 0 })
	p.touch()
}

// touch marks the picture as changed.
func (p *Pane) touch() {
	p.dirty.Store(true)
	p.cfg.Wake(p)
}

// TakeDirty reports whether the picture changed since the last call, or was marked.
func (p *Pane) TakeDirty() bool { return p.dirty.Swap(false) }

// MarkDirty makes the next TakeDirty true.
func (p *Pane) MarkDirty() { p.dirty.Store(true) }

// Read calls f with the picture and the number that the host gave it, 0 if it is not a
// host's; the picture changes as soon as f returns. It reports whether there is one.
func (p *Pane) Read(f func(pic Picture, number uint64)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pic == nil {
		return false
	}
	f(p.pic, p.number)
	return true
}

// HasPicture reports whether there is anything to show.
func (p *Pane) HasPicture() bool { return p.Read(func(Picture, uint64) {}) }

// Generation is the picture's generation; 0 if there is none.
func (p *Pane) Generation() (gen uint64) {
	p.Read(func(pic Picture, _ uint64) { gen = pic.Gen() })
	return gen
}

// Expected reports whether the first picture is on its way.
func (p *Pane) Expected() bool { return !p.arrived.Load() && !p.gone.Load() }
