package core

import "math"

// Kind is the shape of a selection.
type Kind uint8

// Shapes of selections. By word and by line is what double and triple clicks
// begin: the selection grows by whole words or lines.
const (
	None  Kind = iota
	Char       // from one character to another, over line ends
	Lines      // whole lines of text, soft wraps included
	Block      // a rectangle
	Words      // as Char, by whole words
)

// Motion is a movement of the cursor.
type Motion uint8

// The motions, by vi's keys.
const (
	Left         Motion = iota // h
	Right                      // l
	Up                         // k
	Down                       // j
	WordForward                // w
	WordBack                   // b
	WordEnd                    // e
	LineStart                  // 0
	LineText                   // ^
	LineEnd                    // $
	First                      // g
	Last                       // G
	HalfUp                     // C-u
	HalfDown                   // C-d
	PageUp                     // C-b
	PageDown                   // C-f
	ScrollUp                   // C-y: the view moves, the cursor as little as it can
	ScrollDown                 // C-e
	ViewTop                    // H
	ViewMiddle                 // M
	ViewBottom                 // L
	PreviousPara               // {
	NextPara                   // }
)

// atEnd is the wanted column after $.
const atEnd = math.MaxInt

// State is a view of a buffer with a cursor and a selection. Copy it freely.
type State struct {
	Buf Buffer
	// W and H are the view in cells, Top its first line, Left its first column.
	W, H, Top, Left int
	Cursor          Pos
	// Anchor is where the selection began; it means nothing if Kind is None.
	Anchor Pos
	Kind   Kind
	want   int
}

// New is the view of the last h lines with the cursor at cur.
func New(b Buffer, w, h int, cur Pos) State {
	s := State{Buf: b, Top: b.End() - max(1, h)}
	s.Resize(w, h)
	s.Jump(cur)
	return s
}

// Show brings line top and column left to the upper left corner, as far as that
// goes.
func (s *State) Show(top, left int) {
	s.Top, s.Left = top, max(0, left)
	s.clampTop()
}

// Replace takes other lines for the same view: cursor and selection stay where
// they are as far as there are lines.
func (s *State) Replace(b Buffer) {
	s.Buf = b
	s.Cursor, s.Anchor = s.clamp(s.Cursor), s.clamp(s.Anchor)
	s.follow()
}

// Resize changes the size of the view; the cursor stays in it.
func (s *State) Resize(w, h int) {
	s.W, s.H = max(1, w), max(1, h)
	s.follow()
}

// Prepend takes older lines in.
func (s *State) Prepend(p *Page) { s.Buf = s.Buf.Prepend(p) }

// Jump puts the cursor on a cell, clamped to the lines there are.
func (s *State) Jump(p Pos) {
	s.Cursor = s.clamp(p)
	s.want = s.Cursor.Col
	s.follow()
}

func (s *State) clamp(p Pos) Pos {
	p.Line = min(max(p.Line, s.Buf.First()), max(s.Buf.End()-1, s.Buf.First()))
	p.Col = max(0, p.Col)
	return s.Buf.head(p)
}

// follow scrolls so that the cursor is in view.
func (s *State) follow() {
	s.Top = min(max(s.Top, s.Cursor.Line-s.H+1), s.Cursor.Line)
	s.clampTop()
	s.Left = min(max(s.Left, s.Buf.last(s.Cursor)-s.W+1), s.Cursor.Col)
}

func (s *State) clampTop() { s.Top = max(min(s.Top, s.maxTop()), s.Buf.First()) }

// maxTop is the first line of the view at the bottom: the screen as it was, its
// first row at the top where the view is higher than the screen.
func (s *State) maxTop() int { return max(s.Buf.End()-s.H, 0) }

// AtBottom reports whether the newest line is in view.
func (s State) AtBottom() bool { return s.Top >= s.maxTop() }

// Above is how many lines the view is above the bottom.
func (s State) Above() int { return max(0, s.maxTop()-s.Top) }

