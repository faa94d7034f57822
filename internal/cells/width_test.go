package cells

import "testing"

func TestRuneWidth(t *testing.T) {
	for _, c := range []struct {
		r    rune
		want int
	}{
		{'a', 1}, {'é', 1}, {0x7f, 0}, {0x1b, 0}, {'─', 1}, {'█', 1}, {'語', 2}, {'한', 2}, {'ｱ', 1}, {'Ａ', 2},
		{'😀', 2}, {'🫠', 2}, {'⚠', 1}, {'✅', 2}, {'☰', 1}, {0x301, 0}, {0x200b, 0}, {0x200d, 0}, {0xfe0f, 0},
		{0xad, 1}, {0xfffd, 1}, {0x20000, 2}, {0xe0100, 0}, {0x10ffff, 1}, {0x1f1eb, 1}, {0x1100, 2}, {0x1160, 1}, {'…', 1}, {'❯', 1}, {-1, 1},
	} {
		if got := RuneWidth(c.r); got != c.want {
			t.Errorf("RuneWidth(%U) = %d, want %d", c.r, got, c.want)
		}
	}
}

func TestStringWidth(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{
		{"", 0}, {"abc", 3}, {"日本", 4}, {"e\u0301x", 2}, {"👩\u200d💻", 2}, {"🇫🇷", 2}, {"🇫", 1}, {"🇫🇷🇧", 3}, {"🇫🇷🇧🇷", 4},
		{"⚠\ufe0f", 2}, {"#\ufe0f\u20e3", 2}, {"a\ufe0f", 1}, {"👍🏽", 2}, {"a🏽", 3}, {"\u1112\u1161\u11ab", 2}, {"한\u11ab", 2}, {"한\u1161", 3}, {"하\u1161", 2},
		{"नि", 1}, {"क्ष", 2}, {"a\u200bb", 2}, {"\u0301a", 1}, {"👩\u200da", 3}, {"a\u200d💻", 3}, {"🏴\U000e0067\U000e0062\U000e007f", 2},
		{"👨\u200d👩\u200d👧\u200d👦", 2}, {"❤\ufe0f\u200d🔥", 2}, {"a\tb", 2},
	} {
		if got := stringWidth(c.s); got != c.want {
			t.Errorf("stringWidth(%+q) = %d, want %d", c.s, got, c.want)
		}
	}
}

// stringWidth is the number of columns of s in a terminal that keeps grapheme
// clusters together (mode 2027), as ccdir's own core does. Control characters
// count nothing.
func stringWidth(s string) int {
	var j Joiner
	total, width := 0, 0
	for _, r := range s {
		p := PropOf(r)
		if join, widen := j.Next(r, p); join {
			if widen && width == 1 {
				width = 2
				total++
			}
			continue
		}
		width = p.Width()
		total += width
		if width == 0 {
			j.Reset()
		}
	}
	return total
}
