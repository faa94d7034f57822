package vt

import (
	"sort"

	"ccdir/internal/cells"
)

// Bounds of the history.
const (
	defaultHistoryBytes = 64 << 20
	// chunkBytes is the size of one piece of the store. Lines are freed by
	// pieces, so this is also by how much the byte bound may be missed.
	chunkBytes = 32 << 10
	lineCost   = 4 // bytes of a line beside its text: its offset
)

// history holds the lines that left the top of the main screen, oldest first,
// each encoded as text and runs of style (see historyline.go): about a fifth of
// what the cells would take, and independent of any table.
type history struct {
	maxLines, maxBytes int

	chunks []*chunk
	first  uint64 // number of the oldest line held
	total  uint64 // number of the next line
	bytes  int    // of all chunks
	epoch  uint64

	spare   *chunk       // the last one freed, for reuse
	scratch []cells.Cell // the last result of row
}

// chunk is a piece of the store.
type chunk struct {
	first uint64 // number of its first line
	at    []uint32
	buf   []byte
	links []string // URIs that its lines refer to
	extra int      // bytes of links
}

func newHistory(lines, bytes int) *history {
	if bytes <= 0 {
		bytes = defaultHistoryBytes
	}
	return &history{maxLines: max(lines, 0), maxBytes: bytes}
}

func (h *history) len() int { return int(h.total - h.first) }

// reset forgets all lines.
func (h *history) reset() {
	if h.len() == 0 {
		return
	}
	h.chunks, h.spare, h.scratch = nil, nil, nil
	h.bytes = 0
	h.first = h.total
	h.epoch++
}

// push appends a line and drops the oldest ones beyond the bounds.
func (h *history) push(table *cells.Table, cells []cells.Cell, wrapped bool) {
	if h.maxLines == 0 {
		return
	}
	c := h.tail()
	start, links := len(c.buf), c.extra
	c.at = append(c.at, uint32(start))
	c.encode(table, cells, wrapped)
	h.total++
	h.bytes += len(c.buf) - start + lineCost + c.extra - links
	h.trim()
}

// pushRaw appends line i of another history's chunk as it is encoded there;
// the chunk must have no links.
func (h *history) pushRaw(from *chunk, i int) {
	if h.maxLines == 0 {
		return
	}
	c := h.tail()
	start := len(c.buf)
	c.at = append(c.at, uint32(start))
	c.buf = append(c.buf, from.line(i)...)
	h.total++
	h.bytes += len(c.buf) - start + lineCost
	h.trim()
}

// tail is the chunk that takes the next line.
func (h *history) tail() *chunk {
	if n := len(h.chunks); n > 0 && h.chunks[n-1].room() {
		return h.chunks[n-1]
	}
	c := h.spare
	h.spare = nil
	if c == nil {
		c = &chunk{}
		if len(h.chunks) > 0 { // the first one starts small
			c.buf = make([]byte, 0, chunkBytes)
		}
	}
	c.first = h.total
	h.chunks = append(h.chunks, c)
	return c
}

// room reports whether a chunk takes another line.
func (c *chunk) room() bool {
	return len(c.buf)+c.extra < chunkBytes*7/8 && len(c.links) < maxChunkLinks
}

// trim drops the oldest lines while there are more than the bounds allow.
func (h *history) trim() {
	for h.len() > h.maxLines || h.bytes > h.maxBytes && h.len() > 0 {
		c := h.chunks[0]
		i := int(h.first - c.first)
		h.bytes -= len(c.line(i)) + lineCost
		h.first++
		if i+1 == len(c.at) {
			h.bytes -= c.extra
			h.free(0)
		}
	}
}

// free takes chunk i (the first or the last) out and keeps its memory for the
// next one.
func (h *history) free(i int) {
	c := h.chunks[i]
	if i == 0 {
		copy(h.chunks, h.chunks[1:])
		i = len(h.chunks) - 1
	}
	h.chunks[i] = nil
	h.chunks = h.chunks[:i]
	if cap(c.buf) <= 2*chunkBytes {
		*c = chunk{at: c.at[:0], buf: c.buf[:0]}
		h.spare = c
	}
}

// find returns the chunk and the index in it of line i, 0 being the oldest.
func (h *history) find(i int) (*chunk, int) {
	n := h.first + uint64(i)
	k := sort.Search(len(h.chunks), func(k int) bool { return h.chunks[k].first > n }) - 1
	return h.chunks[k], int(n - h.chunks[k].first)
}

// line returns the encoded bytes of the chunk's line i.
func (c *chunk) line(i int) []byte {
	end := len(c.buf)
	if i+1 < len(c.at) {
		end = int(c.at[i+1])
	}
	return c.buf[c.at[i]:end]
}

// row decodes line i into cells of table; they stay valid until the next call. full: table
// had no room for all of it.
func (h *history) row(i int, table *cells.Table) (row cells.Row, full bool) {
	c, k := h.find(i)
	h.scratch, row.Wrapped, full = c.decode(h.scratch[:0], k, table)
	row.Cells = h.scratch
	return row, full
}

// pop removes the newest line and returns its cells, as row does.
func (h *history) pop(table *cells.Table) (row cells.Row, full bool) {
	row, full = h.row(h.len()-1, table)
	last := len(h.chunks) - 1
	c := h.chunks[last]
	start := int(c.at[len(c.at)-1])
	h.bytes -= len(c.buf) - start + lineCost
	c.buf = c.buf[:start]
	c.at = c.at[:len(c.at)-1]
	h.total--
	h.epoch++
	if len(c.at) == 0 || h.total == h.first {
		h.bytes -= c.extra
		h.free(last)
	}
	return row, full
}

// cutWrap ends the soft wrap of the newest line.
func (h *history) cutWrap() {
	if h.len() == 0 {
		return
	}
	c, i := h.find(h.len() - 1)
	c.line(i)[0] &^= lineWrapped
}

// HistoryLen implements [screen.Engine].
func (t *Terminal) HistoryLen() int { return t.hist.len() }

// HistoryTotal implements [screen.Engine].
func (t *Terminal) HistoryTotal() uint64 { return t.hist.total }

// HistoryEpoch implements [screen.Engine].
func (t *Terminal) HistoryEpoch() uint64 { return t.hist.epoch }

// HistoryRow implements [screen.Engine]. The line's styles are interned in the
// current table; if that is full, what has no room is shown plain, and the
// next Feed makes a new table.
func (t *Terminal) HistoryRow(i int) cells.Row {
	row, full := t.hist.row(i, t.table)
	t.intern.wanted = t.intern.wanted || full
	return row
}
