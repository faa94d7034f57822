package hunks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestPairs: a line is joined with the one that it became, wherever that stands.
func TestPairs(t *testing.T) {
	for _, tt := range []struct{ removed, added, want string }{
		{"a := read(x)|return a, nil", "check(y)|more(z)|a := read(x, y)|return a, err", "[{-1 0} {-1 1} {0 2} {1 3}]"},
		{"one two three|four five six", "seven eight", "[{0 -1} {1 -1} {-1 0}]"},
		{"one two three|gone gone gone", "one two four", "[{0 0} {1 -1}]"},
		{"", "new", "[{-1 0}]"},
		{"old", "", "[{0 -1}]"},
		{"a b c d|e f g h", "e f g i|a b c e", "[{0 -1} {1 0} {-1 1}]"},
	} {
		split := func(s string) []string {
			if s == "" {
				return nil
			}
			return strings.Split(s, "|")
		}
		if got := fmt.Sprint(Pairs(split(tt.removed), split(tt.added))); got != tt.want {
			t.Errorf("%s → %s: %s, want %s", tt.removed, tt.added, got, tt.want)
		}
	}
}

// TestWords: whole words are marked, and a line that is another one has no marks.
func TestWords(t *testing.T) {
	for _, tt := range []struct{ old, now, want string }{
		{"return read(name, 10)", "return read(names, 10)", "return read([name], 10)|return read([names], 10)"},
		{"a b c", "a c", "a[ b] c|a c"},
		{"größe = 1", "größe = 2", "größe = [1]|größe = [2]"},
		{"x", "completely different words here", "x|completely different words here"},
		{"same", "same", "same|same"},
	} {
		a, b := Words(tt.old, tt.now)
		if got := marked(tt.old, a) + "|" + marked(tt.now, b); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

func marked(line string, spans []Span) string {
	for _, s := range slices.Backward(spans) {
		line = line[:s.From] + "[" + line[s.From:s.To] + "]" + line[s.To:]
	}
	return line
}

// FuzzChange: pairs have every line once and in order; without what is marked, two lines are the same.
func FuzzChange(f *testing.F) {
	f.Add("a\nb c\nd", "b c\nb d")
	f.Add("é ü\n\n x", "\xff")
	f.Fuzz(func(t *testing.T, old, now string) {
		a, b := strings.Split(old, "\n"), strings.Split(now, "\n")
		i, j := 0, 0
		for _, p := range Pairs(a, b) {
			if p.Old >= 0 {
				if p.Old != i {
					t.Fatalf("old line %d after %d", p.Old, i)
				}
				i++
			}
			if p.New >= 0 {
				if p.New != j {
					t.Fatalf("new line %d after %d", p.New, j)
				}
				j++
			}
		}
		if i != len(a) || j != len(b) {
			t.Fatalf("%d of %d, %d of %d", i, len(a), j, len(b))
		}
		x, y := Words(a[0], b[0])
		if x == nil && y == nil {
			return
		}
		if without(a[0], x) != without(b[0], y) {
			t.Errorf("%q %v, %q %v", a[0], x, b[0], y)
		}
	})
}

func without(line string, spans []Span) string {
	for _, s := range slices.Backward(spans) {
		line = line[:s.From] + line[s.To:]
	}
	return line
}

func BenchmarkPairs(b *testing.B) {
	var old, now []string
	for i := range maxBlock {
		old = append(old, fmt.Sprintf("	if value%d := read(%d); value%d != nil { return value%d, errors.New(\"it\") }", i, i, i, i))
		now = append(now, fmt.Sprintf("	if value%d := read(%d); value%d == nil { return value%d, errors.New(\"it\") }", i, i, i, i))
	}
	for b.Loop() {
		Pairs(old, now)
	}
}

func BenchmarkWords(b *testing.B) {
	for b.Loop() {
		Words("	if value := read(3); value != nil { return value, errors.New(\"it\") }", "	if value := read(4); value == nil { return value, errors.New(\"it\") }")
	}
}
