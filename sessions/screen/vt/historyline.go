package vt

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// An encoded line is a flags byte, the number of cells as uvarint, and runs. A
// run is
//
//	kind     one byte
//	cells    two bytes, little-endian
//	style    see appendStyle
//	content  by kind
//
// Trailing blanks in the default style are not stored.
const (
	runBlank = iota // erased cells: no content
	runASCII        // one byte a cell
	runText         // three bytes a character, see textRune
)

const (
	lineWrapped = 1 << 0

	// maxChunkLinks is how many distinct links the lines of one chunk may refer
	// to before the next chunk begins. One line cannot have more than its table.
	maxChunkLinks = 1 << 10
)

// Which parts of a style follow its first byte.
const (
	styleFGIndexed = 1 << iota
	styleFGDirect
	styleBGIndexed
	styleBGDirect
	styleAttrs     // two bytes
	styleUnderline // style, then kind and value of its colour
	styleLink      // uvarint, index into the chunk's links
)

// encode appends a line to the chunk's buffer.
func (c *chunk) encode(table *cells.Table, row []cells.Cell, wrapped bool) {
	flags := byte(0)
	if wrapped {
		flags = lineWrapped
	}
	n := len(row)
	for n > 0 && row[n-1] == (cells.Cell{}) {
		n--
	}
	c.buf = append(c.buf, flags)
	c.buf = binary.AppendUvarint(c.buf, uint64(n))
	for i := 0; i < n; {
		kind := kindOf(row[i])
		at := len(c.buf)
		c.buf = append(c.buf, kind, 0, 0)
		if row[i].Style == 0 {
			c.buf = append(c.buf, 0)
		} else {
			c.appendStyle(table, table.Style(row[i].Style))
		}
		used := 0
		switch kind {
		case runASCII:
			used = c.appendASCII(row[i:n])
		case runText:
			used = c.appendText(table, row[i:n])
		default:
			used = blanks(row[i:n])
		}
		binary.LittleEndian.PutUint16(c.buf[at+1:], uint16(used))
		i += used
	}
}

func kindOf(c cells.Cell) byte {
	switch {
	case c.Span != cells.Narrow:
		return runText
	case c.Glyph == 0:
		return runBlank
	case c.Glyph < utf8.RuneSelf:
		return runASCII
	}
	return runText
}

// blanks counts the erased cells of one style that cells begins with.
func blanks(cells []cells.Cell) (n int) {
	for n < len(cells) && cells[n] == cells[0] {
		n++
	}
	return n
}

// appendASCII appends the ASCII that cells begins with, in the style of its
// first cell, and returns how many cells that is.
func (c *chunk) appendASCII(row []cells.Cell) (n int) {
	buf := slices.Grow(c.buf, len(row))
	style := row[0].Style
	for _, cell := range row {
		if cell.Style != style || cell.Glyph-1 >= utf8.RuneSelf-1 || cell.Span != cells.Narrow {
			break
		}
		buf = append(buf, byte(cell.Glyph))
		n++
	}
	c.buf = buf
	return n
}

// A character in a text run is a little-endian number of three bytes: its rune,
// or, with textCluster, the length of the UTF-8 that follows.
const (
	textRune    = 1<<21 - 1
	textWide    = 1 << 22
	textCluster = 1 << 23
)

// appendText appends the other characters that cells begins with likewise.
func (c *chunk) appendText(table *cells.Table, row []cells.Cell) (n int) {
	buf := slices.Grow(c.buf, 3*len(row))
	style := row[0].Style
	for n < len(row) {
		cell := row[n]
		if cell.Style != style || cell.Span == cells.Narrow && cell.Glyph < utf8.RuneSelf {
			break
		}
		n++
		v := uint32(cell.Glyph) & textRune
		if cell.Span == cells.Wide {
			v |= textWide
			n++ // its tail
		}
		if !cell.Glyph.IsCluster() {
			buf = append(buf, byte(v), byte(v>>8), byte(v>>16))
			continue
		}
		at := len(buf)
		buf = table.AppendGlyph(append(buf, 0, 0, 0), cell.Glyph)
		v = v&textWide | uint32(len(buf)-at-3) | textCluster
		buf[at], buf[at+1], buf[at+2] = byte(v), byte(v>>8), byte(v>>16)
	}
	c.buf = buf
	return n
}

func (c *chunk) appendStyle(table *cells.Table, s cells.Style) {
	at := len(c.buf)
	c.buf = append(c.buf, 0)
	has := byte(0)
	c.buf, has = appendColor(c.buf, s.FG, styleFGIndexed, has)
	c.buf, has = appendColor(c.buf, s.BG, styleBGIndexed, has)
	if s.Attrs != 0 {
		has |= styleAttrs
		c.buf = append(c.buf, byte(s.Attrs), byte(s.Attrs>>8))
	}
	if s.Underline != 0 || s.UnderlineColor != 0 {
		has |= styleUnderline
		c.buf = append(c.buf, byte(s.Underline))
		c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(s.UnderlineColor))
	}
	if s.Link != 0 {
		has |= styleLink
		c.buf = binary.AppendUvarint(c.buf, uint64(c.link(table.LinkURI(s.Link))))
	}
	c.buf[at] = has
}

