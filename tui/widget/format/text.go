package format

import (
	"fmt"
	"strconv"
	"strings"
)

// Paragraphs are the lines of a text whose line ends are shown as ⏎, without blank ones and
// without the fences of Markdown's code.
func Paragraphs(text string) (out []string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "␊", "⏎"), "⏎") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "```") {
			out = append(out, line)
		}
	}
	return out
}

// OneLine is such a text as one line.
func OneLine(text string) string {
	if !strings.ContainsAny(text, "⏎␊") {
		return text
	}
	return strings.Join(Paragraphs(text), " ")
}

// Count writes a number with commas.
func Count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes is a number of bytes with three digits or so.
func Bytes(n int64) string {
	switch {
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 10<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Plural is a number with the word for one or for several.
func Plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// Home shortens the home directory to ~.
func Home(path, home string) string {
	if home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == '/') {
			return "~" + rest
		}
	}
	return path
}

// Tokens is a number of tokens in few letters: 950, 4.2k, 1.3M.
func Tokens(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return strings.Replace(fmt.Sprintf("%.1fk", float64(n)/1000), ".0k", "k", 1)
	}
	return strings.Replace(fmt.Sprintf("%.1fM", float64(n)/1_000_000), ".0M", "M", 1)
}
