package cells

import "unicode/utf8"

// StyleID names a Style within one Table. 0 is always the default style.
type StyleID uint16

// Limits of a Table. They bound its memory whatever an application prints.
const (
	// MaxStyles is how many distinct styles a table holds.
	MaxStyles = 1 << 16
	// MaxClusters is how many distinct grapheme clusters a table holds.
	MaxClusters = 1 << 15
	// MaxClusterBytes bounds one cluster's text; further marks are dropped.
	MaxClusterBytes = 64
	// MaxLinks is how many distinct hyperlinks a table holds.
	MaxLinks = 1<<8 - 1
	// MaxLinkBytes bounds one hyperlink's URI; a longer one is no link.
	MaxLinkBytes = 2048
)

// Table interns values that do not fit into a cell: styles, grapheme clusters and
// hyperlinks. Not safe for concurrent use.
//
// A full table does not grow: StyleID returns id 0 and false, Cluster returns U+FFFD's
// glyph and false, Link returns 0 and false. Owners that know which ids are still in use
// make a new table and intern those again (see the engines).
type Table struct {
	styles   []Style
	styleIDs map[Style]StyleID
	clusters []string
	clustIDs map[string]Glyph
	links    []string
	linkIDs  map[string]uint8
	lastS    Style
	lastID   StyleID
}

// NewTable returns a table that holds only the default style.
func NewTable() *Table {
	return &Table{
		styles:   []Style{{}},
		styleIDs: map[Style]StyleID{{}: 0},
		clustIDs: map[string]Glyph{},
		links:    []string{""},
		linkIDs:  map[string]uint8{"": 0},
	}
}

// StyleID interns s. When the table is full and s is new it returns 0 (the
// default style) and false.
func (t *Table) StyleID(s Style) (StyleID, bool) {
	if s == t.lastS {
		return t.lastID, true
	}
	id, ok := t.styleIDs[s]
	if !ok {
		if len(t.styles) >= MaxStyles {
			return 0, false
		}
		id = StyleID(len(t.styles))
		t.styles = append(t.styles, s)
		t.styleIDs[s] = id
	}
	t.lastS, t.lastID = s, id
	return id, true
}

// FindStyle returns the id of s if it is interned already.
func (t *Table) FindStyle(s Style) (StyleID, bool) {
	id, ok := t.styleIDs[s]
	return id, ok
}

// Style returns the style of an id, the default style for an id that this table never
// issued.
func (t *Table) Style(id StyleID) Style {
	if int(id) >= len(t.styles) {
		return Style{}
	}
	return t.styles[id]
}

// Styles is the number of styles interned.
func (t *Table) Styles() int { return len(t.styles) }

// Glyph interns text, one grapheme cluster in UTF-8: a single rune needs no
// entry. Text over MaxClusterBytes is cut at a rune boundary. When the table is
// full and the cluster is new it returns U+FFFD and false.
func (t *Table) Glyph(text []byte) (Glyph, bool) {
	r, n := utf8.DecodeRune(text)
	if n == len(text) {
		if n == 0 {
			return 0, true
		}
		return Glyph(r), true
	}
	if len(text) > MaxClusterBytes {
		cut := MaxClusterBytes
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	if g, ok := t.clustIDs[string(text)]; ok {
		return g, true
	}
	if len(t.clusters) >= MaxClusters {
		return Glyph(utf8.RuneError), false
	}
	g := clusterBit | Glyph(len(t.clusters))
	s := string(text)
	t.clusters = append(t.clusters, s)
	t.clustIDs[s] = g
	return g, true
}

// Clusters is the number of clusters interned.
func (t *Table) Clusters() int { return len(t.clusters) }

// AppendGlyph appends the UTF-8 text of g to dst: a space for glyph 0, U+FFFD for a
// cluster id that this table never issued.
func (t *Table) AppendGlyph(dst []byte, g Glyph) []byte {
	switch {
	case g == 0:
		return append(dst, ' ')
	case g < utf8.RuneSelf:
		return append(dst, byte(g))
	case !g.IsCluster():
		return utf8.AppendRune(dst, rune(g))
	}
	if i := int(g &^ clusterBit); i < len(t.clusters) {
		return append(dst, t.clusters[i]...)
	}
	return utf8.AppendRune(dst, utf8.RuneError)
}

// FindLink returns the id of a hyperlink's URI if it is interned already.
func (t *Table) FindLink(uri []byte) (uint8, bool) {
	id, ok := t.linkIDs[string(uri)]
	return id, ok
}

// Links is the number of hyperlinks interned.
func (t *Table) Links() int { return len(t.links) - 1 }

// Link interns the URI of a hyperlink. "" is 0. When the table is full, or the
// URI is longer than MaxLinkBytes, it returns 0 (no link) and false.
func (t *Table) Link(uri string) (uint8, bool) {
	if id, ok := t.linkIDs[uri]; ok {
		return id, true
	}
	if len(uri) > MaxLinkBytes || len(t.links) > MaxLinks {
		return 0, false
	}
	id := uint8(len(t.links))
	t.links = append(t.links, uri)
	t.linkIDs[uri] = id
	return id, true
}

// LinkURI returns the URI of an id, "" for 0 and for ids that were never issued.
func (t *Table) LinkURI(id uint8) string {
	if int(id) >= len(t.links) {
		return ""
	}
	return t.links[id]
}
