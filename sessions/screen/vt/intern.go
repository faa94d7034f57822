package vt

import (
	"ccdir/internal/cells"
)

// interning is the state around the bounded table. Styles get a small cache
// before the table's map, because applications set the same few over and over.
type interning struct {
	cache [256]struct {
		style cells.Style
		id    cells.StyleID
	}
	// joins does the same for clusters that grow by a rune.
	joins [64]struct {
		from, to cells.Glyph
		with     rune
	}
	// wanted: a reader met a full table; make a new one at the next Feed.
	wanted bool
	// hold counts, for each kind, the misses until a new table is tried again
	// after one that freed little: on a screen that shows too many at once.
	hold [kinds]int
}

// tableKind is the kind of a table's entries.
type tableKind int

const (
	ofStyles tableKind = iota
	ofClusters
	ofLinks
	kinds
)

// rebuildHold is how many misses pass before the next new table, after one that is
// still nearly full: making one costs as much as the two screens have cells.
var rebuildHold = [kinds]int{ofStyles: 8192, ofClusters: 8192, ofLinks: 64}

func cacheSlot(s *cells.Style) uint32 {
	h := uint32(s.FG)*0x9e3779b1 ^ uint32(s.BG)*0x85ebca6b ^ uint32(s.Attrs)*0xc2b2ae35 ^ uint32(s.Underline)<<7 ^ uint32(s.Link)*0x27d4eb2f
	return h >> 24
}

// maxColoured is how many styles a table takes before it counts as full: the
// rest is for styles without colours, which stand in for those that do not fit.
const maxColoured = cells.MaxStyles - 1<<12

// styleID interns s. When the table is full it gives up the colours and reports
// false.
func (t *Terminal) styleID(s cells.Style) (cells.StyleID, bool) {
	if s == (cells.Style{}) {
		return 0, true
	}
	e := &t.intern.cache[cacheSlot(&s)]
	if e.style == s {
		return e.id, true
	}
	var id cells.StyleID
	ok := false
	if t.table.Styles() < maxColoured {
		id, ok = t.table.StyleID(s)
	} else {
		id, ok = t.table.FindStyle(s)
	}
	if !ok {
		id, _ = t.table.StyleID(cells.Style{Attrs: s.Attrs, Underline: s.Underline})
		return id, false
	}
	e.style, e.id = s, id
	return id, true
}

// clusterGlyph interns a cluster; ok is false if there is no room for it.
func (t *Terminal) clusterGlyph(text []byte) (cells.Glyph, bool) {
	g, ok := t.table.Glyph(text)
	if !ok && t.tryRebuild(ofClusters) {
		g, ok = t.table.Glyph(text)
	}
	return g, ok
}

// linkID interns a hyperlink's URI; 0 if there is no room for it.
func (t *Terminal) linkID(uri []byte) uint8 {
	if len(uri) > cells.MaxLinkBytes || !cells.SafeLink(string(uri)) {
		return 0
	}
	id, ok := t.table.Link(string(uri))
	if !ok && t.tryRebuild(ofLinks) {
		id, _ = t.table.Link(string(uri))
	}
	return id
}

// tryRebuild makes a new table unless the last one was nearly full of kind at
// once.
func (t *Terminal) tryRebuild(kind tableKind) bool {
	if t.intern.hold[kind] > 0 {
		t.intern.hold[kind]--
		return false
	}
	t.rebuildTable()
	return true
}

// rebuildTable replaces the table by one that holds only what the screens and
// the pen use now. Every row gets a new generation, because its ids changed.
func (t *Terminal) rebuildTable() {
	old := t.table
	t.table = cells.NewTable()
	t.intern = interning{hold: rebuildHold}
	r := remap{from: old, to: t.table, styles: map[cells.StyleID]cells.StyleID{0: 0}, glyphs: map[cells.Glyph]cells.Glyph{}}
	for _, p := range []*page{&t.main, &t.alt} {
		for _, l := range p.lines {
			r.cells(l.cells)
			l.edited = t.damage.next
		}
	}
	for _, row := range t.below {
		r.cells(row.cells)
	}
	t.pen.style = r.style(t.pen.style)
	t.setPenIDs()
	if t.table.Styles() < maxColoured*7/8 {
		t.intern.hold[ofStyles] = 0
	}
	if t.table.Clusters() < cells.MaxClusters*7/8 {
		t.intern.hold[ofClusters] = 0
	}
	if r.links < cells.MaxLinks*7/8 {
		t.intern.hold[ofLinks] = 0
	}
	t.damage.barrier()
	t.touchAll()
}

// remap copies what is in use from one table to another.
type remap struct {
	from, to *cells.Table
	styles   map[cells.StyleID]cells.StyleID
	glyphs   map[cells.Glyph]cells.Glyph
	links    int // highest link id given out
}

func (r *remap) cells(row []cells.Cell) {
	var buf [cells.MaxClusterBytes]byte
	for i := range row {
		c := &row[i]
		if c.Style != 0 {
			id, ok := r.styles[c.Style]
			if !ok {
				id, _ = r.to.StyleID(r.style(r.from.Style(c.Style)))
				r.styles[c.Style] = id
			}
			c.Style = id
		}
		if c.Glyph.IsCluster() {
			g, ok := r.glyphs[c.Glyph]
			if !ok {
				g, _ = r.to.Glyph(r.from.AppendGlyph(buf[:0], c.Glyph))
				r.glyphs[c.Glyph] = g
			}
			c.Glyph = g
		}
	}
}

func (r *remap) style(s cells.Style) cells.Style {
	if s.Link != 0 {
		s.Link, _ = r.to.Link(r.from.LinkURI(s.Link))
		r.links = max(r.links, int(s.Link))
	}
	return s
}
