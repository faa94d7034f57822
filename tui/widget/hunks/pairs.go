package hunks

import (
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf8"
)

const (
	// alike is the likeness from which two lines are one that was changed.
	alike = 0.5
	// maxBlock is the number of lines of a side from which lines are only compared with those at the same place.
	maxBlock = 48
	// maxLine is the length in bytes from which a line is not compared.
	maxLine = 2000
)

// Pair is a row of a change: numbers of a removed and of an added line; -1 is none.
type Pair struct{ Old, New int }

// Pairs joins lines that were removed with those that were added in their place: both in their order, each once.
func Pairs(removed, added []string) []Pair {
	if len(removed) == 0 || len(added) == 0 {
		return alone(nil, 0, len(removed), 0, len(added))
	}
	old, now := bags(removed), bags(added)
	if len(old) > maxBlock || len(now) > maxBlock {
		return byPlace(old, now)
	}
	// best[i][j] is the sum of likenesses of the best joining of old[i:] and now[j:].
	best := make([][]float64, len(old)+1)
	for i := range best {
		best[i] = make([]float64, len(now)+1)
	}
	like := func(i, j int) float64 {
		if l := likeness(old[i], now[j]); l >= alike {
			return l
		}
		return -1
	}
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(now) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if l := like(i, j); l > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+l)
			}
		}
	}
	var rows []Pair
	i, j, fromI, fromJ := 0, 0, 0, 0
	for i < len(old) && j < len(now) {
		switch l := like(i, j); {
		case l > 0 && best[i][j] == best[i+1][j+1]+l:
			rows = append(alone(rows, fromI, i, fromJ, j), Pair{i, j})
			i, j = i+1, j+1
			fromI, fromJ = i, j
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return alone(rows, fromI, len(old), fromJ, len(now))
}

// byPlace joins lines at the same place where they are alike.
func byPlace(old, now [][]uint64) (rows []Pair) {
	n := min(len(old), len(now))
	from := 0
	for i := range n {
		if likeness(old[i], now[i]) >= alike {
			rows = append(alone(rows, from, i, from, i), Pair{i, i})
			from = i + 1
		}
	}
	return alone(rows, from, len(old), from, len(now))
}

// alone adds lines that belong to none: removed ones first.
func alone(rows []Pair, i, toI, j, toJ int) []Pair {
	for ; i < toI; i++ {
		rows = append(rows, Pair{i, -1})
	}
	for ; j < toJ; j++ {
		rows = append(rows, Pair{-1, j})
	}
	return rows
}

var seed = maphash.MakeSeed()

// bags are the words of each line, hashed and in order.
func bags(lines []string) [][]uint64 {
	out := make([][]uint64, len(lines))
	for i, l := range lines {
		if len(l) > maxLine {
			continue
		}
		for _, w := range words(l) {
			if w != " " && w != "\t" {
				out[i] = append(out[i], maphash.String(seed, w))
			}
		}
		slices.Sort(out[i])
	}
	return out
}

// likeness is the share of two lines' words that both have, from 0 to 1.
func likeness(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	same := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			same, i, j = same+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(same) / float64(len(a)+len(b))
}

// words are the words of a line and what is between them; together they are the line.
func words(line string) (out []string) {
	start, before := 0, rune(0)
	for i, r := range line {
		if i > 0 && !(isWord(before) && isWord(r)) {
			out, start = append(out, line[start:i]), i
		}
		before = r
	}
	if start < len(line) {
		out = append(out, line[start:])
	}
	return out
}

func isWord(r rune) bool {
	return r == '_' || r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9') || r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
