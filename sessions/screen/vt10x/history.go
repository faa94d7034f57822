package vt10x

import "ccdir/internal/cells"

// history keeps the lines that left the top of the main screen, as cells, in a
// ring bounded in lines and bytes.
type history struct {
	lines    []cells.Row // ring
	start, n int
	bytes    int
	maxLines int
	maxBytes int
	total    uint64
	epoch    uint64
}

const (
	defaultHistoryBytes = 64 << 20
	rowHeaderBytes      = 40
	cellBytes           = 8
)

func (h *history) init(lines, bytes int) {
	if bytes <= 0 {
		bytes = defaultHistoryBytes
	}
	h.maxLines, h.maxBytes = max(lines, 0), bytes
}

// push adds a line; the cells are copied without their trailing blanks.
func (h *history) push(line []cells.Cell, wrapped bool) {
	if h.maxLines == 0 {
		return
	}
	for len(line) > 0 && line[len(line)-1].Style == 0 && line[len(line)-1].Blank() {
		line = line[:len(line)-1]
	}
	row := cells.Row{Cells: append([]cells.Cell(nil), line...), Wrapped: wrapped}
	size := rowSize(row)
	for h.n > 0 && (h.n == h.maxLines || h.bytes+size > h.maxBytes) {
		h.drop()
	}
	if h.n == len(h.lines) {
		grown := make([]cells.Row, min(max(64, 2*h.n), h.maxLines))
		for i := range h.n {
			grown[i] = h.at(i)
		}
		h.lines, h.start = grown, 0
	}
	h.lines[(h.start+h.n)%len(h.lines)] = row
	h.n++
	h.bytes += size
	h.total++
}

func rowSize(r cells.Row) int { return rowHeaderBytes + cellBytes*cap(r.Cells) }

func (h *history) drop() {
	h.bytes -= rowSize(h.lines[h.start])
	h.lines[h.start] = cells.Row{}
	h.start = (h.start + 1) % len(h.lines)
	h.n--
}

// at returns line i, 0 being the oldest.
func (h *history) at(i int) cells.Row { return h.lines[(h.start+i)%len(h.lines)] }

func (h *history) clear() {
	h.lines, h.start, h.n, h.bytes = nil, 0, 0, 0
	h.epoch++
}

// pushTop adds vt10x's top row, which is about to leave the screen.
func (e *Engine) pushTop() {
	if e.history.maxLines == 0 {
		return
	}
	row := make([]cells.Cell, e.cols)
	wrapped := false
	for x := range row {
		row[x], wrapped = e.cell(x, 0)
	}
	e.history.push(row, wrapped)
}

// HistoryLen is the number of lines held.
func (e *Engine) HistoryLen() int { return e.history.n }

// HistoryTotal is the number of lines ever pushed.
func (e *Engine) HistoryTotal() uint64 { return e.history.total }

// HistoryEpoch changes when the history was cleared.
func (e *Engine) HistoryEpoch() uint64 { return e.history.epoch }

// HistoryRow returns line i, 0 being the oldest.
func (e *Engine) HistoryRow(i int) cells.Row {
	if i < 0 || i >= e.history.n {
		panic("vt10x: history line out of range")
	}
	return e.history.at(i)
}
