package hunks

import (
	"github.com/aymanbagabas/go-udiff"
)

// Span is a run of bytes of a line.
type Span struct{ From, To int }

const (
	// maxWords is the number of words of a line from which none are marked.
	maxWords = 600
	// mostChanged is the share of a line's bytes above which it counts as another line.
	mostChanged = 0.7
)

// Words are the parts of two lines that differ, by whole words; nothing if nearly all does.
func Words(old, now string) (inOld, inNow []Span) {
	if len(old) > maxLine || len(now) > maxLine {
		return nil, nil
	}
	a, b := words(old), words(now)
	if len(a) > maxWords || len(b) > maxWords {
		return nil, nil
	}
	// Each word is a rune to the library, three bytes long.
	known := map[string]rune{}
	text := func(list []string) string {
		runes := make([]rune, len(list))
		for i, w := range list {
			if _, ok := known[w]; !ok {
				known[w] = firstRune + rune(len(known))
			}
			runes[i] = known[w]
		}
		return string(runes)
	}
	atA, atB := offsets(a), offsets(b)
	shift := 0 // how far words of now are behind those of old, in words
	for _, e := range udiff.Strings(text(a), text(b)) {
		from, to, n := e.Start/runeBytes, e.End/runeBytes, len(e.New)/runeBytes
		inOld = span(inOld, atA[from], atA[to])
		inNow = span(inNow, atB[from+shift], atB[from+shift+n])
		shift += n - (to - from)
	}
	if share(inOld, old) > mostChanged || share(inNow, now) > mostChanged {
		return nil, nil
	}
	return inOld, inNow
}

const (
	firstRune = 0x4e00 // of the ideographs: more than words, and each as long as the others
	runeBytes = 3
)

func offsets(list []string) []int {
	at := make([]int, 1, len(list)+1)
	for i, w := range list {
		at = append(at, at[i]+len(w))
	}
	return at
}

func span(list []Span, from, to int) []Span {
	if from == to {
		return list
	}
	if n := len(list); n > 0 && list[n-1].To == from {
		list[n-1].To = to
		return list
	}
	return append(list, Span{from, to})
}

func share(list []Span, line string) float64 {
	n := 0
	for _, s := range list {
		n += s.To - s.From
	}
	return float64(n) / float64(max(1, len(line)))
}
