package core

import "unicode"

// class is a kind of character: words are runs of one kind.
type class uint8

const (
	blank class = iota
	word
	sign
)

func classOf(r rune) class {
	switch {
	case r == ' ' || r == '\t' || r == 0 || unicode.IsSpace(r):
		return blank
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return word
	}
	return sign
}

func (b Buffer) class(p Pos) class { return classOf(b.rune(p)) }

// next is the character after p; lineEnd tells that a line break is between
// them. ok is false at the end of everything.
func (b Buffer) next(p Pos) (q Pos, lineEnd, ok bool) {
	if col := b.last(p) + 1; col < b.Len(p.Line) {
		return Pos{p.Line, col}, false, true
	}
	if p.Line+1 >= b.End() {
		return p, false, false
	}
	return Pos{p.Line + 1, 0}, !b.wrapped(p.Line), true
}

// prev is the character before p.
func (b Buffer) prev(p Pos) (q Pos, lineEnd, ok bool) {
	if p.Col > 0 {
		return b.head(Pos{p.Line, p.Col - 1}), false, true
	}
	if p.Line <= b.First() {
		return p, false, false
	}
	n := p.Line - 1
	return b.head(Pos{n, max(0, b.Len(n)-1)}), !b.wrapped(n), true
}

// wordForward is the beginning of the next word (w); an empty line is one.
func (b Buffer) wordForward(p Pos) Pos {
	start, c := p, b.class(p)
	for c != blank && b.class(p) == c {
		q, lineEnd, ok := b.next(p)
		if !ok {
			return p
		}
		if p = q; lineEnd {
			break
		}
	}
	for b.class(p) == blank {
		if b.Len(p.Line) == 0 && p.Line != start.Line {
			return p
		}
		q, _, ok := b.next(p)
		if !ok {
			return p
		}
		p = q
	}
	return p
}

// wordEnd is the end of the word at or after p (e).
func (b Buffer) wordEnd(p Pos) Pos {
	q, _, ok := b.next(p)
	for ok && b.class(q) == blank {
		q, _, ok = b.next(q)
	}
	for ok {
		n, lineEnd, more := b.next(q)
		if !more || lineEnd || b.class(n) != b.class(q) {
			break
		}
		q = n
	}
	return q
}

// wordBack is the beginning of the word before p (b).
func (b Buffer) wordBack(p Pos) Pos {
	q, _, ok := b.prev(p)
	for ok && b.class(q) == blank {
		if b.Len(q.Line) == 0 {
			return q
		}
		q, _, ok = b.prev(q)
	}
	for ok {
		n, lineEnd, more := b.prev(q)
		if !more || lineEnd || b.class(n) != b.class(q) {
			break
		}
		q = n
	}
	return q
}

// Word is the run of characters of one kind around p, over soft wraps.
func (b Buffer) Word(p Pos) (from, to Pos) {
	p = b.head(p)
	c := b.class(p)
	from, to = p, p
	for {
		q, lineEnd, ok := b.prev(from)
		if !ok || lineEnd || b.class(q) != c {
			break
		}
		from = q
	}
	for {
		q, lineEnd, ok := b.next(to)
		if !ok || lineEnd || b.class(q) != c {
			break
		}
		to = q
	}
	return from, to
}

// firstText is the column of the line's first character that is no blank.
func (b Buffer) firstText(n int) int {
	for col := range b.Len(n) {
		if b.class(Pos{n, col}) != blank {
			return col
		}
	}
	return 0
}

// paragraph is the next empty line from n in that direction, or the end.
func (b Buffer) paragraph(n, step int) int {
	inside := func(n int) bool { return n > b.First() && n < b.End()-1 }
	for inside(n) && b.Len(n) == 0 {
		n += step
	}
	if n += step; n < b.First() {
		return b.First()
	}
	for inside(n) && b.Len(n) > 0 {
		n += step
	}
	return min(max(n, b.First()), b.End()-1)
}
