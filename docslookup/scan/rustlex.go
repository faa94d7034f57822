package scan

import "bytes"

// token goes behind one character, string, comment or bracketed group.
func (s *rustSource) token() {
	rest := s.text[s.pos:]
	switch c := rest[0]; {
	case c == '"':
		s.quoted()
	case c == '\'':
		s.charOrLifetime()
	case c == 'r' && s.raw():
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			s.pos += i
		} else {
			s.pos = len(s.text)
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		s.skipBlockComment()
	case c == '(' || c == '[' || c == '{':
		s.balanced()
	default:
		s.pos++
	}
}

// balanced goes behind the bracket that closes the one here.
func (s *rustSource) balanced() {
	depth := 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '(', '[', '{':
			depth++
			s.pos++
		case ')', ']', '}':
			depth--
			s.pos++
			if depth <= 0 {
				return
			}
		default:
			s.token() // opens no bracket
		}
	}
}

func (s *rustSource) quoted() {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case '"':
			s.pos++
			return
		}
	}
	s.pos = min(s.pos, len(s.text))
}

// charOrLifetime goes behind 'x' or the quote of 'a.
func (s *rustSource) charOrLifetime() {
	rest := s.text[s.pos:]
	if len(rest) > 2 && rest[1] == '\\' {
		s.pos += 3
		if i := bytes.IndexByte(s.text[min(s.pos, len(s.text)):], '\''); i >= 0 && i < 12 {
			s.pos += i + 1
		}
		s.pos = min(s.pos, len(s.text))
		return
	}
	if i := bytes.IndexByte(rest[1:min(len(rest), 7)], '\''); i > 0 && (i == 1 || rest[1] >= 0x80) {
		s.pos += i + 2
		return
	}
	s.pos++
}

// raw goes behind r"…" or r#"…"#, if one is here.
func (s *rustSource) raw() bool {
	i := s.pos + 1
	for i < len(s.text) && s.text[i] == '#' {
		i++
	}
	if i >= len(s.text) || s.text[i] != '"' || s.pos > 0 && isWord(s.text[s.pos-1]) && s.text[s.pos-1] != 'b' {
		return false
	}
	end := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, i-s.pos-1)...)
	if j := bytes.Index(s.text[i+1:], end); j >= 0 {
		s.pos = i + 1 + j + len(end)
	} else {
		s.pos = len(s.text)
	}
	return true
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// end goes behind an item: to its ";", or behind its body.
func (s *rustSource) end() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ';':
			s.pos++
			return
		case '}':
			return // closes what is around
		case '{':
			s.balanced()
			// A body ends an item, unless it is a value or a list of names: const X: T = { … };
			if rest := bytes.TrimLeft(s.text[s.pos:min(len(s.text), s.pos+80)], " \t\r\n"); len(rest) > 0 && (rest[0] == ';' || rest[0] == '.' || rest[0] == ')') {
				continue
			}
			return
		default:
			s.token()
		}
	}
}

// signature reads a function and returns its head.
func (s *rustSource) signature() string {
	start := s.pos
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ';':
			s.pos++
			return s.between(start, s.pos-1)
		case '}':
			return s.between(start, s.pos)
		case '{':
			head := s.between(start, s.pos)
			s.balanced()
			return head
		default:
			s.token()
		}
	}
	return s.between(start, s.pos)
}

// toBody goes behind the "{" of an item; false: it has none and ends.
func (s *rustSource) toBody() bool {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ';':
			s.pos++
			return false
		case '}':
			return false
		case '{':
			s.pos++
			return true
		default:
			s.token()
		}
	}
	return false
}
