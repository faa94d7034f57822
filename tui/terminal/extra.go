package terminal

import "sync"

// extra waits to be written to the terminal besides the picture. The zero value is
// nothing.
type extra struct {
	mu  sync.Mutex // guards out
	out []byte
}

// maxExtra bounds it, in bytes; more is dropped.
const maxExtra = 32 << 20

// emit writes b, whole sequences that move no cursor and change no style, before the next
// frame. It does not block.
func (p *painter) emit(b []byte) {
	p.extra.mu.Lock()
	if len(p.extra.out)+len(b) <= maxExtra {
		p.extra.out = append(p.extra.out, b...)
	}
	p.extra.mu.Unlock()
	p.wake()
}

// writeExtra writes the emitted sequences.
func (p *painter) writeExtra() error {
	p.extra.mu.Lock()
	out := p.extra.out
	p.extra.out = nil
	p.extra.mu.Unlock()
	if len(out) == 0 {
		return nil
	}
	defer p.screen.Own()()
	_, err := p.out.Write(out)
	p.bytes.Add(uint64(len(out)))
	return err
}