// MostAbove is how many lines above the bottom the view can be: those that have left
// the screen, and those of the screen for which the pane has no room.
func (s State) MostAbove() int { return max(0, s.maxTop()-s.Buf.First()) }

// Scroll moves the view by n lines (negative: to older ones); the cursor stays
// in view.
func (s *State) Scroll(n int) {
	s.Top += n
	s.clampTop()
	line := min(max(s.Cursor.Line, s.Top), s.Top+s.H-1)
	if line != s.Cursor.Line {
		s.toLine(line)
	}
}

// toLine moves the cursor to a line, as near to the wanted column as it goes.
func (s *State) toLine(n int) {
	n = min(max(n, s.Buf.First()), max(s.Buf.End()-1, s.Buf.First()))
	col := min(s.want, max(0, s.Buf.Len(n)-1))
	if s.Kind == Block && s.want != atEnd {
		col = s.want
	}
	s.Cursor = s.Buf.head(Pos{n, col})
	s.follow()
}

// Move carries out a motion count times (0 counts as 1, and for First and Last
// as not given).
func (s *State) Move(m Motion, count int) {
	n := min(max(count, 1), 1_000_000)
	switch m {
	case Up:
		s.toLine(s.Cursor.Line - n)
	case Down:
		s.toLine(s.Cursor.Line + n)
	case First:
		s.toLine(s.Buf.First() + n - 1)
	case Last:
		if count > 0 {
			s.toLine(s.Buf.First() + n - 1)
		} else {
			s.toLine(s.Buf.End() - 1)
		}
	case ViewTop:
		s.toLine(s.Top + n - 1)
	case ViewMiddle:
		s.toLine(s.Top + min(s.H, s.Buf.End()-s.Top)/2)
	case ViewBottom:
		s.toLine(min(s.Top+s.H, s.Buf.End()) - n)
	case HalfUp, HalfDown, PageUp, PageDown, ScrollUp, ScrollDown:
		s.page(m, n)
	case PreviousPara, NextPara:
		step := 1
		if m == PreviousPara {
			step = -1
		}
		for range min(n, s.Buf.End()-s.Buf.First()) {
			s.toLine(s.Buf.paragraph(s.Cursor.Line, step))
		}
		s.want, s.Cursor.Col = 0, 0
		s.follow()
	default:
		s.inLine(m, n)
	}
}

func (s *State) page(m Motion, n int) {
	switch m {
	case ScrollUp:
		s.Scroll(-n)
		return
	case ScrollDown:
		s.Scroll(n)
		return
	}
	by := max(1, s.H-2)
	if m == HalfUp || m == HalfDown {
		by = max(1, s.H/2)
	}
	if m == HalfUp || m == PageUp {
		by = -by
	}
	row := s.Cursor.Line - s.Top
	top := s.Top
	s.Top += by * n
	s.clampTop()
	if s.Top == top { // no further: the cursor goes to the end
		s.toLine(s.Cursor.Line + by*n)
		return
	}
	s.toLine(s.Top + row)
}

// inLine carries out the motions that look at characters.
func (s *State) inLine(m Motion, n int) {
	p := s.Cursor
	switch m {
	case LineStart:
		p.Col = 0
	case LineText:
		p.Col = s.Buf.firstText(p.Line)
	case LineEnd:
		p.Col = max(0, s.Buf.Len(p.Line)-1)
	default:
		for range min(n, 100_000) {
			q := s.step(m, p)
			if q == p {
				break
			}
			p = q
		}
	}
	s.Jump(p)
	if m == LineEnd {
		s.want = atEnd
	}
}

func (s *State) step(m Motion, p Pos) Pos {
	switch m {
	case Left:
		if p.Col > 0 {
			p.Col--
		}
		return s.Buf.head(p)
	case Right:
		col := s.Buf.last(p) + 1
		if col < s.Buf.Len(p.Line) || s.Kind == Block && col < s.Left+s.W {
			p.Col = col
		}
	case WordForward:
		return s.Buf.wordForward(p)
	case WordBack:
		return s.Buf.wordBack(p)
	case WordEnd:
		return s.Buf.wordEnd(p)
	}
	return p
}
