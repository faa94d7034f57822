package wire

import "ccdir/internal/cells"

// Mirror is a client's copy of a session's screen, updated by frames. Make it with
// NewMirror. It is not safe for concurrent use.
//
// Apply allocates nothing in the steady state (no new size, styles or clusters).
type Mirror struct {
	table   *cells.Table
	rows    []cells.Row
	moved   []cells.Row // scratch of scroll
	cols    int
	gen     uint64
	meta    Frame
	refresh bool
	dec     rowDecoder
}

// NewMirror returns a mirror of 1x1 cells that waits for a full frame.
func NewMirror() *Mirror {
	m := &Mirror{table: cells.NewTable(), refresh: true}
	m.resize(1, 1)
	m.meta.Cols, m.meta.Rows = 1, 1
	return m
}

// DropLinks leaves hyperlinks out from now on.
func (m *Mirror) DropLinks() { m.dec.noLinks = true }

// Apply applies a frame that Conn.Receive returned, without keeping f. NeedsRefresh is true
// after a frame that builds on one that was not applied, or for which the mirror has no
// room. On an error the frame is malformed: the mirror stays usable, the connection should
// be closed.
func (m *Mirror) Apply(f *Frame) error {
	if f.Cols < 1 || f.Cols > maxCols || f.Rows < 1 || f.Rows > maxRows {
		return ErrMalformed
	}
	if m.refresh && !f.Full {
		return nil
	}
	m.gen++
	if f.Full {
		m.refresh = false
		if m.table.Styles() > cells.MaxStyles/2 || m.table.Clusters() > cells.MaxClusters/2 {
			m.table = cells.NewTable()
		}
	}
	if f.Cols != m.cols || f.Rows != len(m.rows) {
		if !f.Full {
			m.refresh = true
			return ErrMalformed
		}
		m.resize(f.Cols, f.Rows)
	}
	if f.ScrollN != 0 && !f.Full {
		m.scroll(f.ScrollTop, f.ScrollBottom, f.ScrollN)
	}
	m.meta = *f
	m.meta.Data = nil
	if err := m.lay(f); err != nil {
		m.startOver()
		return err
	}
	if m.dec.full && !f.Full {
		m.startOver()
	}
	return nil
}

// lay decodes the frame's rows into the mirror's cells.
func (m *Mirror) lay(f *Frame) error {
	if err := m.dec.begin(f.Data, m.table); err != nil {
		return err
	}
	laid := 0
	for {
		y, wrapped, ok := m.dec.next()
		if !ok {
			break
		}
		if y >= len(m.rows) {
			return ErrMalformed
		}
		row := &m.rows[y]
		if _, err := m.dec.cells(row.Cells); err != nil {
			return err
		}
		row.Gen, row.Wrapped = m.gen, wrapped
		laid++
	}
	if m.dec.bad || f.Full && laid < len(m.rows) {
		return ErrMalformed
	}
	return nil
}

// scroll moves rows; rows that come in are blank.
func (m *Mirror) scroll(top, bottom, n int) {
	if top < 0 || bottom >= len(m.rows) || top > bottom {
		return
	}
	part := m.rows[top : bottom+1]
	size := len(part)
	if n > size {
		n = size
	} else if n < -size {
		n = -size
	}
	shift := ((n % size) + size) % size
	m.moved = append(append(m.moved[:0], part[shift:]...), part[:shift]...)
	copy(part, m.moved)
	free := part[:max(-n, 0)]
	if n > 0 {
		free = part[size-n:]
	}
	for i := range free {
		clear(free[i].Cells)
		free[i].Wrapped = false
	}
	for i := range part {
		part[i].Gen = m.gen
	}
}

func (m *Mirror) resize(cols, rows int) {
	m.cols = cols
	m.rows = make([]cells.Row, rows)
	all := make([]cells.Cell, cols*rows)
	for y := range m.rows {
		m.rows[y] = cells.Row{Cells: all[y*cols : (y+1)*cols : (y+1)*cols], Gen: m.gen}
	}
}

// startOver starts with a new table and blank rows, because the old table was full or a
// frame was malformed.
func (m *Mirror) startOver() {
	m.table = cells.NewTable()
	m.resize(m.cols, len(m.rows))
	m.refresh = true
}

// NeedsRefresh reports whether the mirror needs a full frame: the client sends
// View.Refresh.
func (m *Mirror) NeedsRefresh() bool { return m.refresh }

// Size is the size of the session's screen.
func (m *Mirror) Size() (cols, rows int) { return m.cols, len(m.rows) }

// Row returns row y. The cells are valid until the next Apply and must not be
// changed; Gen is the mirror's generation (see Gen) at which the row changed.
// Row panics if y is out of range.
func (m *Mirror) Row(y int) cells.Row { return m.rows[y] }

// Table is the table of the cells' ids. Apply may replace it; every row's generation rises
// then.
func (m *Mirror) Table() *cells.Table { return m.table }

// Gen counts the applied frames. It is the mirror's own number, not Frame.Gen.
func (m *Mirror) Gen() uint64 { return m.gen }

// Cursor is the cursor of the last frame.
func (m *Mirror) Cursor() Cursor { return m.meta.Cursor }

// Flags are the flags of the last frame.
func (m *Mirror) Flags() FrameFlags { return m.meta.Flags }

// Meta is the last frame without its rows.
func (m *Mirror) Meta() Frame { return m.meta }
