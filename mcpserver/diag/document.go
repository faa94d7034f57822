package diag

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// utf8BOM begins the output of some tools, mainly those of .NET.
const utf8BOM = "\xef\xbb\xbf"

// jsonFrom returns r from its first line that begins with a brace; false: there is
// none.
func jsonFrom(r io.Reader) (*bufio.Reader, bool) {
	br := bufio.NewReader(r)
	if b, _ := br.Peek(len(utf8BOM)); string(b) == utf8BOM {
		_, _ = br.Discard(len(utf8BOM)) // just peeked
	}
	for {
		c, err := br.Peek(1)
		if err != nil {
			return nil, false
		}
		if c[0] == '{' {
			return br, true
		}
		for end := false; !end; { // a line of any length, in bounded memory
			_, err := br.ReadSlice('\n')
			if end = err == nil; err != nil && err != bufio.ErrBufferFull {
				return nil, false
			}
		}
	}
}

var (
	xmlDeclaration = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["'][^>]*\?>`)
	})
	xmlReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&#(x[0-9a-fA-F]+|[0-9]+);`) })
	csi          = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:?]*[ -/]*[@-~]`) })
)

// mendXML converts a report to valid XML: UTF-8, whatever its encoding, without the
// characters that XML forbids. Test runners copy the output of tests, including
// colours, and one such character would cost the whole report.
func mendXML(data []byte) []byte {
	data = toUTF8(data)
	data = xmlReference().ReplaceAllFunc(data, func(ref []byte) []byte {
		s, base := string(ref[2:len(ref)-1]), 10
		if s[0] == 'x' {
			s, base = s[1:], 16
		}
		switch n, err := strconv.ParseUint(s, base, 32); {
		case err == nil && n == 0x1b:
			return []byte{0x1b}
		case err != nil || !xmlRune(rune(n)):
			return nil
		}
		return ref
	})
	if bytes.IndexByte(data, 0x1b) >= 0 {
		data = csi().ReplaceAll(data, nil)
	}
	return bytes.Map(func(r rune) rune {
		if !xmlRune(r) {
			return -1
		}
		return r
	}, data)
}

// xmlRune: XML 1.0, section 2.2.
func xmlRune(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 && r <= utf8.MaxRune
}

// toUTF8 decodes UTF-16 with a byte order mark, UTF-8, and every other declared
// encoding as ISO 8859-1: most of them share at least ASCII with it.
func toUTF8(data []byte) []byte {
	if len(data) >= 2 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff) {
		little := data[0] == 0xff
		units := make([]uint16, 0, len(data)/2)
		for i := 2; i+1 < len(data); i += 2 {
			a, b := uint16(data[i]), uint16(data[i+1])
			if little {
				a, b = b, a
			}
			units = append(units, a<<8|b)
		}
		data = []byte(string(utf16.Decode(units)))
	}
	data = bytes.TrimPrefix(data, []byte(utf8BOM))
	m := xmlDeclaration().FindSubmatchIndex(data)
	if m == nil {
		return data
	}
	name := strings.ToLower(string(data[m[2]:m[3]]))
	data = data[m[1]:] // the declared encoding is no longer true
	if strings.HasPrefix(name, "utf") || utf8.Valid(data) {
		return data
	}
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return []byte(string(runes))
}
