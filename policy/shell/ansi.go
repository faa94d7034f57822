package shell

import (
	"strconv"
	"strings"

	"ccdir/policy/glob"
)

// unescapeQuoted removes backslashes as inside double quotes.
func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiC decodes the escapes of $'…' like bash. Text after a NUL is dropped.
func ansiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, n := ansiEscape(s[i+1:])
		if text == glob.Wild {
			break
		}
		b.WriteString(text)
		i += 1 + n
	}
	return b.String()
}

const hexDigits = "0123456789abcdefABCDEF"

// ansiEscape decodes the escape after a backslash and returns its length.
func ansiEscape(s string) (text string, n int) {
	const letters, values = "abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	if i := strings.IndexByte(letters, s[0]); i >= 0 {
		return values[i : i+1], 1
	}
	number := func(from, digits, base int) (uint64, int) {
		end := from
		for end < len(s) && end < from+digits {
			if _, err := strconv.ParseUint(s[end:end+1], base, 8); err != nil {
				break
			}
			end++
		}
		v, err := strconv.ParseUint(s[from:end], base, 64)
		if err != nil {
			return 0, 0
		}
		return v, end
	}
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		v, end := number(0, 3, 8)
		return string([]byte{byte(v)}), end
	case c == 'x' && strings.HasPrefix(s, "x{"): // any number of digits, the last byte counts
		v, end := byte(0), 2
		for ; end < len(s) && strings.IndexByte(hexDigits, s[end]) >= 0; end++ {
			v = v<<4 + byte(strings.IndexByte(hexDigits, s[end]|0x20))&0xf
		}
		if end < len(s) && s[end] == '}' {
			end++
		}
		return string([]byte{v}), end
	case c == 'x':
		if v, end := number(1, 2, 16); end > 0 {
			return string([]byte{byte(v)}), end
		}
	case c == 'u', c == 'U':
		digits := 4
		if c == 'U' {
			digits = 8
		}
		if v, end := number(1, digits, 16); end > 0 {
			return string(rune(v)), end
		}
	case c == 'c' && len(s) > 1:
		return string([]byte{s[1] & 0x1f}), 2
	}
	return "\\" + s[:1], 1
}
