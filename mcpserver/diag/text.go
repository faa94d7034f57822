package diag

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode/utf8"
)

// lines yields the lines of r without their end, each cut at maxLine bytes; a
// yielded line is valid until the next. A read error ends them.
func lines(r io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		br := bufio.NewReaderSize(r, 64<<10)
		var line []byte
		for {
			part, err := br.ReadSlice('\n')
			if room := maxLine - len(line); room > 0 {
				line = append(line, part[:min(len(part), room)]...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
				line = line[:len(line)-1]
			}
			if err != nil && len(line) == 0 || !yield(line) || err != nil {
				return
			}
			line = line[:0]
		}
	}
}

// Clean removes escape sequences and control characters except tab and newline, and
// makes s valid UTF-8.
func Clean(s string) string {
	plain := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == '\n' || r == '\t' || r >= ' ' && (r < 0x7f || r > 0x9f) {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// OpenSequence is the length in bytes of an escape sequence at the end of s that is not whole: what
// the program writes next belongs to it.
func OpenSequence(s string) int {
	i := strings.LastIndexByte(s, 0x1b)
	if i < 0 || s[i:] == "\x1b\\" || i+escapeLen(s[i:]) < len(s) {
		return 0
	}
	rest := s[i:]
	if last := rest[len(rest)-1]; len(rest) > 2 && rest[1] == '[' && last >= 0x40 && last <= 0x7e || len(rest) > 1 && rest[1] != '[' && rest[1] != ']' || last == 7 {
		return 0
	}
	return len(rest)
}

// escapeLen is the length of the escape sequence (ECMA-48 CSI, OSC, or two bytes) at
// the beginning of s.
func escapeLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return len(s)
	case ']':
		for i := 2; i < len(s); i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return len(s)
	}
	return 2
}

// head cuts s to at most n bytes, at a character boundary.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// tail keeps the last n bytes of s, from a character boundary.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := len(s) - n
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return "…" + s[i:]
}

// bounded collects text and keeps about its last n bytes.
type bounded struct{ b []byte }

func (t *bounded) add(s string) {
	t.b = append(t.b, s...)
	if len(t.b) > 4*maxOutput {
		t.b = append(t.b[:0], t.b[len(t.b)-2*maxOutput:]...)
	}
}

func (t *bounded) String() string { return string(t.b) }
