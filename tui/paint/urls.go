package paint

import (
	"bytes"
	"unicode"

	"ccdir/internal/cells"
)

// mostURLs is how many addresses found in text a table holds, so that links that programs
// made keep their room. Once they are used up, the surface is Crowded.
const mostURLs = cells.MaxLinks * 3 / 4

// LinkURLs makes the web addresses in the text of r hyperlinks, where the terminal has them.
// The rows of r are one line that is wrapped. What is linked is what is seen: an address of
// printable ASCII that begins with http:// or https://, names no user and ends within r before
// its last column, behind which it may go on. Links that are there already stay.
func (s *Surface) LinkURLs(r Rect) {
	r.W = min(r.W, s.cols-r.X)
	if !s.red.caps.Links || r.X < 0 || r.Y < 0 || r.Y+r.H > s.rows || r.Empty() {
		return
	}
	line := s.Row(r.Y)[r.X : r.X+r.W]
	if r.H > 1 {
		s.wrapped = append(s.wrapped[:0], line...)
		for y := 1; y < r.H; y++ {
			s.wrapped = append(s.wrapped, s.Row(r.Y + y)[r.X:r.X+r.W]...)
		}
		line = s.wrapped
	}
	for i := 2; i < len(line); i += 3 { // each :// has one of these cells
		if g := line[i].Glyph; g != '/' && g != ':' {
			continue
		}
		for at := i - 2; at <= i; at++ {
			if from, to := urlAround(line, at); from < to {
				s.linkURL(r, line, from, to)
				i = to - 1
				break
			}
		}
	}
}

// urlAround finds the address whose :// begins at a cell; from == to: none does.
func urlAround(line []cells.Cell, at int) (from, to int) {
	if at+3 >= len(line) || line[at].Glyph != ':' || line[at+1].Glyph != '/' || line[at+2].Glyph != '/' {
		return 0, 0
	}
	for from = at; from > 0 && at-from <= len("https") && urlClass(line[from-1].Glyph) == urlWord; from-- {
	}
	if !spells(line[from:at], "https") && !spells(line[from:at], "http") {
		return 0, 0
	}
	for to = at + 3; to < len(line) && urlClass(line[to].Glyph) != urlNone; to++ {
	}
	if to == len(line) || goesOn(line[to].Glyph) {
		return 0, 0
	}
	end := to
	for to > at+3 && trailing(line[from:to]) {
		to--
	}
	if dots := line[to:end]; len(dots) >= 3 && spells(dots[:3], "...") {
		return 0, 0 // it was cut
	}
	return from, to
}

// linkURL makes cells of line, which are those of r, a link.
func (s *Surface) linkURL(r Rect, line []cells.Cell, from, to int) {
	if to-from > cells.MaxLinkBytes {
		return
	}
	s.uri = s.uri[:0]
	for _, c := range line[from:to] {
		s.uri = append(s.uri, byte(c.Glyph))
	}
	_, rest, _ := bytes.Cut(s.uri, []byte("//"))
	if i := bytes.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if bytes.IndexByte(rest, '@') >= 0 {
		return
	}
	id, known := s.tab.FindLink(s.uri)
	if !known {
		if s.spent = s.tab.Links() >= mostURLs; s.spent {
			return
		}
		if id = s.Link(string(s.uri)); id == 0 {
			return
		}
	}
	was, is := cells.StyleID(0), cells.StyleID(0)
	for i := from; i < to; i++ {
		c := &s.Row(r.Y + i/r.W)[r.X+i%r.W]
		if i == from || c.Style != was {
			was = c.Style
			st := s.tab.Style(was)
			if st.Link == 0 {
				st.Link = id
			}
			is = s.style(st)
		}
		c.Style = is
	}
}

// What a character may be in an address.
const (
	urlNone = iota
	urlSign
	urlWord // a letter, a digit, or a sign of schemes
)

// urlClasses are the classes of ASCII: the reserved and unreserved characters of RFC 3986 but
// the apostrophe, which is more often a quote.
var urlClasses = func() (c [128]uint8) {
	for _, b := range "~:/?#[]@!$&()*,;=%_" {
		c[b] = urlSign
	}
	for _, b := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-." {
		c[b] = urlWord
	}
	return c
}()

func urlClass(g cells.Glyph) uint8 {
	if g >= 128 {
		return urlNone
	}
	return urlClasses[g]
}

// goesOn reports whether what stands behind an address may belong to it, or says that it was
// cut: then where it leads is not known.
func goesOn(g cells.Glyph) bool {
	if g < 128 {
		return false
	}
	const boxes, last = 0x2500, 0x259f
	return g.IsCluster() || g == '…' || !unicode.IsPunct(rune(g)) && (g < boxes || g > last)
}

// trailing reports whether the last character of an address belongs to the sentence around it.
func trailing(url []cells.Cell) bool {
	closes := map[cells.Glyph]cells.Glyph{')': '(', ']': '['}
	switch last := url[len(url)-1].Glyph; last {
	case '.', ',', ';', ':', '!', '?', '*', '_', '~':
		return true
	case ')', ']':
		open := 0
		for _, c := range url {
			switch c.Glyph {
			case closes[last]:
				open++
			case last:
				open--
			}
		}
		return open < 0
	}
	return false
}

// spells reports whether cells have that text, in letters of any case.
func spells(line []cells.Cell, text string) bool {
	if len(line) != len(text) {
		return false
	}
	for i, c := range line {
		if c.Glyph != cells.Glyph(text[i]) && c.Glyph|0x20 != cells.Glyph(text[i]) {
			return false
		}
	}
	return true
}
