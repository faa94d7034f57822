package tui

import (
	"ccdir/internal/grid"
	"ccdir/internal/hostwire"
	"ccdir/tui/sgr"
)

// picture is what a pane shows: a *hostwire.Mirror while the session runs, a
// *still afterwards.
type picture interface {
	Size() (cols, rows int)
	Row(y int) grid.Row
	Table() *grid.Table
	Gen() uint64
	Cursor() hostwire.Cursor
	Flags() hostwire.FrameFlags
}

// still is a screen that doesn't change any more.
type still struct{ sgr.Screen }

// parseStill is the last screen of a session as the daemon tells it.
func parseStill(text string, cols, rows int) *still {
	return &still{sgr.Parse(text, cols, rows)}
}

func (s *still) Size() (cols, rows int)     { return s.Cols, len(s.Rows) }
func (s *still) Row(y int) grid.Row         { return s.Rows[y] }
func (s *still) Table() *grid.Table         { return s.Screen.Table }
func (s *still) Gen() uint64                { return 1 }
func (s *still) Cursor() hostwire.Cursor    { return hostwire.Cursor{} }
func (s *still) Flags() hostwire.FrameFlags { return 0 }
