package host

// ring keeps the last bytes of a stream, addressed by their positions from 0. Its memory is
// pages allocated when first written: growing copies nothing and leaves no garbage.
type ring struct {
	pages [][]byte // ringPage bytes each, except the last
	limit int      // in bytes
	end   uint64   // position after the newest byte
}

// ringPage is a small part of a ring and a multiple of the runtime's page size.
const ringPage = 32 << 10

// start is the position of the oldest byte held.
func (r *ring) start() uint64 { return r.end - min(r.end, uint64(r.limit)) }

func (r *ring) write(p []byte) {
	if len(p) > r.limit {
		r.end += uint64(len(p) - r.limit)
		p = p[len(p)-r.limit:]
	}
	for len(p) > 0 {
		n := copy(r.at(r.end), p)
		r.end += uint64(n)
		p = p[n:]
	}
}

// at is the memory from position pos to the end of its page.
func (r *ring) at(pos uint64) []byte {
	offset := int(pos % uint64(r.limit))
	for n := len(r.pages); n*ringPage <= offset; n++ {
		r.pages = append(r.pages, make([]byte, min(ringPage, r.limit-n*ringPage)))
	}
	return r.pages[offset/ringPage][offset%ringPage:]
}

// from returns a copy of the bytes from position pos, or from the oldest held, and the
// position of the first byte.
func (r *ring) from(pos uint64) (p []byte, first uint64) {
	first = min(max(pos, r.start()), r.end)
	p = make([]byte, 0, r.end-first)
	for at := first; at < r.end; {
		part := r.at(at)
		part = part[:min(uint64(len(part)), r.end-at)]
		p = append(p, part...)
		at += uint64(len(part))
	}
	return p, first
}
