package cells

import "strings"

// SafeLink reports whether uri may be the target of a hyperlink: printable ASCII, so that it
// cannot end its escape sequence, and of the web, to write a mail, or a file. Every other
// scheme starts a program of its own on a click, with words that an agent chose. Agents choose
// links, and users click on them, also in terminals in web pages.
func SafeLink(uri string) bool {
	for i := 0; i < len(uri); i++ {
		if uri[i] <= ' ' || uri[i] >= 0x7f {
			return false
		}
	}
	scheme, rest, _ := strings.Cut(uri, ":")
	switch strings.ToLower(scheme) {
	case "http", "https":
		// A host name that begins with a dash could be taken for an option by a program.
		return strings.HasPrefix(rest, "//") && len(rest) > 2 && rest[2] != '/' && rest[2] != '-'
	case "mailto":
		return rest != "" && rest[0] != '-'
	case "file":
		return strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//-")
	}
	return false
}

// LinkHere reports whether a safe link leads to the same place on a machine of that name as it
// does where it was made: one to a file names no machine, or that one.
func LinkHere(uri, host string) bool {
	if len(uri) < 5 || !strings.EqualFold(uri[:5], "file:") {
		return true
	}
	rest, named := strings.CutPrefix(uri[5:], "//")
	if !named {
		return true
	}
	name, _, _ := strings.Cut(rest, "/")
	return name == "" || strings.EqualFold(name, "localhost") || host != "" && strings.EqualFold(name, host)
}
