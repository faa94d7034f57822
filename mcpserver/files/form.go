package files

import (
	"bytes"
	"strings"
)

// bom is the UTF-8 byte order mark, which some editors write.
const bom = "\xef\xbb\xbf"

// endsCRLF reports whether most lines of a text end with CRLF.
func endsCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\r\n"))
	return n > 0 && 2*n > bytes.Count(text, []byte("\n"))
}

// keepForm gives the new text of a file the line ends and the byte order mark of the
// old one: read shows neither, so a caller that writes back what it read does not know
// of them. A text that has carriage returns of its own stays as it is.
func keepForm(old []byte, text string) []byte {
	if bytes.IndexByte(old[:min(len(old), sniff)], 0) >= 0 || text == "" {
		return []byte(text)
	}
	if endsCRLF(old) && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if bytes.HasPrefix(old, []byte(bom)) && !strings.HasPrefix(text, bom) {
		text = bom + text
	}
	return []byte(text)
}

// occurrences counts the places where from begins in text, including overlapping ones:
// an edit of one of several would be a guess.
func occurrences(text, from string) (n int, lines []int) {
	line, last := 1, 0
	for at := 0; ; {
		i := strings.Index(text[at:], from)
		if i < 0 {
			return n, lines
		}
		at += i
		if n++; len(lines) < 10 {
			line += strings.Count(text[last:at], "\n")
			lines, last = append(lines, line), at
		}
		at++
	}
}
