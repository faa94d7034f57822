package paint

import (
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Layer copies the rows of one foreign picture (a pane's mirror) into a Surface. It caches
// the translation of ids, so that a cell costs an array index. The zero value is ready. A
// Layer belongs to one foreign picture; it notices when that picture's table or the
// surface's was replaced.
type Layer struct {
	from, to *cells.Table
	styles   []styleIDs
	clusters []clusterGlyph
	links    [cells.MaxLinks + 1]int16 // 0 unknown, else id+1
}

// styleIDs is the translation of a style: ids plus one; 0: not known yet.
type styleIDs struct {
	// text is for characters, blank for blanks, without the colours that do not show
	// there.
	text, blank int32
}

// clusterGlyph is the translation of a cluster; glyph 0: not known yet. sign: another
// character replaces it.
type clusterGlyph struct {
	glyph cells.Glyph
	sign  bool
}

// Row copies cells, whose ids belong to tab, to x, y into at most width columns and blanks
// the rest of these. reverse swaps the colours of the whole row (DECSCNM). Wide characters
// that do not fit, and halves without the other half, become blanks.
func (l *Layer) Row(s *Surface, x, y, width int, tab *cells.Table, line []cells.Cell, reverse bool) {
	if y < 0 || y >= s.rows || x < 0 || x >= s.cols || width <= 0 {
		return
	}
	if l.from != tab || l.to != s.tab {
		l.reset(tab, s.tab)
	}
	width = min(width, s.cols-x)
	n := min(width, len(line))
	row := s.Row(y)[x : x+width]
	s.mend(y, x, x+width)
	for i := 0; i < n; i++ {
		c := line[i]
		id := l.style(s, c.Style, reverse)
		out := cells.Cell{Style: id}
		switch {
		case c.Span == cells.Tail:
			// Its head was dropped, or is missing.
		case c.Span == cells.Wide:
			if i+1 >= n || line[i+1].Span != cells.Tail {
				break
			}
			if g, wide := l.glyph(s, c.Glyph); wide {
				row[i] = cells.Cell{Glyph: g, Style: id, Span: cells.Wide}
				row[i+1] = cells.Cell{Style: id, Span: cells.Tail}
				i++
				continue
			}
			out.Glyph = s.red.glyph(cells.Glyph(utf8.RuneError))
		default:
			out.Glyph, _ = l.glyph(s, c.Glyph)
		}
		if out.Glyph == 0 {
			out.Style = l.blank(s, c.Style, reverse)
		}
		row[i] = out
	}
	blank := cells.Cell{}
	if reverse {
		blank.Style = l.style(s, 0, true)
	}
	for i := n; i < width; i++ {
		row[i] = blank
	}
	s.dirty[y] = true
}

// mend blanks the outer halves of wide characters that cross the borders of columns x0 to
// x1 of row y.
func (s *Surface) mend(y, x0, x1 int) {
	row := s.Row(y)
	if x0 > 0 && x0 < s.cols && row[x0].Span == cells.Tail {
		row[x0-1].Glyph, row[x0-1].Span = 0, cells.Narrow
	}
	if x1 > 0 && x1 < s.cols && row[x1].Span == cells.Tail {
		row[x1].Glyph, row[x1].Span = 0, cells.Narrow
	}
}

func (l *Layer) reset(from, to *cells.Table) {
	l.from, l.to = from, to
	l.styles, l.clusters = l.styles[:0], l.clusters[:0]
	l.links = [cells.MaxLinks + 1]int16{}
}

// ids translates a style.
func (l *Layer) ids(s *Surface, id cells.StyleID, reverse bool) styleIDs {
	i := int(id) * 2
	if reverse {
		i++
	}
	if i < len(l.styles) && l.styles[i].text != 0 {
		return l.styles[i]
	}
	for len(l.styles) <= i {
		l.styles = append(l.styles, styleIDs{})
	}
	st := l.from.Style(id)
	if reverse {
		st.Attrs ^= cells.Inverse
	}
	st.Link = l.link(s, st.Link)
	to := s.style(st)
	l.styles[i] = styleIDs{int32(to) + 1, int32(to) + 1}
	if plainBlank(s.tab.Style(to)) {
		l.styles[i].blank = 1
	}
	return l.styles[i]
}

func (l *Layer) style(s *Surface, id cells.StyleID, reverse bool) cells.StyleID {
	return cells.StyleID(l.ids(s, id, reverse).text - 1)
}

func (l *Layer) blank(s *Surface, id cells.StyleID, reverse bool) cells.StyleID {
	return cells.StyleID(l.ids(s, id, reverse).blank - 1)
}

func (l *Layer) link(s *Surface, id uint8) uint8 {
	if id == 0 {
		return 0
	}
	if v := l.links[id]; v != 0 {
		return uint8(v - 1)
	}
	to := s.Link(l.from.LinkURI(id))
	l.links[id] = int16(to) + 1
	return to
}

// glyph translates g. ok is false if another character replaces it.
func (l *Layer) glyph(s *Surface, g cells.Glyph) (to cells.Glyph, ok bool) {
	switch {
	case g == ' ':
		return 0, true
	case g == 0 || g > ' ' && g < 0x7f:
		return g, true
	case !g.IsCluster():
		if g > utf8.MaxRune || hostile(rune(g)) {
			return s.red.glyph(sign(rune(g))), false
		}
		return s.red.glyph(g), true
	}
	i := int(g &^ (1 << 31))
	if i >= l.from.Clusters() {
		return s.red.glyph(cells.Glyph(utf8.RuneError)), false
	}
	for len(l.clusters) <= i {
		l.clusters = append(l.clusters, clusterGlyph{})
	}
	if l.clusters[i].glyph == 0 {
		text := l.from.AppendGlyph(nil, g)
		first, _ := utf8.DecodeRune(text)
		l.clusters[i] = clusterGlyph{s.glyph(text), hostile(first)}
	}
	return l.clusters[i].glyph, !l.clusters[i].sign
}
