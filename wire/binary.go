package wire

import "encoding/binary"

// Limits of a screen on the wire, those of package screen.
const (
	maxCols = 1000
	maxRows = 1000
)

// Bits of the first byte of a frame.
const (
	frameFull    = 1 << 0
	frameScroll  = 1 << 1
	frameVisible = 1 << 2
)

// append appends the body: a byte of bits; as uvarints Gen, Cols, Rows,
// Cursor.X, Cursor.Y, Cursor.Shape, Flags, HistoryTotal, HistoryEpoch,
// HistoryLen, Written; if scrolled ScrollTop, ScrollBottom and ScrollN (as a
// varint); the rows.
func (f *Frame) append(dst []byte) []byte {
	var bits byte
	if f.Full {
		bits |= frameFull
	}
	if f.ScrollN != 0 {
		bits |= frameScroll
	}
	if f.Cursor.Visible {
		bits |= frameVisible
	}
	dst = append(dst, bits)
	for _, v := range [...]uint64{
		f.Gen, uint64(f.Cols), uint64(f.Rows), uint64(f.Cursor.X), uint64(f.Cursor.Y),
		uint64(f.Cursor.Shape), uint64(f.Flags), f.HistoryTotal, f.HistoryEpoch,
		uint64(f.HistoryLen), f.Written,
	} {
		dst = binary.AppendUvarint(dst, v)
	}
	if f.ScrollN != 0 {
		dst = binary.AppendUvarint(dst, uint64(f.ScrollTop))
		dst = binary.AppendUvarint(dst, uint64(f.ScrollBottom))
		dst = binary.AppendVarint(dst, int64(f.ScrollN))
	}
	return append(dst, f.Data...)
}

// DecodeFrame decodes the body of a KindFrame message as ReceiveRaw gives it;
// Frame.Data points into it.
func DecodeFrame(body []byte) (*Frame, error) {
	f := &Frame{}
	return f, f.decode(body)
}

// decode is the reverse of append. Data points into b. Afterwards every field is in range:
// the size in 1…1000, cursor and scrolled rows inside the screen.
func (f *Frame) decode(b []byte) error {
	r := reader{b: b}
	bits := r.byte()
	*f = Frame{
		Full:         bits&frameFull != 0,
		Gen:          r.uvarint(),
		Cols:         r.int(maxCols),
		Rows:         r.int(maxRows),
		Cursor:       Cursor{X: r.int(maxCols), Y: r.int(maxRows), Shape: uint8(r.int(255))},
		Flags:        FrameFlags(r.uvarint()),
		HistoryTotal: r.uvarint(),
		HistoryEpoch: r.uvarint(),
		HistoryLen:   r.int(1 << 30),
		Written:      r.uvarint(),
	}
	f.Cursor.Visible = bits&frameVisible != 0
	if bits&frameScroll != 0 {
		f.ScrollTop, f.ScrollBottom = r.int(maxRows), r.int(maxRows)
		n := r.varint()
		if f.ScrollTop > f.ScrollBottom || f.ScrollBottom >= f.Rows || n == 0 || n > maxRows || n < -maxRows {
			return ErrMalformed
		}
		f.ScrollN = int(n)
	}
	if r.bad || f.Cols < 1 || f.Rows < 1 || f.Cursor.X >= f.Cols || f.Cursor.Y >= f.Rows {
		return ErrMalformed
	}
	f.Data = r.b
	return nil
}

// Bits of a mouse event's modifiers.
const (
	mouseShift = 1 << 0
	mouseAlt   = 1 << 1
	mouseCtrl  = 1 << 2
)

// append appends the body: the type byte, then the text, or for the mouse X and
// Y as uvarints and the bytes button, action, modifiers, or for the focus one
// byte.
func (in *Input) append(dst []byte) []byte {
	dst = append(dst, byte(in.Type))
	switch in.Type {
	case InputMouse:
		m := in.Mouse
		var mods byte
		if m.Shift {
			mods |= mouseShift
		}
		if m.Alt {
			mods |= mouseAlt
		}
		if m.Ctrl {
			mods |= mouseCtrl
		}
		dst = binary.AppendUvarint(dst, uint64(max(m.X, 0)))
		dst = binary.AppendUvarint(dst, uint64(max(m.Y, 0)))
		return append(dst, m.Button, byte(m.Action), mods)
	case InputFocus:
		if in.Focused {
			return append(dst, 1)
		}
		return append(dst, 0)
	}
	return append(dst, in.Text...)
}

// decode is the reverse of append. Text points into b. An unknown type is no
// error; its text is whatever follows.
func (in *Input) decode(b []byte) error {
	r := reader{b: b}
	*in = Input{Type: InputType(r.byte())}
	switch in.Type {
	case InputMouse:
		in.Mouse.X, in.Mouse.Y = r.int(maxCols-1), r.int(maxRows-1)
		in.Mouse.Button = r.byte()
		in.Mouse.Action = MouseAction(r.byte())
		mods := r.byte()
		in.Mouse.Shift = mods&mouseShift != 0
		in.Mouse.Alt = mods&mouseAlt != 0
		in.Mouse.Ctrl = mods&mouseCtrl != 0
		if in.Mouse.Action > MouseMotion || in.Mouse.Button > 11 {
			return ErrMalformed
		}
	case InputFocus:
		in.Focused = r.byte() != 0
	default:
		in.Text = r.b
	}
	if r.bad {
		return ErrMalformed
	}
	return nil
}

// reader reads values off b. After a failure bad is set, and every value is 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) uvarint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 { // most values fit one byte
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// int reads a uvarint of at most limit.
func (r *reader) int(limit int) int {
	v := r.uvarint()
	if v > uint64(limit) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(v)
}

// bytes reads n bytes.
func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad, r.b = true, nil
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}
