package tui

import "sync"

// extra is what goes to the terminal beside the picture, and who may write to it.
type extra struct {
	mu  sync.Mutex // guards out
	out []byte
	// busy is held while something is written; a pause holds it too.
	busy sync.Mutex
}

// maxExtra bounds what waits to be written beside the picture, in bytes; more is
// dropped.
const maxExtra = 32 << 20

// emit writes b, whole sequences that move no cursor and change no style, before
// the next frame. It does not block.
func (p *painter) emit(b []byte) {
	p.extra.mu.Lock()
	if len(p.extra.out)+len(b) <= maxExtra {
		p.extra.out = append(p.extra.out, b...)
	}
	p.extra.mu.Unlock()
	p.wake()
}

// aside writes what was emitted.
func (p *painter) aside() error {
	p.extra.mu.Lock()
	out := p.extra.out
	p.extra.out = nil
	p.extra.mu.Unlock()
	if len(out) == 0 {
		return nil
	}
	p.extra.busy.Lock()
	defer p.extra.busy.Unlock()
	p.takeBack()
	_, err := p.out.Write(out)
	p.bytes.Add(uint64(len(out)))
	return err
}

// pause waits for the frame that is being written and holds up all others until
// resume is called.
func (p *painter) pause() (resume func()) {
	p.extra.busy.Lock()
	p.takeBack()
	return p.extra.busy.Unlock
}
