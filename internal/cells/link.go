package cells

import "strings"

// SafeLink reports whether uri may be the target of a hyperlink: printable ASCII, so
// that it cannot end its escape sequence, with a scheme, and not one that carries code
// (javascript:, data:). Agents choose links, and users click on them, also in terminals
// in web pages.
func SafeLink(uri string) bool {
	for i := 0; i < len(uri); i++ {
		if uri[i] <= ' ' || uri[i] >= 0x7f {
			return false
		}
	}
	scheme, rest, ok := strings.Cut(uri, ":")
	if !ok || !validScheme(scheme) {
		return false
	}
	switch strings.ToLower(scheme) {
	case "javascript", "vbscript", "data":
		return false
	}
	// A host name that begins with a dash could be taken for an option by a program.
	return !strings.HasPrefix(rest, "//-")
}

// validScheme: RFC 3986, section 3.1.
func validScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		if c >= 'a' && c <= 'z' || i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.') {
			continue
		}
		return false
	}
	return s != ""
}