// appendColor appends a colour that is not the default; indexed is the flag for
// a palette colour, the next one that for a direct colour.
func appendColor(dst []byte, color cells.Color, indexed, has byte) ([]byte, byte) {
	if i, ok := color.Index(); ok {
		return append(dst, i), has | indexed
	}
	if r, g, b, ok := color.RGB(); ok {
		return append(dst, r, g, b), has | indexed<<1
	}
	return dst, has
}

// link returns the index of uri among the chunk's links. The newest ones come
// first in the search, because a link's cells stand together.
func (c *chunk) link(uri string) int {
	for i := len(c.links) - 1; i >= 0 && i >= len(c.links)-16; i-- {
		if c.links[i] == uri {
			return i
		}
	}
	c.links = append(c.links, uri)
	c.extra += len(uri) + 16
	return len(c.links) - 1
}

// decode appends the cells of line i to dst. full: table had no room for all styles and
// clusters.
func (c *chunk) decode(dst []cells.Cell, i int, table *cells.Table) (row []cells.Cell, wrapped, full bool) {
	b := c.line(i)
	wrapped = b[0]&lineWrapped != 0
	d := lineReader{b: b[1:], links: c.links, table: table}
	d.uvarint() // the number of cells
	for len(d.b) > 0 {
		head := d.bytes(3)
		style := d.style()
		n := int(binary.LittleEndian.Uint16(head[1:]))
		switch head[0] {
		case runBlank:
			for ; n > 0; n-- {
				dst = append(dst, cells.Cell{Style: style})
			}
		case runASCII:
			for _, b := range d.bytes(n) {
				dst = append(dst, cells.Cell{Glyph: cells.Glyph(b), Style: style})
			}
		case runText:
			for n > 0 {
				g, wide := d.character()
				if !wide {
					dst = append(dst, cells.Cell{Glyph: g, Style: style})
					n--
					continue
				}
				dst = append(dst, cells.Cell{Glyph: g, Style: style, Span: cells.Wide}, cells.Cell{Style: style, Span: cells.Tail})
				n -= 2
			}
		}
	}
	return dst, wrapped, d.full
}

// lineReader reads an encoded line. What it reads was written by this package
// and never left the process, so it is trusted.
type lineReader struct {
	b     []byte
	links []string
	table *cells.Table
	full  bool
}

func (d *lineReader) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	d.b = d.b[n:]
	return v
}

func (d *lineReader) bytes(n int) []byte {
	p := d.b[:n]
	d.b = d.b[n:]
	return p
}

// character reads one character of a text run.
func (d *lineReader) character() (g cells.Glyph, wide bool) {
	p := d.bytes(3)
	v := uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16
	g = cells.Glyph(v & textRune)
	if v&textCluster != 0 {
		var ok bool
		g, ok = d.table.Glyph(d.bytes(int(v & textRune)))
		d.full = d.full || !ok
	}
	return g, v&textWide != 0
}

func (d *lineReader) style() cells.StyleID {
	has := d.bytes(1)[0]
	if has == 0 {
		return 0
	}
	var s cells.Style
	s.FG = d.color(has, styleFGIndexed)
	s.BG = d.color(has, styleBGIndexed)
	if has&styleAttrs != 0 {
		s.Attrs = cells.Attr(binary.LittleEndian.Uint16(d.bytes(2)))
	}
	if has&styleUnderline != 0 {
		s.Underline = cells.Underline(d.bytes(1)[0])
		s.UnderlineColor = cells.Color(binary.LittleEndian.Uint32(d.bytes(4)))
	}
	if has&styleLink != 0 {
		link, ok := d.table.Link(d.links[d.uvarint()])
		s.Link = link
		d.full = d.full || !ok
	}
	id, ok := d.table.StyleID(s)
	d.full = d.full || !ok
	return id
}

func (d *lineReader) color(has, indexed byte) cells.Color {
	switch {
	case has&indexed != 0:
		return cells.Indexed(d.bytes(1)[0])
	case has&(indexed<<1) != 0:
		p := d.bytes(3)
		return cells.RGB(p[0], p[1], p[2])
	}
	return cells.DefaultColor
}

// shortLine reports whether an encoded line has at most n columns and does not
// wrap.
func shortLine(raw []byte, n int) bool {
	cells, _ := binary.Uvarint(raw[1:])
	return raw[0]&lineWrapped == 0 && cells <= uint64(n)
}
