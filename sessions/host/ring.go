package host

// ring keeps the last bytes of a stream by their positions in it, counted from
// 0. It grows up to its limit with what is written.
type ring struct {
	buf   []byte
	limit int
	end   uint64 // position after the newest byte
}

// start is the position of the oldest byte held.
func (r *ring) start() uint64 { return r.end - min(r.end, uint64(len(r.buf))) }

func (r *ring) write(p []byte) {
	if len(p) > r.limit {
		r.end += uint64(len(p) - r.limit)
		p = p[len(p)-r.limit:]
	}
	if need := r.end + uint64(len(p)); need > uint64(len(r.buf)) && len(r.buf) < r.limit {
		r.grow(int(min(need, uint64(r.limit))))
	}
	for len(p) > 0 {
		n := copy(r.buf[r.end%uint64(len(r.buf)):], p)
		r.end += uint64(n)
		p = p[n:]
	}
}

// grow makes room for need bytes. Until the limit is reached nothing has been
// overwritten, so the bytes lie in order from 0 (or all are about to be).
func (r *ring) grow(need int) {
	const least = 4 << 10
	size := max(least, len(r.buf))
	for size < need {
		size *= 2
	}
	size = min(size, r.limit)
	grown := make([]byte, size)
	copy(grown, r.buf)
	r.buf = grown
}

// from returns a copy of the bytes from position pos on, or from the oldest
// held, and the position of the first.
func (r *ring) from(pos uint64) (p []byte, first uint64) {
	first = min(max(pos, r.start()), r.end)
	p = make([]byte, 0, r.end-first)
	for at := first; at < r.end; {
		i := at % uint64(len(r.buf))
		part := r.buf[i:min(uint64(len(r.buf)), i+r.end-at)]
		p = append(p, part...)
		at += uint64(len(part))
	}
	return p, first
}
