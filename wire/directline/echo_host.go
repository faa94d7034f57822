package directline

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Echo is a text that a program has printed and that may go straight to the terminals
// which show the picture before it.
type Echo struct {
	lines   *Lines
	picture uint64
	text    []byte
	// Cells is how many cells the text takes.
	Cells int
}

// Echo prepares to write text, which a program printed after the picture of that number
// (wire.Frame.Gen; 0 is no picture). ok is false if no client lends its terminal with
// that picture, or text is too long or not plain.
func (l *Lines) Echo(picture uint64, text []byte) (e Echo, ok bool) {
	if len(text) > MaxEcho || !l.lent(picture) {
		return Echo{}, false
	}
	cells, plain := plainCells(text)
	return Echo{l, picture, text, cells}, plain
}

// lent reports whether a client lends its terminal with that picture.
func (l *Lines) lent(picture uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p := range l.pages {
		if p.lent(picture) {
			return true
		}
	}
	return false
}

// Write writes the text to every terminal that is lent with the picture, and reports
// whether one took it: at the program's cursor, or at the start of the next row if wrap
// is set, because the cursor's row was full. It does not block.
func (e Echo) Write(wrap bool) (done bool) {
	e.lines.mu.Lock()
	defer e.lines.mu.Unlock()
	for p := range e.lines.pages {
		done = p.echo(e.picture, e.text, e.Cells, wrap) || done
	}
	return done
}

// plainCells reports whether text is plain: every terminal shows each of its characters
// in one cell, from left to right. These are printable ASCII and letters of alphabets
// without joined forms and marks. cells is how many characters it has.
func plainCells(text []byte) (cells int, ok bool) {
	for i := 0; i < len(text); cells++ {
		if c := text[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if n == 1 || r < 0xa1 || r > maxPlain || !unicode.IsLetter(r) {
			return 0, false
		}
		i += n
	}
	return cells, cells > 0
}

// maxPlain is the last letter of the Latin, Greek, Cyrillic and Armenian blocks, which
// follow one another.
const maxPlain = 0x587

// maxMove is the length of the longest CUP: "\x1b[65535;65535H".
const maxMove = 14

// setDisplay takes over the descriptor of the client's terminal, which is in
// non-blocking mode. It refuses a second one.
func (p *page) setDisplay(fd int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil || p.display >= 0 {
		drop(fd)
		return false
	}
	p.display = fd
	return true
}

// lent reports whether echo with that picture has a chance.
func (p *page) lent(picture uint64) (lent bool) {
	p.use(func(w *words) { lent = picture != 0 && p.display >= 0 && w.echo.shows.Load() == picture })
	return lent
}

// echo is Echo.Write for one client.
func (p *page) echo(picture uint64, text []byte, cells int, wrap bool) (done bool) {
	if picture == 0 || len(text) > MaxEcho {
		return false
	}
	p.use(func(w *words) {
		e := &w.echo
		if p.display < 0 || !e.turn.CompareAndSwap(turnFree, turnHost) {
			return
		}
		room := int(e.room.Load())
		var buf [MaxEcho + maxMove]byte
		out := buf[:0]
		if wrap {
			next := unpackNext(e.next.Load())
			room = next.Room
			out = fmt.Appendf(out, "\x1b[%d;%dH", next.Row, next.Col)
		}
		if e.shows.Load() == picture && room >= cells {
			e.shows.Store(0)
			e.n.Store(echoBroken) // until it is known
			move := len(out)
			n := put(p.display, append(out, text...))
			switch done = n > move; {
			case n == 0:
				e.n.Store(0)
			case done && utf8.Valid(text[:n-move]):
				copy(e.text[:], text[:n-move])
				if wrap {
					e.wrapped.Store(1)
				}
				e.n.Store(uint32(n - move))
			}
		}
		e.turn.CompareAndSwap(turnHost, turnFree) // fails if the client's patience ended
	})
	return done
}
