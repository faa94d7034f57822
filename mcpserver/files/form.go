package files

import (
	"bytes"
	"strings"
)

// bom is the byte order mark of UTF-8, with which some editors begin a file.
const bom = "\xef\xbb\xbf"

// endsCRLF reports whether most lines of a text end with CRLF.
func endsCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\r\n"))
	return n > 0 && 2*n > bytes.Count(text, []byte("\n"))
}

// keepForm gives the new text of a file the line ends and the byte order mark of the
// old one: read shows neither, so who writes what it read does not know of them. A
// text that has carriage returns of its own stays as it is.
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

// occurrences counts the places at which from begins in text, also those that overlap:
// an edit of one of them would be a guess.
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
