package core

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ccdir/internal/cells"
)

// Match is a place where a text was found: its first and last cell.
type Match struct{ From, To Pos }

// MaxMatches bounds what one search returns.
const MaxMatches = 100_000

// Scan finds query in all lines, soft wraps undone, in order; at most
// MaxMatches, which don't overlap. Upper and lower case are the same unless
// query has upper case. It ends early, with what it has, when ctx ends.
func Scan(ctx context.Context, b Buffer, query string) []Match {
	fold := !strings.ContainsFunc(query, unicode.IsUpper)
	want := []byte(query)
	if fold {
		want = appendFolded(nil, query)
	}
	var out []Match
	if len(want) == 0 {
		return nil
	}
	var l logical
	for n := b.First(); n < b.End() && len(out) < MaxMatches; {
		if ctx.Err() != nil {
			return out
		}
		last := n
		for last-n < maxGroup && b.wrapped(last) {
			last++
		}
		l.read(b, n, last, fold)
		for at := 0; ; {
			i := bytes.Index(l.text[at:], want)
			if i < 0 || len(out) >= MaxMatches {
				break
			}
			from, to := at+i, at+i+len(want)-1
			out = append(out, Match{l.pos(from), l.pos(to)})
			at = to + 1
		}
		n = last + 1
	}
	return out
}

func appendFolded(dst []byte, s string) []byte {
	for _, r := range s {
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

// logical is one line of text with the place of each character.
type logical struct {
	text []byte
	// at has the offset in text at which each character begins, cells where it
	// stands.
	at    []int
	cells []Pos
}

func (l *logical) read(b Buffer, first, last int, fold bool) {
	l.text, l.at, l.cells = l.text[:0], l.at[:0], l.cells[:0]
	var one []byte
	for n := first; n <= last; n++ {
		r, t := b.Row(n)
		for x, c := range r.Cells {
			if c.Span == cells.Tail {
				continue
			}
			l.at, l.cells = append(l.at, len(l.text)), append(l.cells, Pos{n, x})
			switch {
			case c.Glyph < utf8.RuneSelf:
				r := byte(max(c.Glyph, ' '))
				if fold && r >= 'A' && r <= 'Z' {
					r += 'a' - 'A'
				}
				l.text = append(l.text, r)
			case fold:
				one = t.AppendGlyph(one[:0], c.Glyph)
				l.text = appendFolded(l.text, string(one))
			default:
				l.text = t.AppendGlyph(l.text, c.Glyph)
			}
		}
	}
}

// pos is the cell of the character at a byte of the text.
func (l *logical) pos(offset int) Pos {
	i, found := slices.BinarySearch(l.at, offset)
	if !found {
		i--
	}
	return l.cells[i]
}

// Near is the index of the match to go to from p: the first one after it, or
// the last one before it if back; around the ends. -1 if there are none. With
// at, a match that begins at p counts too.
func Near(all []Match, p Pos, back, at bool) int {
	if len(all) == 0 {
		return -1
	}
	i, found := slices.BinarySearchFunc(all, p, func(m Match, p Pos) int {
		switch {
		case m.From.Before(p):
			return -1
		case p.Before(m.From):
			return 1
		}
		return 0
	})
	switch {
	case found && at:
		return i
	case back:
		return (i - 1 + len(all)) % len(all)
	case found:
		i++
	}
	return i % len(all)
}

// In are the matches that touch the lines from first up to end, exclusive.
func In(all []Match, first, end int) []Match {
	i, _ := slices.BinarySearchFunc(all, first, func(m Match, n int) int { return m.To.Line - n })
	for i > 0 && all[i-1].To.Line >= first {
		i--
	}
	j := i
	for j < len(all) && all[j].From.Line < end {
		j++
	}
	return all[i:j]
}
