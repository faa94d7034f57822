// Package lent shares the person's terminal between its two writers: the painter, and
// between two frames the host of the session into which the person types (the lent
// terminal, see wire/directline). The host then writes a key's echo itself, which saves a
// process switch; the painter's next frame finds it there.
//
// One side writes at a time: whatever else is to be written takes the terminal back
// first. A [Screen]'s lock is held while the painter writes, or another program has the
// terminal; the terminal is lent only while the lock is free. Hosts get a loan only from
// panes that allow the fast path ([pane.Pane.Lender]); without one, Screen is a lock.
package lent

import (
	"sync"
	"unicode/utf8"

	"ccdir/tui/paint"
	"ccdir/tui/pane"
	"ccdir/wire"
	"ccdir/wire/directline"
)

// Screen is the content of the terminal, and the right to write to it.
type Screen struct {
	mu      sync.Mutex
	writer  *paint.Writer
	surface *paint.Surface
	// echoed counts the bytes that a host has written. It is called with mu held.
	echoed func(bytes int)
	// typing is the focus of the last picture, which surface shows.
	typing Focus
	// line is the line to whose host the terminal is lent, nil: to none; lentAt is the
	// focus of the picture that it was lent with.
	line   *directline.Line
	lentAt loan
}

// New makes a screen whose frames writer makes of surface.
func New(writer *paint.Writer, surface *paint.Surface, echoed func(bytes int)) *Screen {
	return &Screen{writer: writer, surface: surface, echoed: echoed}
}

// Focus is the pane into which the person types, as a surface shows it. The zero value
// is nowhere: no pane has the cursor, or something lies over it.
type Focus struct {
	Pane *pane.Pane
	// Number is the number of the pane's picture (pane.Pane.Read); 0: no host's picture.
	// The surface shows all of that picture for which In has room. Cols and Rows are the
	// picture's size in cells.
	Number     uint64
	Cols, Rows int
	// In is the pane's place on the surface. The picture's column Left is the first one
	// shown there.
	In   paint.Rect
	Left int
	// X and Y are the cursor on the surface, Cursor is the picture's.
	X, Y   int
	Cursor wire.Cursor
}

// Picture describes the picture that compose has drawn on the surface.
type Picture struct {
	Cursor paint.Cursor
	Focus  Focus
	// Lend: the person has typed lately, so that an echo may come.
	Lend bool
}

// Own takes the terminal back and keeps everybody else from writing until release.
func (s *Screen) Own() (release func()) {
	s.mu.Lock()
	s.takeBack()
	return s.mu.Unlock
}

// Close takes the terminal back, unless it is owned, and so has been taken back.
func (s *Screen) Close() {
	if s.mu.TryLock() {
		s.takeBack()
		s.mu.Unlock()
	}
}

// Frame shows another picture: compose draws it on the surface, write writes the bytes
// that show it, if there are any. The host may write until compose returns, unless anew
// is set: then compose draws all of the surface.
func (s *Screen) Frame(anew bool, compose func() Picture, write func(frame []byte) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if anew {
		s.takeBack()
	}
	pic := compose()
	s.typing = pic.Focus
	if !anew {
		pic.Cursor = s.takeBackLate(pic.Cursor)
	}
	line := s.borrower(pic)
	frame := s.writer.Frame(s.surface, pic.Cursor)
	if line != nil {
		frame = s.writer.AppendPlain(frame)
	}
	if len(frame) > 0 {
		if err := write(frame); err != nil {
			return err
		}
	}
	if line != nil {
		s.line, s.lentAt = line, s.loan()
		line.Lend(s.lentAt.of)
	}
	return nil
}

// borrower is the line to whose host the terminal may be lent with that picture, nil: to
// none.
func (s *Screen) borrower(pic Picture) *directline.Line {
	if !pic.Lend || s.typing.Pane == nil || s.typing.Number == 0 || !pic.Cursor.Visible {
		return nil
	}
	return s.typing.Pane.Lender()
}

// loan is the loan with one picture.
type loan struct {
	pane *pane.Pane
	of   directline.Loan
	last int // the column of the surface that shows the last one of the pane's picture
}

// loan is the part of the focused pane that may be lent.
func (s *Screen) loan() loan {
	f := &s.typing
	end := f.In.X + f.In.W
	if cols, _ := s.surface.Size(); end == cols {
		end-- // terminals differ in where the cursor waits behind their last column
	}
	of := directline.Loan{Shows: f.Number, Room: end - f.X}
	if f.Cursor.X == f.Cols-1 && f.Cols <= f.In.W && f.Cursor.Y+1 < f.Rows && f.Y+1 < f.In.Y+f.In.H {
		of.Next = directline.Next{Row: f.Y + 2, Col: f.In.X + 1, Room: end - f.In.X}
	}
	return loan{f.Pane, of, f.In.X + min(f.In.W, f.Cols-f.Left) - 1}
}

// takeBack ends the loan and notes the host's echo: in writer, and on the surface unless
// that shows a later picture. cells is how many cells of the echo the surface shows that
// its picture does not have.
func (s *Screen) takeBack() (wrote directline.Written, cells int) {
	line := s.line
	if line == nil {
		return wrote, 0
	}
	s.line = nil
	wrote, known := line.TakeBack()
	if !known {
		s.writer.Clear()
	}
	if wrote.Text == "" {
		return wrote, 0
	}
	e := paint.Echo{Text: wrote.Text, Late: s.typing.Pane != s.lentAt.pane || s.typing.Number != s.lentAt.of.Shows}
	if next := s.lentAt.of.Next; wrote.Wrapped {
		e.Moved, e.X, e.Y = true, next.Col-1, next.Row-1
	}
	s.writer.Echoed(s.surface, e)
	if !e.Late {
		cells = utf8.RuneCountInString(wrote.Text)
	}
	s.echoed(len(wrote.Text))
	return wrote, cells
}

// takeBackLate is takeBack after the surface was brought up to date, with the cursor at
// cur. It returns where the cursor is now.
func (s *Screen) takeBackLate(cur paint.Cursor) paint.Cursor {
	wrote, cells := s.takeBack()
	if cells == 0 {
		return cur
	}
	if next := s.lentAt.of.Next; wrote.Wrapped {
		cur.X, cur.Y = next.Col-1, next.Row-1
	}
	cur.X = min(cur.X+cells, s.lentAt.last) // behind the last column it waits in it
	s.typing = Focus{}                      // its picture is no longer shown
	return cur
}
