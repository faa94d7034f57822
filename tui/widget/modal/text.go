package modal

import (
	"strings"

	"ccdir/tui/paint"
)

// Wrap breaks text at blanks into lines of at most w columns.
func Wrap(text string, w int) []string {
	if w < 1 {
		return nil
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for paint.Width(word) > w {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			head := paint.Head(word, w)
			lines, word = append(lines, head), word[len(head):]
		}
		switch {
		case line == "":
			line = word
		case paint.Width(line)+1+paint.Width(word) <= w:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Break breaks a line at blanks into parts of at most w columns (at least 2); a longer word is
// broken anywhere. The parts together are the line.
func Break(line string, w int) (parts []string) {
	w = max(w, 2)
	for {
		head := paint.Head(line, w)
		if len(head) == len(line) {
			return append(parts, line)
		}
		if at := strings.LastIndexByte(head, ' '); at > 0 && strings.TrimSpace(head[:at]) != "" {
			head = head[:at+1]
		}
		parts, line = append(parts, head), line[len(head):]
	}
}

// Flow puts items into lines of at most w columns.
func Flow(items []string, w int) []string {
	var lines []string
	cur := ""
	for _, it := range items {
		switch {
		case cur == "":
			cur = it
		case paint.Width(cur)+3+paint.Width(it) <= w:
			cur += "   " + it
		default:
			lines, cur = append(lines, cur), it
		}
	}
	if cur != "" {
		lines = append(lines, cur)
	}
	return lines
}
